"""What is worked out on the driver, from whole tasks or objects that the cluster draws if there are too many."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from .. import _select, _workers
from .._call import BeanjarError, BeanjarWarning
from ._partitions import columns_of, frame_of

#: Tasks are drawn by a hash; this is how many values it has.
HASHES = 1 << 30


def rank_workers(
    labels: Any, *, columns: Mapping[str, str] | None = None, most_labels: int = 5_000_000, seed: int = 0, **options: Any
) -> Any:
    """Says of each worker what they are, as :func:`beanjar.rank_workers` does, which it calls on the driver.

    Of more than ``most_labels`` labels, all labels of as many tasks are drawn by the seed and the tasks' ids.
    """
    found = _collected(labels, columns, ("task", "worker", "label"), most_labels, seed)
    return _workers.rank_workers(found, seed=seed, **options)


def select(
    judgments: Any,
    labels: Any,
    *,
    budget: float,
    columns: Mapping[str, str] | None = None,
    most_judgments: int = 5_000_000,
    seed: int = 0,
    **options: Any,
) -> Any:
    """Which attributes to judge, and how often, as :func:`beanjar.select` does, which it calls on the driver.

    Of more than ``most_judgments`` judgments, all judgments of as many objects are drawn by the seed and the objects' ids.
    ``labels`` is a Spark DataFrame of object and label, or anything that :func:`beanjar.select` takes.
    """
    found = _collected(judgments, columns, ("object", "attribute", "value"), most_judgments, seed, ("worker",))
    if hasattr(labels, "mapInArrow"):
        labels = _arrow(labels)
    return _select.select(found, labels, budget=budget, seed=seed, **options)


def _collected(
    table: Any, columns: Mapping[str, str] | None, roles: tuple[str, ...], most: int, seed: int, more: tuple[str, ...] = ()
) -> Any:
    """The columns of these roles on the driver, of all rows or of a sample of tasks or objects."""
    from pyspark.sql import functions as F

    if most < 1:
        raise BeanjarError(f"the most rows on the driver is {most}, and must be 1 or more")
    frame = frame_of(table)
    named = columns_of(frame, columns, roles)
    named.update({role: (columns or {}).get(role, role) for role in more if (columns or {}).get(role, role) in frame.columns})
    rows = frame.select(*(F.col(f"`{column}`").alias(role) for role, column in named.items()))
    count = rows.count()
    if count > most:
        unit = roles[0]
        drawn = F.pmod(F.xxhash64(F.col(unit).cast("string"), F.lit(seed)), F.lit(HASHES)) < int(HASHES * most / count)
        rows = rows.where(drawn)
        warnings.warn(
            f"of {count:,} rows about {most:,} are used, all that belong to {unit}s drawn by the seed", BeanjarWarning, stacklevel=3
        )
    return _arrow(rows)


def _arrow(frame: Any) -> Any:
    """A DataFrame on the driver: as an Arrow table from Spark 4 on, else of pandas."""
    return frame.toArrow() if hasattr(frame, "toArrow") else frame.toPandas()
