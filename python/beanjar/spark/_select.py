"""Which attributes to judge, from judgments on a cluster."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

from .. import _beanjar, _select
from .._call import BeanjarError, BeanjarWarning, Bytes, table_of
from .._frames import Table, is_path
from .._texts import missing, text
from . import _executors as executors
from ._partitions import MISSING, frame_of
from ._rows import arrow, check, drawn, rows_of

#: Judgments that one partition gets, about; they are sorted there by Spark, which spills to disk.
ROWS_IN_A_PARTITION = 12_000_000


def select(
    judgments: Any,
    labels: Any,
    *,
    budget: float,
    label: str | None = None,
    classes: bool = False,
    columns: Mapping[str, str] | None = None,
    most_judgments: int = 5_000_000,
    seed: int = 0,
    **options: Any,
) -> Any:
    """Which attributes to judge, and how often, as :func:`beanjar.select` does, whose options it takes.

    Up to ``most_judgments`` judgments are collected, and all is done on the driver. Of more, the moments of all objects are
    summed on the executors, in groups of objects that are held out together, and choosing is done on the driver. What needs
    objects themselves is done on a sample of ``most_judgments`` judgments, drawn by the seed and the objects' ids: the share of
    objects in the wrong class, what medians and majorities tell, and ``method="copies"``.

    ``labels`` is a Spark DataFrame whose first column is the object, a path, or anything that :func:`beanjar.select` takes.
    """
    check(most_judgments)
    rows = rows_of(judgments, columns, ("object", "attribute", "value"), ("worker",))
    count = rows.count()
    given = dict(budget=budget, classes=classes, seed=seed, **options)
    if count <= most_judgments:
        here = arrow(frame_of(labels)) if hasattr(labels, "mapInArrow") else labels
        return _select.select(arrow(rows), here, label=label, **given)
    known, label = _labels(rows.sparkSession, labels, label)
    rows = _judgments(rows)
    part = drawn("object", most_judgments / count, seed)
    sample = arrow(rows.where(part).orderBy(*rows.columns))
    some = arrow(known.where(part).orderBy("object").withColumnRenamed("label", label))
    held = [Table(name, table).held() for name, table in (("judgments", sample), ("labels", some))]
    request, groups, attributes = _beanjar.moments_pass(*held, label, _classes(rows, known, classes))
    _say_left_out(rows, attributes)
    group = _group(groups)
    sums = _sums(rows, known, group, request, groups, count)
    ids = arrow(rows.where(part).select("object").distinct().withColumn("group", group))
    sampled = list(zip(ids["object"].to_pylist(), ids["group"].to_pylist(), strict=True))
    moments = Bytes(_beanjar.moments_file(request, sampled, sums))
    return _select.select(sample, some, label=label, moments=moments, **given)


def _labels(session: Any, labels: Any, label: str | None) -> tuple[Any, str]:
    """Labels as object and label, and the name of what is predicted. An error if an object has two."""
    from pyspark.sql import functions as F

    if not hasattr(labels, "mapInArrow") and not is_path(labels):
        frame = _local(session, Table("labels", table_of(labels, ("object", "label"))).content)
    else:
        frame = frame_of(labels)
    first, *others = frame.columns
    if label is None and len(others) != 1:
        raise BeanjarError(f"the labels have several columns, of which label must name one; found {', '.join(others)}")
    label = others[0] if label is None else label
    if label not in others:
        raise BeanjarError(f"the labels have no column '{label}'; found {', '.join(others)}")
    trimmed = F.trim(F.col(f"`{label}`").cast("string"))
    known = frame.select(F.col(f"`{first}`").cast("string").alias("object"), trimmed.alias("label"))
    known = known.where(F.col("object").isNotNull() & F.col("label").isNotNull() & ~F.col("label").isin(*MISSING))
    twice = known.groupBy("object").count().where("count > 1").limit(1).collect()
    if twice:
        raise BeanjarError(f"the labels have object '{twice[0]['object']}' more than once")
    return known, label


def _local(session: Any, table: Any) -> Any:
    """A table of this process as a DataFrame of texts."""
    if not isinstance(table, Mapping):
        table = {name: table[name] for name in getattr(table, "column_names", table.columns)}
    columns = [column.to_pylist() if hasattr(column, "to_pylist") else list(column) for column in table.values()]
    rows = [tuple(None if missing(value) else text(value) for value in row) for row in zip(*columns, strict=True)]
    return session.createDataFrame(rows, ", ".join("`" + str(name).replace("`", "``") + "` string" for name in table))


def _judgments(rows: Any) -> Any:
    """Judgments as texts and numbers; those with a missing value are left out, and said."""
    from pyspark.sql import functions as F

    written = F.trim(F.col("value").cast("string"))
    blank = F.col("value").isNull() | written.isin(*MISSING)
    for role in ("object", "attribute"):
        blank = blank | F.col(role).isNull() | (F.trim(F.col(role).cast("string")) == "")
    # A plain cast stops a job of Spark 4 at the first text that is no number.
    value = F.expr("try_cast(value as double)")
    wrong = ~blank & (value.isNull() | F.isnan(value) | (F.abs(value) > 1e50))
    counts = rows.agg(F.count(F.when(blank, 1)).alias("missing"), F.min(F.when(wrong, written)).alias("wrong")).collect()[0]
    if counts["wrong"] is not None:
        raise BeanjarError(f"the value '{counts['wrong']}' is not a number that can be worked with")
    if counts["missing"]:
        n = counts["missing"]
        warnings.warn(f"{n:,} {'row' if n == 1 else 'rows'} with a missing value left out", BeanjarWarning, stacklevel=3)
    names = [F.col(role).cast("string").alias(role) for role in ("object", "attribute", "worker") if role in rows.columns]
    return rows.where(~blank).select(*names, value.alias("value"))


def _classes(rows: Any, known: Any, classes: bool) -> list[tuple[str, int]] | None:
    """The labels of judged objects with how many have each; none if they are numbers."""
    from pyspark.sql import functions as F

    judged = known.join(rows.select("object").distinct(), "object", "left_semi")
    number = F.expr("try_cast(label as double)")
    others = judged.where(number.isNull() | F.isnan(number) | (F.abs(number) == float("inf")))
    if not classes and not others.limit(1).collect():
        return None
    # More than can be classes are refused by their number.
    return [(row["label"], row["count"]) for row in judged.groupBy("label").count().limit(1000).collect()]


def _say_left_out(rows: Any, attributes: list[str]) -> None:
    """Says which attributes are too rare to be in the sample."""
    from pyspark.sql import functions as F

    rare = rows.where(~F.col("attribute").isin(*attributes)).select("attribute").distinct().limit(100).collect()
    if rare:
        names = sorted(row["attribute"] for row in rare)
        shown = ", ".join(f"'{name}'" for name in names[:3]) + (", ..." if len(names) > 3 else "")
        sentence = f"{len(names)} {'attribute is' if len(names) == 1 else 'attributes are'} judged too rarely to be chosen: {shown}"
        warnings.warn(sentence, BeanjarWarning, stacklevel=3)


def _group(groups: int) -> Any:
    """The group of an object, by the hash of its id."""
    from pyspark.sql import functions as F

    return F.pmod(F.xxhash64(F.col("object"), F.lit("group")), F.lit(groups)).cast("int")


def _sums(rows: Any, known: Any, group: Any, request: bytes, groups: int, count: int) -> list[tuple[int, bytes]]:
    """The sums of each group of objects, made where the judgments are. They have the same bytes for any number of partitions:
    a group is in one of them, and its objects in the order of their ids."""
    session = rows.sparkSession
    connect = "connect" in type(session).__module__
    wanted = 1 if connect else session.sparkContext.defaultParallelism
    parts = min(groups, max(wanted, -(-count // ROWS_IN_A_PARTITION)))
    shared = executors.Shared(session, request)
    labelled = rows.join(known, "object", "left").withColumn("group", group)
    placed = labelled.select("group", "object", "attribute", "value", "label").repartition(parts, "group")
    found = placed.sortWithinPartitions("group", "object").mapInArrow(partial(executors.moments, shared=shared), "group int, sum binary")
    sums = [(row["group"], bytes(row["sum"])) for row in found.collect()]
    shared.forget()
    return sorted(sums)
