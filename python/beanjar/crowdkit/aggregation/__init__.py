"""``crowdkit.aggregation`` under its own name."""

from .. import GLAD, KOS, MACE, MMSR, DawidSkene, GoldMajorityVote, MajorityVote, OneCoinDawidSkene, Wawa, ZeroBasedSkill

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
]
