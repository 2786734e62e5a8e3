"""Rows on the driver: all of them, or those of whole tasks or objects that the cluster draws if there are too many."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from .._call import BeanjarError, BeanjarWarning
from ._partitions import columns_of, frame_of

#: Tasks are drawn by a hash; this is how many values it has.
HASHES = 1 << 30


def rows_of(table: Any, columns: Mapping[str, str] | None, roles: tuple[str, ...], more: tuple[str, ...] = ()) -> Any:
    """The columns of these roles, under their names; those of ``more`` if they are there."""
    from pyspark.sql import functions as F

    frame = frame_of(table)
    named = columns_of(frame, columns, roles)
    named.update({role: (columns or {}).get(role, role) for role in more if (columns or {}).get(role, role) in frame.columns})
    return frame.select(*(F.col(f"`{column}`").alias(role) for role, column in named.items()))


def drawn(unit: str, share: float, seed: int) -> Any:
    """Whether the task or object of a row is drawn, by its id and the seed."""
    from pyspark.sql import functions as F

    return F.pmod(F.xxhash64(F.col(unit).cast("string"), F.lit(seed)), F.lit(HASHES)) < int(HASHES * share)


def collected(rows: Any, most: int, seed: int) -> Any:
    """Rows on the driver, or those of as many tasks (objects) as give ``most`` rows, with a warning."""
    check(most)
    count = rows.count()
    if count > most:
        unit = rows.columns[0]
        rows = rows.where(drawn(unit, most / count, seed))
        sentence = f"of {count:,} rows about {most:,} are used, all that belong to {unit}s drawn by the seed"
        warnings.warn(sentence, BeanjarWarning, stacklevel=3)
    return arrow(rows)


def check(most: int) -> None:
    """An error if no row may be on the driver."""
    if most < 1:
        raise BeanjarError(f"the most rows on the driver is {most}, and must be 1 or more")


def arrow(frame: Any) -> pa.Table:
    """A DataFrame on the driver."""
    if hasattr(frame, "toArrow"):
        return frame.toArrow()
    return pa.Table.from_pandas(frame.toPandas(), preserve_index=False)
