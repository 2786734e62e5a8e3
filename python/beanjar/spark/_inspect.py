"""How reliable labels or judgments on a cluster are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from .. import _beanjar, _inspect
from .._call import Answer, BeanjarError
from .._inspect import Inspection
from ._partitions import Partitions, frame_of
from ._rows import collected, rows_of


def inspect(
    data: Any,
    *,
    kind: str | None = None,
    scale: str = "nominal",
    bootstrap: int = 1000,
    columns: Mapping[str, str] | None = None,
    partitions: int | None = None,
    on_driver: int = 1_000_000,
    most_workers: int = 5_000_000,
    most_judgments: int = 5_000_000,
    seed: int = 0,
) -> Inspection:
    """Reports how reliable labels (task, worker, label) or judgments (object, attribute, worker, value) are, as
    :func:`beanjar.inspect` does.

    ``kind`` is ``"labels"`` or ``"judgments"``; without it, a table with columns attribute and value holds judgments. Of labels
    two sums over all tasks are made; ``columns``, ``partitions``, ``on_driver`` and ``most_workers`` are as in
    :func:`beanjar.spark.aggregate`, and workers come in the order of their ids. Judgments are inspected on the driver; of more
    than ``most_judgments`` those of as many objects, drawn by the seed and the objects' ids.
    """
    if kind not in (None, "labels", "judgments"):
        raise BeanjarError(f"kind is {kind}, and must be labels or judgments")
    frame = frame_of(data)
    if kind == "judgments" or (kind is None and {"attribute", "value"} <= {*frame.columns, *(columns or {})}):
        rows = rows_of(frame, columns, ("object", "attribute", "value"), ("worker",))
        return _inspect.inspect(collected(rows, most_judgments, seed), kind="judgments", seed=seed)
    found = Partitions(
        frame, method="inspect", columns=columns, repeats="all", partitions=partitions, most_workers=most_workers,
        on_driver=on_driver,
    )  # fmt: skip
    try:
        text, warned = _beanjar.inspect_distributed(
            (scale, bootstrap), (found.workers, found.classes, found.labels, False), seed, found.sum, found.patterns
        )
    finally:
        found.coded.unpersist()
    for sentence in warned:
        found.warn(sentence, 2)
    return Inspection(Answer(json.loads(text), "pandas" if find_spec("pandas") else "arrow", {}, found.warnings, []))
