"""How reliable judgments or labels are."""

from __future__ import annotations

from typing import Any

from ._aggregate import Questions, by_question
from ._call import call, given
from ._results import Result, bars


class Inspection(Result):
    """How reliable data are: each attribute or class, and each worker."""

    @property
    def workers(self) -> Any:
        """A row for each worker: how much they gave, and how far they agree with the others."""
        return self._frame(self._answer.data["workers"])

    @property
    def attributes(self) -> Any:
        """Of judgments, a row for each attribute: its noise, signal and reliability."""
        return self._frame(self._answer.data.get("attributes", []))

    @property
    def _table(self) -> str:  # type: ignore[override]
        return "attributes" if "attributes" in self._answer.data else "workers"

    def _title(self) -> str:
        data = self._answer.data
        if "attributes" in data:
            return f"Inspection: {data['objects']} objects, {len(data['attributes'])} attributes"
        alpha = "not known" if data["alpha"] is None else f"{data['alpha']:.3f}"
        return f"Inspection: {data['labels']} labels of {data['tasks']} tasks, alpha {alpha}"

    def _figure(self) -> str:
        return bars(max(row.get("icc") or row.get("agreement") or 0.0, 0.0) for row in self._answer.data[self._table])


def inspect(
    data: Any,
    *,
    labels: Any = None,
    scale: str = "nominal",
    bootstrap: int | None = None,
    columns: Any = None,
    seed: int = 0,
    threads: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Any:
    """Reports how reliable judgments (object, attribute, worker, value) or labels (task, worker, label) are.

    Further options are those of ``beanjar inspect --help``.

    >>> import beanjar
    >>> votes = {"task": [1, 1, 2, 2, 3, 3], "worker": [1, 2] * 3, "label": ["cat", "cat", "dog", "cat", "dog", "dog"]}
    >>> beanjar.inspect(votes)
    <Inspection: 6 labels of 3 tasks, alpha 0.444>
    """
    options = given(locals(), "data")
    return by_question(call("inspect", data, positional={"data": data}, options=options), Inspection)


def krippendorff_alpha(labels: Any, *, scale: str = "nominal", **options: Any) -> Any:
    """Krippendorff's alpha of labels: 1 is full agreement, 0 is what chance gives; none if nobody labelled a task twice.

    Labels of several questions have one each, in a dict by question.

    >>> import beanjar
    >>> votes = {"task": [1, 1, 2, 2, 3, 3], "worker": [1, 2] * 3, "label": ["cat", "cat", "dog", "cat", "dog", "dog"]}
    >>> round(beanjar.krippendorff_alpha(votes), 4)
    0.4444
    """
    found = inspect(labels, scale=scale, kind="labels", **{"bootstrap": 0, **options})
    if isinstance(found, Questions):
        return {question: inspection.alpha for question, inspection in found.items()}
    return found.alpha


def icc(judgments: Any, **options: Any) -> dict[str, float | None]:
    """The reliability of one judgment of each attribute: the share of its variance that is among objects.

    >>> import beanjar
    >>> beanjar.icc({"object": [1, 1, 2, 2], "worker": [1, 2, 1, 2], "height": [3.0, 3.0, 5.0, 5.0]})
    {'height': 1.0}
    """
    rows = inspect(judgments, kind="judgments", **options).to_dict()["attributes"]
    return {row["attribute"]: row["icc"] for row in rows}
