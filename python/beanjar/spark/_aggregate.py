"""The true label of each task, from labels on a cluster."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from .. import _beanjar
from .._call import Answer
from .._results import Result
from ._executors import Shared
from ._partitions import Partitions


class Aggregation(Result):
    """The label of each task with its probability, as Spark DataFrames; and how good each worker is."""

    _table = "workers"
    _shown = ("worker", "labels", "kept", "accuracy", "accuracy_low", "accuracy_high")

    def __init__(self, answer: Answer, partitions: Partitions, reading: bytes, seed: int):
        super().__init__(answer)
        self._partitions, self._seed = partitions, seed
        self._reading = Shared(partitions.session, reading)

    @property
    def tasks(self) -> Any:
        """A DataFrame of task, label, confidence and tied (whether another label is as probable).

        It is worked out when it is used, from labels that the cluster keeps; see :meth:`unpersist`.
        """
        return self._partitions.answers(self._reading, self._seed, False)

    @property
    def probabilities(self) -> Any:
        """The same with the probability of each class."""
        return self._partitions.answers(self._reading, self._seed, True).drop("label", "confidence", "tied")

    def to_frame(self) -> Any:
        """The same as ``tasks``."""
        return self.tasks

    @property
    def workers(self) -> Any:
        """A row for each worker: how many labels, and the expected share of them that is right, with its interval."""
        return self._frame(self._answer.data["workers"], self._shown)

    @property
    def families(self) -> list[list[str]]:
        """Workers who are copies of one another and vote as one; found by the method ``auto``."""
        return self._answer.data.get("families", [])

    def unpersist(self) -> None:
        """Lets the cluster forget the labels. Tasks that are asked for later are worked out from the first table again."""
        self._partitions.coded.unpersist()

    def _title(self) -> str:
        data = self._answer.data
        return f"Aggregation: {data['task_count']} tasks by {len(data['workers'])} workers, method {data['method']}"


def aggregate(
    labels: Any,
    *,
    method: str = "auto",
    prior: str | Sequence[float] | None = None,
    smoothing: float | None = None,
    iterations: int | None = None,
    repeats: str = "average",
    columns: Mapping[str, str] | None = None,
    partitions: int | None = None,
    on_driver: int = 1_000_000,
    most_workers: int = 5_000_000,
    seed: int = 0,
) -> Aggregation:
    """Finds the true label of each task from the labels of several workers, as :func:`beanjar.aggregate` does.

    ``labels`` is a Spark DataFrame with a row for each label (task, worker, label; found by their usual names, or named in
    ``columns``), or a path to one: Parquet, CSV with a header, or JSON by lines. ``method`` is auto, majority, dawid-skene
    or one-coin; ``prior``, ``smoothing`` and ``iterations`` are as there.

    ``partitions`` is how many partitions to work on, rounded up to a power of two (the result has the same bytes for any).
    Of up to ``on_driver`` labels the driver takes a copy and takes the steps itself, for a pass over a cluster takes longer
    than one over so few; 0 for never. More than ``most_workers`` different workers are refused.
    """
    found = Partitions(
        labels, method=method, columns=columns, repeats=repeats, partitions=partitions, most_workers=most_workers,
        on_driver=on_driver,
    )  # fmt: skip
    given = list(map(float, prior)) if prior is not None and not isinstance(prior, str) else None
    if isinstance(prior, str) and prior not in ("estimated", "uniform"):
        raise ValueError(f"prior is {prior}, and must be estimated, uniform, or a share for each class")
    try:
        reading, text, warned = _beanjar.fit_distributed(
            (method, given, prior == "uniform", smoothing, iterations),
            (found.workers, found.classes, found.labels, found.average),
            seed,
            found.sum,
            found.sample,
        )
    except BaseException:
        found.coded.unpersist()
        raise
    for sentence in warned:
        found.warn(sentence, 2)
    answer = Answer(json.loads(text), "pandas" if find_spec("pandas") else "arrow", {}, found.warnings, [])
    return Aggregation(answer, found, reading, seed)
