"""The true label of each task, from the labels of several workers."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

from ._call import Answer, call, given, parsed
from ._results import MOST, Result, bars
from ._returned import columns_of, frame


class Aggregation(Result):
    """The label of each task with its probability, and how good each worker is."""

    _table = "tasks"
    _shown = ("task", "label", "confidence", "tied", "state", "effective_votes")

    def to_frame(self) -> Any:
        """The table of tasks, of the kind that came in."""
        if (columns := self._columns("table")) is not None:
            return self._framed(columns)
        return self._frame(self._answer.whole()["tasks"], self._shown)

    def _columns(self, table: str) -> dict[str, Any] | None:
        """A table of tasks as it was handed over; none where a result was pickled, or no library is there to read it."""
        return columns_of(getattr(self._answer.tasks[0], table), self._answer.kind) if self._answer.tasks else None

    @property
    def tasks(self) -> Any:
        """A row for each task: its label, how probable that is, and whether another label is as probable."""
        return self.to_frame()

    @property
    def workers(self) -> Any:
        """A row for each worker: how many labels, and the expected share of them that is right, with its interval."""
        return self._frame(self._answer.data["workers"], ("worker", "labels", "kept", "accuracy", "accuracy_low", "accuracy_high"))

    @property
    def probabilities(self) -> Any:
        """A row for each task: the probability of each class."""
        if (columns := self._columns("probabilities")) is None:
            rows = self._answer.whole()["tasks"]
            written = (name for name in self._answer.data["classes"] if any(name in row["probabilities"] for row in rows))
            columns = {"P(task)" if name == "task" else name: [row["probabilities"].get(name) for row in rows] for name in written}
            columns = {"task": [row["task"] for row in rows], **columns}
        # A class may be called worker.
        return frame(columns, self._answer.kind, {name: was for name, was in self._answer.types.items() if name == "task"})

    @property
    def families(self) -> list[list[Any]]:
        """Workers who are copies of one another and vote as one; found by the method ``auto``."""
        return [self._values("worker", family) for family in self._answer.data.get("families", [])]

    @property
    def effective_votes(self) -> float | None:
        """How many independent votes a task's votes are worth, on average; known to the method ``auto``."""
        return self._answer.data.get("chosen", {}).get("effective_votes")

    def _first_rows(self) -> tuple[list[Mapping[str, Any]], int]:
        if not self._answer.tasks:
            return super()._first_rows()
        return parsed(self._answer.tasks[0].json(MOST)), len(self._answer.tasks[0])

    def _title(self) -> str:
        data = self._answer.data
        return f"Aggregation: {self._first_rows()[1]} tasks by {len(data['workers'])} workers, method {data['method']}"

    def _figure(self) -> str:
        if self._answer.tasks:
            confidence = np.frombuffer(self._answer.tasks[0].confidences())
        else:
            confidence = np.array([row["confidence"] for row in self._answer.data["tasks"]])
        return bars(np.bincount(np.minimum(20 * confidence, 19).astype(int), minlength=20).tolist())


class Questions(dict[str, Any]):
    """What was found of each of several questions, by name."""

    def _repr_html_(self) -> str:
        return "".join(f"<h4>{escape(name)}</h4>{result._repr_html_()}" for name, result in self.items())


def aggregate(
    labels: Any,
    *,
    method: str = "auto",
    gold: Any = None,
    truth: Any = None,
    workers: Any = "all",
    weights: Any = None,
    confusion: bool = False,
    repeats: str = "average",
    columns: Any = None,
    seed: int = 0,
    threads: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Any:
    """Finds the true label of each task from the labels of several workers; no truth is needed.

    ``labels`` is a table of task, worker and label, whose columns are found by their usual names (or named in
    ``columns``, as ``{"task": "photo", "worker": "model", "label": "verdict"}``), or the name of a file that the command
    line reads. ``gold`` are known answers (a table of task and label, or a series or dict by task), and ``truth`` answers
    that the result is only compared with. Tasks, workers and labels come back as they came in: numbers as numbers, dates as
    dates. Labels of several questions give a dict of a result for each. Further options are those of ``beanjar aggregate --help``, with underscores for dashes:
    ``prior``, ``smoothing``, ``restarts``, ``iterations``, ``unvoted``, ``missing``, ``order``, ``by``, ``question`` ...

    >>> import beanjar
    >>> votes = {"item": [1, 1, 1, 2, 2], "model": ["a", "b", "c", "a", "b"], "verdict": ["yes", "yes", "no", "no", "no"]}
    >>> result = beanjar.aggregate(votes, method="majority")
    >>> [row["label"] for row in result.to_dict()["tasks"]]
    ['yes', 'no']
    """
    answer = call("aggregate", labels, positional={"labels": labels}, options=given(locals(), "labels"))
    return by_question(answer, Aggregation)


def by_question(answer: Answer, result: type[Result]) -> Any:
    """The result, or one for each question where the labels answer several."""
    if "questions" not in answer.data:
        return result(answer)
    found: dict[str, Any] = {}
    for number, data in enumerate(answer.data["questions"]):
        tasks = answer.tasks[number : number + 1]
        found[data["question"]] = result(Answer(data, answer.kind, answer.types, answer.warnings, answer.notes, tasks))
    return Questions(found)
