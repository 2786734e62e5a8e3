"""Which workers to trust."""

from __future__ import annotations

from typing import Any

from ._aggregate import by_question
from ._call import call, given
from ._results import Result, bars


class Ranking(Result):
    """The workers, best first: what each of them is, and whether to keep them."""

    _table = "workers"
    _shown = ("worker", "labels", "score", "rank", "kept", "verdict", "accuracy", "accuracy_low", "accuracy_high")

    def to_frame(self) -> Any:
        """A row for each worker, best first; with ``truth`` also their labels on those tasks, and the share that is right."""
        compared = lambda row: {f"truth_{name}": row["truth"][name] for name in ("labels", "accuracy")}  # noqa: E731
        rows = [{**row, **compared(row)} if "truth" in row else row for row in self._answer.data["workers"]]
        return self._frame(rows, (*self._shown, "truth_labels", "truth_accuracy"))

    @property
    def workers(self) -> Any:
        """A row for each worker, best first."""
        return self.to_frame()

    @property
    def kept(self) -> list[Any]:
        """The workers to keep, as their ids came in."""
        return self._values("worker", [row["worker"] for row in self._answer.data["workers"] if row["kept"]])

    def _title(self) -> str:
        data = self._answer.data
        return f"Ranking: {len(data['workers'])} workers, keep {data['keep']}"

    def _figure(self) -> str:
        return bars(max(row["accuracy"], 0.0) for row in self._answer.data["workers"])


def rank_workers(
    labels: Any,
    *,
    keep: Any = "auto",
    truth: Any = None,
    by: str | None = None,
    suspicious: bool = False,
    repeats: str = "average",
    columns: Any = None,
    seed: int = 0,
    threads: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Any:
    """Says of each worker what they are (good, weak, random, always the same, contrary, a copy) and whether to keep them.

    ``labels`` is as for :func:`aggregate`; no truth is needed. With ``truth``, labels are compared with true ones. Further
    options are those of ``beanjar workers --help``.

    >>> import beanjar
    >>> crowd = beanjar.simulate.labels(tasks=60, workers=5, votes=5, random=1)
    >>> len(beanjar.rank_workers(crowd.labels).kept)
    4
    """
    options = given(locals(), "labels")
    return by_question(call("workers", labels, positional={"labels": labels}, options=options), Ranking)
