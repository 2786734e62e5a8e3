"""Labels in the partitions of a cluster: coded once, kept, and summed over as often as a fit asks."""

from __future__ import annotations

import os
import uuid
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from .. import _beanjar
from .._call import BeanjarError, BeanjarWarning, words
from .._frames import Table
from . import _executors as executors

#: Labels that one partition holds at most, about: its rows are sorted in the memory of one Python process.
LABELS_IN_A_PARTITION = 1 << 24
#: What is collected at most before sums are added on the executors instead.
COLLECTED_BYTES = 64 << 20
#: What one process holds at most, about, when it adds them.
ADDED_BYTES = 256 << 20
#: What stands for a missing value, as on one machine.
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "Nan", "null", "NULL", "Null")
ROLES = ("task", "worker", "label")


def session_of(table: Any) -> Any:
    """The session of a DataFrame; the current one for a path."""
    if hasattr(table, "sparkSession"):
        return table.sparkSession
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()


def frame_of(table: Any) -> Any:
    """A DataFrame, or the one at a path: Parquet, or by its ending CSV with a header or JSON by lines."""
    if hasattr(table, "mapInArrow"):
        return table
    if not isinstance(table, (str, os.PathLike)):
        raise TypeError(f"a Spark DataFrame or a path, not {type(table).__name__}; beanjar.{{aggregate, ...}} take other tables")
    path, read = os.fspath(table), session_of(table).read
    plain = path.rstrip("/").removesuffix(".gz").lower()
    if plain.endswith((".csv", ".tsv")):
        return read.csv(path, header=True, sep="\t" if plain.endswith(".tsv") else ",", escape='"')
    return read.json(path) if plain.endswith((".json", ".jsonl", ".ndjson")) else read.parquet(path)


def columns_of(frame: Any, columns: Mapping[str, str] | None, roles: tuple[str, ...] = ROLES) -> dict[str, str]:
    """Which column holds what: as named, else as the first rows are understood on one machine."""
    named = dict(columns or {})
    if not set(roles) <= set(named):
        rows = frame.limit(100).collect()
        first = Table("table", {name: [row[at] for row in rows] for at, name in enumerate(frame.columns)})

        flags = [f"--columns={words(named)}"] if named else []
        kind = "labels" if "label" in roles else "judgments"
        try:
            answer = _beanjar.call(["inspect", "table", f"--kind={kind}", *flags], [first.held()], None)
            found = {role: column for column, role in dict(answer[3])["table"]}
        except BeanjarError as error:
            found = {role: role for role in roles if role in frame.columns}
            if not set(roles) <= {*found, *named}:
                raise error
        named = {**found, **named}
    lacking = [role for role in roles if named.get(role) not in frame.columns]
    if lacking:
        there = ", ".join(frame.columns)
        raise BeanjarError(f"no column holds the {lacking[0]}; the columns are {there}: name it in columns={{'{lacking[0]}': ...}}")
    return {role: named[role] for role in roles}


_slots: dict[int, list[int]] = {}


def slots(session: Any, parts: int) -> list[int]:
    """For each part a number with its hash: Spark sends a row to the partition that the hash of a number says."""
    from pyspark.sql import functions as F

    if parts not in _slots:
        numbers = session.range(64 * parts).select(F.col("id").cast("int").alias("slot"))
        hashed = numbers.select("slot", F.expr(f"pmod(hash(slot), {parts})").alias("part"))
        found = {row["part"]: row["slot"] for row in hashed.collect()}
        _slots[parts] = [found.get(part, 0) for part in range(parts)]
    return _slots[parts]


@contextmanager
def rows_at_once(session: Any, rows: int) -> Iterator[None]:
    """Executors get this many rows at a time. Spark counts rows, 10,000 of them by default, where ours are large blocks: it would
    gather a whole partition, in memory that is new each time, before a kernel sees any of it.
    """
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = session.conf.get(name)
    session.conf.set(name, str(rows))
    try:
        yield
    finally:
        session.conf.set(name, before)


class Partitions:
    """Labels of (task, worker, label), coded and kept on the executors.

    Tasks are hashed to a power of two of partitions; workers and classes are numbered by a dictionary that every executor
    gets. Sums over the partitions have the same bytes for any number of them.
    """

    def __init__(
        self,
        table: Any,
        *,
        method: str,
        columns: Mapping[str, str] | None,
        repeats: str,
        partitions: int | None,
        most_workers: int,
        on_driver: int,
    ):
        from pyspark.sql import functions as F

        if repeats not in ("average", "all"):
            raise BeanjarError(f"repeats is {repeats}, and must be average or all: rows of a cluster have no first")
        if partitions is not None and partitions < 1:
            raise BeanjarError(f"partitions is {partitions}, and must be 1 or more")
        self.frame = frame_of(table)
        self.session = self.frame.sparkSession
        self.average = repeats == "average"
        self.columns = columns_of(self.frame, columns)
        self.types = {role: self.frame.schema[self.columns[role]].dataType for role in ROLES}
        self.warnings: list[str] = []
        rows = self.frame.select(*(F.col(f"`{self.columns[role]}`").cast("string").alias(role) for role in ROLES))
        missing = F.lit(False)
        for role in ROLES:
            text = F.col(role) if role != "label" else F.trim(role)
            blank = F.col(role).isNull() | (F.trim(role) == "") | text.isin(*MISSING)
            missing = missing | blank
        self._count(rows, missing, most_workers)
        rows = rows.where(~missing)
        self.leaf_bits, bits, self.numbers = _beanjar.layout(method, self.labels, len(self.workers), len(self.classes))
        self.bits = self._parts(partitions, bits)
        self.names = executors.Shared(self.session, (self.workers, self.given))
        self.coded = self._code(rows).persist()
        try:
            self.gathered = self._gather() if self.labels <= on_driver else self.keep()
        except BaseException:
            self.coded.unpersist()
            raise

    def _count(self, rows: Any, missing: Any, most_workers: int) -> None:
        """Counts labels and rows without one, and makes the dictionaries."""
        from pyspark.sql import functions as F

        flagged = rows.withColumn("missing", missing)
        kept = [F.when(~F.col("missing"), F.col(name)).alias(name) for name in ("worker", "label")]
        pairs = flagged.select("missing", *kept).groupBy("missing", "worker", "label").count().persist()
        try:
            of = pairs.groupBy("missing").agg(
                F.sum("count").alias("rows"), F.countDistinct("worker").alias("workers"), F.countDistinct("label").alias("labels")
            )
            counts = {row["missing"]: row for row in of.collect()}
            if True in counts:
                left_out = counts[True]["rows"]
                self.warn(f"{left_out:,} {'row' if left_out == 1 else 'rows'} with a missing value left out", 4)
            if False not in counts:
                raise BeanjarError("there is not a single label; check that the table is the one you meant")
            self.labels, workers, labels = counts[False]["rows"], counts[False]["workers"], counts[False]["labels"]
            if workers > most_workers:
                # Text and slot of an id, in the driver and in each Python process of an executor.
                size = workers * 60 / 1e6
                raise BeanjarError(
                    f"there are {workers:,} different workers, whose dictionary would take about {size:,.0f} MB on the driver and in "
                    f"every process of the executors; at most {most_workers:,} are allowed: is '{self.columns['worker']}' the "
                    "right column? If so, raise most_workers"
                )
            if labels > 65_535:
                raise BeanjarError(f"more than 65535 different labels: is '{self.columns['label']}' the right column?")
            # Both in one job.
            ids = F.explode(F.create_map(F.lit("worker"), F.col("worker"), F.lit("label"), F.col("label")))
            found = pairs.where(~F.col("missing")).select(ids.alias("role", "id")).distinct().collect()
            self.workers, given = (sorted(row["id"] for row in found if row["role"] == role) for role in ("worker", "label"))
            self.classes, numbers = _beanjar.classes_of(given)
            self.given = list(zip(given, numbers, strict=True))
        finally:
            pairs.unpersist()

    def warn(self, sentence: str, above: int) -> None:
        """Says what is odd about the data, and keeps it. ``above`` is how many calls above the caller of the package is."""
        self.warnings.append(sentence)
        warnings.warn(sentence, BeanjarWarning, stacklevel=above + 1)

    def _parts(self, wanted: int | None, most: int) -> int:
        """How many partitions, as a power of two: at least as many as asked for, if sums can be divided so far."""
        if wanted is None:
            wanted = max(self.parallelism(), -(-self.labels // LABELS_IN_A_PARTITION))
        return min((wanted - 1).bit_length(), most)

    def parallelism(self) -> int:
        """How many tasks the cluster works on at once."""
        if "connect" in type(self.session).__module__:
            return int(self.session.conf.get("spark.sql.shuffle.partitions", "200"))
        return self.session.sparkContext.defaultParallelism

    def _code(self, rows: Any) -> Any:
        """Sends every task's labels to its partition, and codes them there."""
        parts = 1 << self.bits
        placed = rows.mapInArrow(
            partial(executors.place, names=self.names, slots=slots(self.session, parts), bits=self.bits),
            "slot int, votes binary, ids binary",
        )
        return (
            placed.repartition(parts, "slot")
            .select("votes", "ids")
            .mapInArrow(
                partial(executors.code, leaf_bits=self.leaf_bits, average=self.average), "leaf int, votes binary, ids binary"
            )
        )

    def keep(self) -> None:
        """Codes all partitions now: rows of the source come faster many at a time, blocks a few."""
        self.coded.count()

    def collect(self, frame: Any) -> Any:
        """The rows of a frame that is made of blocks, of which a few megabytes travel at a time."""
        block = 7 * self.labels >> self.leaf_bits
        with rows_at_once(self.session, max(1, executors.BATCH_BYTES // max(1, block))):
            return frame.collect()

    def _gather(self) -> list[tuple[int, bytes, bytes]]:
        rows = [(row["leaf"], bytes(row["votes"]), bytes(row["ids"])) for row in self.coded.collect()]
        # Blocks of one leaf are in order already.
        return sorted(rows, key=lambda row: row[0])

    def sum(self, request: bytes, numbers: int) -> bytes:
        """The sum over all tasks that a fit asks for, of as many numbers."""
        if self.gathered is not None:
            blocks = executors.batches(((leaf, votes) for leaf, votes, _ in self.gathered), executors.BLOCKS)
            return _beanjar.add_parts(_beanjar.Pass(request).sums(blocks, self.leaf_bits, 0), 0)
        parts = 1 << self.bits
        shared = executors.Shared(self.session, request)
        sums = self.coded.select("leaf", "votes").mapInArrow(
            partial(executors.observe, key=uuid.uuid4().hex, shared=shared, leaf_bits=self.leaf_bits, part_bits=self.bits),
            "slice int, part int, sum binary",
        )
        slices: dict[int, list[tuple[int, bytes]]] = {}
        bits = self.bits
        size = 8 * numbers
        if parts * size > COLLECTED_BYTES:
            adders = max(self.parallelism(), -(-parts * size // ADDED_BYTES))
            sums = sums.repartition(min(adders, -(-size // executors.SLICE_BYTES)), "slice")
            sums = sums.mapInArrow(partial(executors.add, part_bits=self.bits), "slice int, part int, sum binary")
            bits = 0
        for row in self.collect(sums):
            slices.setdefault(row["slice"], []).append((row["part"], bytes(row["sum"])))
        shared.forget()
        return b"".join(_beanjar.add_parts(slices[at], bits) for at in sorted(slices))

    def sample(self, sample: tuple[int, int, int]) -> list[tuple[bytes, bytes]]:
        """The tasks of a sample, on the driver."""
        if self.gathered is not None:
            return [_beanjar.sample_tasks(sample, votes, ids) for _, votes, ids in self.gathered]
        drawn = self.coded.select("votes", "ids").mapInArrow(partial(executors.draw, sample=sample), "votes binary, ids binary")
        return [(bytes(row["votes"]), bytes(row["ids"])) for row in self.collect(drawn)]

    def patterns(self) -> list[bytes]:
        """The different ways in which votes fall, of each partition."""
        sizes = (len(self.workers), len(self.classes))
        if self.gathered is not None:
            return [_beanjar.vote_patterns((votes for _, votes, _ in self.gathered), *sizes)]
        found = self.coded.select("votes").mapInArrow(partial(executors.patterns, sizes=sizes), "patterns binary")
        return [bytes(row["patterns"]) for row in self.collect(found)]

    def answers(self, reading: executors.Shared, seed: int, probabilities: bool) -> Any:
        """A DataFrame of the label of each task; it is worked out when it is used."""
        from pyspark.sql import functions as F

        columns = "task string, label string, confidence double, tied boolean"
        if probabilities:
            columns += "".join(", `" + name.replace("`", "``") + "` double" for name in self.classes)
        read = partial(
            executors.read, key=uuid.uuid4().hex, shared=reading, classes=self.classes, seed=seed, probabilities=probabilities
        )
        found = self.coded.select("votes", "ids").mapInArrow(read, columns)
        for role in ("task", "label"):
            found = found.withColumn(role, F.col(role).cast(self.types[role]))
        return found
