"""How reliable labels on a cluster are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from .. import _beanjar
from .._call import Answer
from .._inspect import Inspection
from ._partitions import Partitions


def inspect(
    labels: Any,
    *,
    scale: str = "nominal",
    bootstrap: int = 1000,
    columns: Mapping[str, str] | None = None,
    partitions: int | None = None,
    on_driver: int = 1_000_000,
    most_workers: int = 5_000_000,
    seed: int = 0,
) -> Inspection:
    """Reports how reliable labels (task, worker, label) are, as :func:`beanjar.inspect` does, by two sums over all tasks.

    ``labels``, ``columns``, ``partitions``, ``on_driver`` and ``most_workers`` are as in :func:`beanjar.spark.aggregate`.
    Workers come in the order of their ids.
    """
    found = Partitions(
        labels, method="inspect", columns=columns, repeats="all", partitions=partitions, most_workers=most_workers,
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
