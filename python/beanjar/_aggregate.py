"""The true label of each task, from the labels of several workers."""

from __future__ import annotations

from html import escape
from typing import Any

from ._call import Answer, call, given
from ._results import Result, bars


class Aggregation(Result):
    """The label of each task with its probability, and how good each worker is."""

    _table = "tasks"
    _shown = ("task", "label", "confidence", "tied", "state", "effective_votes")

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
        rows = [{"task": row["task"], **row["probabilities"]} for row in self._answer.data["tasks"]]
        return self._frame(rows, ("task", *self._answer.data["classes"]))

    @property
    def families(self) -> list[list[Any]]:
        """Workers who are copies of one another and vote as one; found by the method ``auto``."""
        return [self._values("worker", family) for family in self._answer.data.get("families", [])]

    @property
    def effective_votes(self) -> float | None:
        """How many independent votes a task's votes are worth, on average; known to the method ``auto``."""
        return self._answer.data.get("chosen", {}).get("effective_votes")

    def _title(self) -> str:
        data = self._answer.data
        return f"Aggregation: {len(data['tasks'])} tasks by {len(data['workers'])} workers, method {data['method']}"

    def _figure(self) -> str:
        counts = [0] * 20
        for row in self._answer.data["tasks"]:
            counts[min(int(20 * row["confidence"]), 19)] += 1
        return bars(counts)


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
    one = lambda data: result(Answer(data, answer.kind, answer.types, answer.warnings, answer.notes))  # noqa: E731
    return Questions({data["question"]: one(data) for data in answer.data["questions"]})
