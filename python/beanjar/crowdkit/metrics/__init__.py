"""``crowdkit.metrics`` under its own name."""
