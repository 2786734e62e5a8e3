"""``crowdkit.postprocessing`` under its own name."""

from .._metrics import entropy_threshold

__all__ = ["entropy_threshold"]
