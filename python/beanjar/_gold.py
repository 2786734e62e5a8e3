"""Which tasks to have checked by someone who knows."""

from __future__ import annotations

from typing import Any

from ._call import call, given
from ._results import Result, bars


class Suggestion(Result):
    """The tasks to have checked."""

    _table = "tasks"

    def _title(self) -> str:
        return f"Suggestion: {len(self._answer.data['tasks'])} tasks to have checked"

    def _figure(self) -> str:
        return bars(row["confidence"] for row in self._answer.data["tasks"])


def gold(
    labels: Any,
    n: int = 50,
    *,
    gold: Any = None,
    columns: Any = None,
    seed: int = 0,
    threads: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Suggestion:
    """Suggests ``n`` tasks to have checked by someone who knows, for ``aggregate(labels, gold=...)``.

    ``gold`` are answers that are known already. Further options are those of ``beanjar gold --help``.

    >>> import beanjar
    >>> crowd = beanjar.simulate.labels(tasks=40, workers=6, votes=4)
    >>> len(beanjar.gold(crowd.labels, 7).to_dict()["tasks"])
    7
    """
    options = given(locals(), "labels")
    return Suggestion(call("gold", labels, positional={"labels": labels}, options=options))
