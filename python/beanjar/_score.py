"""Models compared by noisy labels alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._call import call, given, table_of
from ._frames import is_path, is_table
from ._results import Result, bars


class Scores(Result):
    """The models, best first, by how often labels differ from their predictions."""

    _table = "models"
    _shown = ("name", "surrogate", "se", "risk", "difference", "difference_se", "units", "missing")

    @property
    def best(self) -> str:
        """The model with the smallest S."""
        return self._answer.data["models"][0]["name"]

    def _title(self) -> str:
        return f"Scores: {len(self._answer.data['models'])} models, best {self.best}"

    def _figure(self) -> str:
        return bars(row["surrogate"] for row in self._answer.data["models"])


def score(
    predictions: Any,
    labels: Any,
    *,
    gold: Any = None,
    columns: Any = None,
    seed: int = 0,
    threads: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Scores:
    """Compares predictions by the noisy labels of several experts: which model to believe when no truth is at hand.

    ``predictions`` is a table of task and label for each model, by name: ``{"small": small, "large": large}``; or a
    single table. A series or dict of labels by task is a table as well. Further options are those of ``beanjar score --help``.

    >>> import beanjar
    >>> votes = {"task": [1, 1, 2, 2], "worker": ["a", "b"] * 2, "label": ["x", "x", "y", "x"]}
    >>> models = {"good": {"task": [1, 2], "label": ["x", "y"]}, "bad": {"task": [1, 2], "label": ["y", "y"]}}
    >>> beanjar.score(models, votes).best
    'good'
    """
    options = given(locals(), "predictions")
    several = isinstance(predictions, Mapping) and all(_is_predictions(table) for table in predictions.values())
    models = {str(name): table for name, table in predictions.items()} if several else {"predictions": predictions}
    models = {name: table_of(table, ("task", "label")) for name, table in models.items()}
    main = next(iter(models.values()), None)
    return Scores(call("score", main, positional=models, options=options))


def _is_predictions(table: Any) -> bool:
    return is_table(table) or is_path(table) or isinstance(table, Mapping)
