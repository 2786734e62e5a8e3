"""``crowdkit.metrics.workers`` under its own name."""

from .._metrics import accuracy_on_aggregates

__all__ = ["accuracy_on_aggregates"]
