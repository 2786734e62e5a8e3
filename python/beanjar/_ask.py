"""How many votes are enough, and which to ask for next."""

from __future__ import annotations

from typing import Any

from ._call import call, given
from ._results import Result, bars, line


class EnoughVotes(Result):
    """Accuracy and agreement with 1, 2, 3, ... votes per task, and what the next vote gains."""

    _table = "curve"

    _shown = ("votes", "accuracy", "accuracy_low", "accuracy_high", "agreement", "gain", "price")

    def to_frame(self) -> Any:
        """A row for each number of votes per task."""
        return self._frame(self._answer.data["curve"])

    def _title(self) -> str:
        data = self._answer.data
        paying = data.get("stops_paying")
        enough = "more votes still pay" if paying is None else f"more than {paying} a task do not pay"
        return f"EnoughVotes: {data['votes_per_task']:.3g} votes per task, accuracy {data['now']['accuracy']:.3f}; {enough}"

    def _figure(self) -> str:
        return line(row["accuracy"] for row in self._answer.data["curve"])


class NextVotes(Result):
    """The questions that raise the expected accuracy most."""

    _table = "ask"

    def _title(self) -> str:
        data = self._answer.data
        return f"NextVotes: {len(data['ask'])} questions, accuracy {data['accuracy']:.3f} before and {data['accuracy_after']:.3f} after"

    def _figure(self) -> str:
        return bars(max(row["gain"], 0.0) for row in self._answer.data["ask"])


def votes(
    labels: Any,
    *,
    target_accuracy: float | None = None,
    cost: float = 1.0,
    gold: Any = None,
    columns: Any = None,
    seed: int = 0,
    threads: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> EnoughVotes:
    """Says how many votes per task are enough: accuracy, agreement and price with 1, 2, 3, ... of them.

    ``gold`` are known answers, ``cost`` is the price of a vote. Further options are those of ``beanjar votes --help``.

    >>> import beanjar
    >>> crowd = beanjar.simulate.labels(tasks=40, workers=6, votes=4)
    >>> beanjar.votes(crowd.labels, most=3).to_frame().column("votes").to_pylist()
    [1, 2, 3]
    """
    options = given(locals(), "labels")
    return EnoughVotes(call("votes", labels, positional={"labels": labels}, options=options))


def next(
    labels: Any,
    n: int = 100,
    *,
    workers: Any = None,
    gold: Any = None,
    columns: Any = None,
    seed: int = 0,
    threads: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> NextVotes:
    """Says which ``n`` questions to ask next, and whom.

    ``workers`` are those who may be asked: a list, or a table of worker and, if you like, limit and cost. Further options
    are those of ``beanjar next --help``.

    >>> import beanjar
    >>> crowd = beanjar.simulate.labels(tasks=40, workers=6, votes=4)
    >>> asked = beanjar.next(crowd.labels, 5, workers=["w1", "w2"]).to_dict()["ask"]
    >>> len(asked), {row["worker"] for row in asked} <= {"w1", "w2"}
    (5, True)
    """
    options = {"votes": n, **given(locals(), "labels", "n")}
    return NextVotes(call("next", labels, positional={"labels": labels}, options=options))
