"""``crowdkit.aggregation.base`` under its own name."""

from .._base import BaseClassificationAggregator

__all__ = ["BaseClassificationAggregator"]
