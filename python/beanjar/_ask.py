"""How many votes are enough, and which to ask for next."""

from __future__ import annotations

from typing import Any

from ._call import call, given
from ._results import Result


class EnoughVotes(Result):
    """Accuracy and agreement with 1, 2, 3, ... votes a task, and what the next vote gains."""

    _table = "curve"

    def _title(self) -> str:
        return f"EnoughVotes: {len(self._answer.data[self._table])} numbers of votes"


class NextVotes(Result):
    """The questions that raise the expected accuracy most."""

    _table = "ask"

    def _title(self) -> str:
        return f"NextVotes: {len(self._answer.data[self._table])} questions"


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
    """Says how many votes a task are enough; further options are those of ``beanjar votes --help``."""
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
    """Says which ``n`` questions to ask next, and whom; further options are those of ``beanjar next --help``."""
    options = {"votes": n, **given(locals(), "labels", "n")}
    return NextVotes(call("next", labels, positional={"labels": labels}, options=options))
