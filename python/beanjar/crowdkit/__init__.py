"""crowd-kit's categorical aggregation and metrics, with its numbers and without its waits.

Changing the import is enough: ``from beanjar.crowdkit import DawidSkene``, or ``from beanjar.crowdkit.aggregation import
DawidSkene``. Parameters, methods and attributes are those of crowd-kit 1.4, and they work with current pandas. Where
crowd-kit has a defect it is followed here, and said in the docstring; ``beanjar.aggregate`` and ``beanjar.DawidSkene`` do it
right. It needs pandas.
"""

from ._dawid_skene import DawidSkene, OneCoinDawidSkene
from ._glad import GLAD
from ._kos import KOS
from ._mace import MACE
from ._metrics import accuracy_on_aggregates, alpha_krippendorff, consistency, entropy_threshold, uncertainty
from ._mmsr import MMSR
from ._votes import GoldMajorityVote, MajorityVote, Wawa, ZeroBasedSkill

__all__ = [
    "GLAD",
    "KOS",
    "MACE",
    "MMSR",
    "DawidSkene",
    "GoldMajorityVote",
    "MajorityVote",
    "OneCoinDawidSkene",
    "Wawa",
    "ZeroBasedSkill",
    "accuracy_on_aggregates",
    "alpha_krippendorff",
    "consistency",
    "entropy_threshold",
    "uncertainty",
]
