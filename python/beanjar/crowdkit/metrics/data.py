"""``crowdkit.metrics.data`` under its own name."""

from .._metrics import alpha_krippendorff, consistency, uncertainty

__all__ = ["alpha_krippendorff", "consistency", "uncertainty"]
