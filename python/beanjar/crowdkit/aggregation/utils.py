"""``crowdkit.aggregation.utils`` under its own name; without what makes attributes of the package ``attrs``."""

from .._base import clone_aggregator, get_accuracy, get_most_probable_labels, normalize_rows
from .._utils import add_skills_to_data, evaluate, evaluate_equal, evaluate_in, factorize, manage_data

__all__ = [
    "add_skills_to_data",
    "clone_aggregator",
    "evaluate",
    "evaluate_equal",
    "evaluate_in",
    "factorize",
    "get_accuracy",
    "get_most_probable_labels",
    "manage_data",
    "normalize_rows",
]
