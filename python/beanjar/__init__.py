"""Learning from noisy, subjective judgments: what to ask, how many times, whom to trust.

>>> import beanjar
>>> result = beanjar.aggregate({"task": [1, 1, 1], "worker": ["a", "b", "c"], "label": ["cat", "cat", "dog"]})
>>> result.to_dict()["tasks"][0]["label"]
'cat'
"""

from . import simulate
from ._aggregate import Aggregation, aggregate
from ._ask import EnoughVotes, NextVotes, next, votes
from ._beanjar import __version__
from ._call import BeanjarError, BeanjarWarning
from ._experts import Learned, SparseExperts
from ._gold import Suggestion, gold
from ._inspect import Inspection, icc, inspect, krippendorff_alpha
from ._methods import (
    Auto,
    DawidSkene,
    Glad,
    GoldMajority,
    Kos,
    Mace,
    Majority,
    Mixture,
    Mmsr,
    OneCoin,
    Pooled,
    Skilled,
    Spectral,
    Wawa,
    ZeroBasedSkill,
)
from ._score import Scores, score
from ._select import MultiSelector, Plan, Predictor, Selection, select
from ._workers import Ranking, rank_workers

__all__ = [
    "Aggregation",
    "Auto",
    "BeanjarError",
    "BeanjarWarning",
    "DawidSkene",
    "EnoughVotes",
    "Glad",
    "GoldMajority",
    "Inspection",
    "Kos",
    "Learned",
    "Mace",
    "Majority",
    "Mixture",
    "Mmsr",
    "MultiSelector",
    "NextVotes",
    "OneCoin",
    "Plan",
    "Pooled",
    "Predictor",
    "Ranking",
    "Scores",
    "Selection",
    "Skilled",
    "SparseExperts",
    "Spectral",
    "Suggestion",
    "Wawa",
    "ZeroBasedSkill",
    "__version__",
    "aggregate",
    "gold",
    "icc",
    "inspect",
    "krippendorff_alpha",
    "next",
    "rank_workers",
    "score",
    "select",
    "simulate",
    "votes",
]
