"""What workers on a cluster are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import _workers
from ._rows import collected, rows_of


def rank_workers(
    labels: Any, *, columns: Mapping[str, str] | None = None, most_labels: int = 5_000_000, seed: int = 0, **options: Any
) -> Any:
    """Says of each worker what they are, as :func:`beanjar.rank_workers` does, which it calls on the driver.

    Of more than ``most_labels`` labels, all labels of as many tasks are drawn by the seed and the tasks' ids.
    """
    found = collected(rows_of(labels, columns, ("task", "worker", "label")), most_labels, seed)
    return _workers.rank_workers(found, seed=seed, **options)
