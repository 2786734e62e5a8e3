"""``crowdkit.aggregation.utils`` under its own name, as far as it is of use here."""

from .._base import clone_aggregator, get_accuracy, get_most_probable_labels, normalize_rows

__all__ = ["clone_aggregator", "get_accuracy", "get_most_probable_labels", "normalize_rows"]
