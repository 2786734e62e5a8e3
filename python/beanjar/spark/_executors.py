"""What runs on executors: each function takes the Arrow batches of one partition and gives others."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from typing import Any
from zipimport import zipimporter

import numpy as np
import pyarrow as pa

from .. import _beanjar

#: Rows that wait until they travel together.
WAITING = 1 << 20
#: Bytes of blocks in one batch, about.
BATCH_BYTES = 8 << 20
#: Bytes of a sum that travel as one: the JVM keeps larger arrays apart, where they are slow to make and to free.
SLICE_BYTES = 1 << 18

Batches = Iterable[pa.RecordBatch]


class Shared:
    """Bytes that every task of a job needs: broadcast where Spark can, else sent with the job (Spark Connect)."""

    def __init__(self, session: Any, content: Any):
        self.broadcast, self.content = None, content
        if "connect" not in type(session).__module__:
            self.broadcast, self.content = session.sparkContext.broadcast(content), None

    @property
    def value(self) -> Any:
        """What was shared."""
        return self.content if self.broadcast is None else self.broadcast.value

    def forget(self) -> None:
        """Frees it on the driver and the executors; the job is over."""
        if self.broadcast is not None:
            self.broadcast.destroy()


def cells(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    """The rows of a batch."""
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)


def batches(rows: Iterable[tuple[Any, ...]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Rows as batches of a few megabytes."""
    waiting: list[tuple[Any, ...]] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += sum(len(cell) for cell in row if isinstance(cell, bytes))
        if size >= BATCH_BYTES:
            yield batch_of(waiting, schema)
            waiting, size = [], 0
    if waiting:
        yield batch_of(waiting, schema)


def batch_of(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    """Rows as one batch."""
    columns = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )


PLACED = pa.schema([("slot", pa.int32()), ("votes", pa.binary()), ("ids", pa.binary())])
CODED = pa.schema([("leaf", pa.int32()), ("votes", pa.binary()), ("ids", pa.binary())])
BLOCKS = pa.schema([("leaf", pa.int32()), ("votes", pa.binary())])
SUMS = pa.schema([("slice", pa.int32()), ("part", pa.int32()), ("sum", pa.binary())])
DRAWN = pa.schema([("votes", pa.binary()), ("ids", pa.binary())])
MOMENTS = pa.schema([("group", pa.int32()), ("sum", pa.binary())])


def place(partition: Batches, names: Shared, slots: list[int], bits: int) -> Iterator[pa.RecordBatch]:
    """Rows of text become blocks of numbers, each of the tasks of one part."""
    workers, labels = names.value
    placer = _beanjar.Placer(workers, labels, bits)

    def placed() -> Iterator[tuple[Any, ...]]:
        for batch in partition:
            yield from placer.push(pa.Table.from_batches([batch]), WAITING)
        yield from placer.finish()

    yield from batches(((slots[part], votes, ids) for part, votes, ids in placed()), PLACED)


def code(partition: Batches, leaf_bits: int, average: bool) -> Iterator[pa.RecordBatch]:
    """The blocks of one partition, sorted: what every pass goes over."""
    gathering = _beanjar.Gathering()
    for batch in partition:
        for votes, ids in cells(batch):
            gathering.push(votes, ids)
    yield from batches(gathering.finish(leaf_bits, average), CODED)


#: What was decoded last, and of which bytes: tasks of one job follow one another in the same process.
_decoded: dict[str, Any] = {}


def decoded(kind: Any, key: str, shared: Shared) -> Any:
    """An object of Rust, made once in a process for all tasks of a job."""
    if key not in _decoded:
        _decoded.clear()
        _decoded[key] = kind(shared.value)
        shorten_tasks()
    return _decoded[key]


def shorten_tasks() -> None:
    """Takes away most of what Spark 3.5 does in a Python process for each task, a tenth of the CPU time of a pass.

    It collects garbage, which goes through all that modules made: that is set apart, for it stays. It tells all finders of modules
    that files may have changed, and each of those of pyspark.zip then reads the whole directory of that file: they are forgotten, and
    made anew when something is imported.
    """
    gc.freeze()
    for path in [path for path, finder in sys.path_importer_cache.items() if isinstance(finder, zipimporter)]:
        del sys.path_importer_cache[path]


def observe(partition: Batches, key: str, shared: Shared, leaf_bits: int, part_bits: int) -> Iterator[pa.RecordBatch]:
    """The sums of a pass over one partition, in slices."""
    found = decoded(_beanjar.Pass, key, shared)
    for part, sum in found.sums(iter(partition), leaf_bits, part_bits):
        yield from slices_of(part, sum)


def slices_of(part: int, sum: bytes) -> Iterator[pa.RecordBatch]:
    """A sum in slices, a few megabytes of them in a batch. They are where the sum is: copies would be its size again."""
    ends = np.minimum(np.arange(0, len(sum) + SLICE_BYTES, SLICE_BYTES, dtype=np.int32), len(sum))
    count = len(ends) - 1
    slices = pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(ends), pa.py_buffer(sum)])
    places = pa.array(np.arange(count, dtype=np.int32))
    batch = pa.RecordBatch.from_arrays([places, pa.array(np.full(count, part, np.int32)), slices], schema=SUMS)
    step = BATCH_BYTES // SLICE_BYTES
    yield from (batch.slice(at, step) for at in range(0, count, step))


def add(partition: Batches, part_bits: int) -> Iterator[pa.RecordBatch]:
    """Slices of all parts become one slice of the sum."""
    slices: dict[int, list[tuple[int, bytes]]] = {}
    for batch in partition:
        for at, part, sum in cells(batch):
            slices.setdefault(at, []).append((part, sum))
    while slices:
        at, parts = slices.popitem()
        yield batch_of([(at, 0, _beanjar.add_parts(parts, part_bits))], SUMS)


def patterns(partition: Batches, sizes: tuple[int, int]) -> Iterator[pa.RecordBatch]:
    """The different ways in which the votes of one partition fall."""
    found = _beanjar.vote_patterns((votes for batch in partition for (votes,) in cells(batch)), *sizes)
    yield pa.RecordBatch.from_arrays([pa.array([found], pa.binary())], names=["patterns"])


def draw(partition: Batches, sample: tuple[int, int, int]) -> Iterator[pa.RecordBatch]:
    """The tasks of a sample."""
    drawn = (_beanjar.sample_tasks(sample, votes, ids) for batch in partition for votes, ids in cells(batch))
    yield from batches(drawn, DRAWN)


def count(partition: Batches) -> Iterator[pa.RecordBatch]:
    """The rows of a partition: what reading it costs by itself."""
    rows = sum(batch.num_rows for batch in partition)
    yield pa.RecordBatch.from_arrays([pa.array([rows], pa.int64())], names=["rows"])


def texts(ids: bytes) -> pa.StringArray:
    """The ids of a block: how many, their lengths, and their text."""
    count = int(np.frombuffer(ids, "<u8", 1)[0])
    ends = np.zeros(count + 1, np.int32)
    np.cumsum(np.frombuffer(ids, "<u4", count, 8), out=ends[1:])
    return pa.StringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(ids[16 + 4 * count :]))


def read(
    partition: Batches, key: str, shared: Shared, classes: list[str], seed: int, probabilities: bool
) -> Iterator[pa.RecordBatch]:
    """The label of each task."""
    reading = decoded(_beanjar.Reading, key, shared)
    names = pa.array(classes, pa.string())
    for batch in partition:
        for votes, ids in cells(batch):
            given, confidence, tied, rows = reading.answers(votes, ids, seed)
            columns = [texts(ids), names.take(pa.array(given, pa.int32())), pa.array(np.frombuffer(confidence)), pa.array(tied)]
            if probabilities:
                columns += [pa.array(column) for column in np.frombuffer(rows).reshape(-1, len(classes)).T.copy()]
            labels = ["task", "label", "confidence", "tied", *(classes if probabilities else ())]
            yield pa.RecordBatch.from_arrays(columns, names=labels)


def moments(partition: Batches, shared: Shared) -> Iterator[pa.RecordBatch]:
    """The sums of the groups of objects in one partition, whose judgments come group by group and object by object."""
    sums = _beanjar.GroupMoments(shared.value)
    for batch in partition:
        sums.push(pa.Table.from_batches([batch]))
    yield from batches(sums.finish(), MOMENTS)
