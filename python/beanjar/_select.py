"""Which attributes to judge, and how often, within a budget."""

from __future__ import annotations

import json
from html import escape
from typing import Any

import numpy as np

from ._call import Answer, Text, call, given, table_of
from ._estimator import Estimator
from ._frames import Table, is_path, kind
from ._results import Result, bars, html_table, line, sizes
from ._returned import values
from ._texts import Was


class Selection(Result):
    """How often to judge each attribute of a new object, how to weigh the means, and what error to expect."""

    _table = "selection"
    _shown = ("attribute", "judgments", "cost", "weight", "covariance", "noise", "signal")
    _judgments: Any = None
    _labels: Any = None
    _reading: dict[str, Any] = {}

    @property
    def repeats(self) -> dict[str, int]:
        """How often to judge each attribute."""
        return {row["attribute"]: row["judgments"] for row in self._answer.data["selection"]}

    @property
    def path(self) -> Any:
        """A row for each judgment added: what was spent, and the error to expect."""
        return self._frame(self._answer.data["path"])

    @property
    def expected_loss(self) -> float | None:
        """The squared error to expect of new objects: cross-validated where that was possible."""
        data = self._answer.data
        return data["cv_loss"] if data.get("cv_loss") is not None else data["projected_loss"]

    @property
    def upper_bound(self) -> float | None:
        """What no selection of this budget can explain more than."""
        return self._answer.data.get("upper_bound")

    def plan(self, judgments: Any = None, *, objects: Any = None) -> Plan:
        """The judgments still to collect, object by object; of those that this was selected from, or of others.

        ``objects`` are the ids of those to plan for, which may be new: a list, or a table with the ids in its first column.
        """
        judgments = self._judgments if judgments is None else judgments
        options = dict(selection=Text(self.to_json()), objects=objects, **self._reading)
        return Plan(call("plan", judgments, positional={"judgments": judgments}, options=options))

    def fit(self, judgments: Any = None, labels: Any = None, *, predictor: str = "least-squares") -> Predictor:
        """The linear predictor of this selection, fitted to the judgments that this was selected from, or to others."""
        judgments = self._judgments if judgments is None else judgments
        labels = self._labels if labels is None else labels
        name = self._answer.data["label"]["name"]
        options = dict(labels=labels, label=name, selection=Text(self.to_json()), predictor=predictor, **self._reading)
        answer = call("fit", judgments, positional={"judgments": judgments}, options=options)
        return Predictor(answer, self._reading, _classes(labels, self._answer.data["label"]))

    def _title(self) -> str:
        data = self._answer.data
        chosen = ", ".join(f"{name} x {times}" for name, times in self.repeats.items())
        return f"Selection: {chosen or 'nothing'}; spends {data['spent']:g} of {data['budget']:g}"

    def _figure(self) -> str:
        return line(row["projected_loss"] for row in self._answer.data["path"])


class Plan(Result):
    """The judgments still to collect."""

    _table = "plan"
    _shown = ("object", "attribute", "have", "ask")

    def _title(self) -> str:
        return f"Plan: {self._answer.data['ask']} judgments to ask for"

    def _figure(self) -> str:
        return bars(row["ask"] for row in self._answer.data["attributes"])


class Predictor:
    """A fitted predictor: the weighted means of judgments, and a bias. ``to_json()`` is its model file."""

    def __init__(self, answer: Any, reading: dict[str, Any], classes: Was):
        self.model = answer.data
        self.warnings = answer.warnings
        self._reading = reading
        self._classes = classes

    def to_json(self) -> str:
        """The model file that ``beanjar predict`` reads."""
        return json.dumps(self.model, ensure_ascii=False)

    def predict(self, judgments: Any) -> Any:
        """A row for each object: its prediction and the standard error of that, of the kind that came in."""
        return Predictions(self._predicted(judgments)).to_frame()

    def _predicted(self, judgments: Any) -> Answer:
        positional = {"model": Text(self.to_json()), "judgments": judgments}
        answer = call("predict", judgments, positional=positional, options=self._reading)
        answer.types["label"] = self._classes
        return answer

    def __repr__(self) -> str:
        return f"<Predictor of {self.model.get('label')}>"

    def _repr_html_(self) -> str:
        rows = self.model.get("attributes", [])
        figure = sizes(row["weight"] for row in rows)
        return f"<p>{escape(repr(self)[1:-1])}</p>{figure}{html_table(rows[0] if rows else (), rows)}"


def _classes(labels: Any, label: dict[str, Any]) -> Was:
    """The classes as they came in, by their names; nothing of what is no class."""
    names = (label.get("classes") or {}).get("names", [])
    if not names or is_path(labels):
        return Was()
    table = table_of(labels, ("object", "label"))
    return Was(values=dict(zip(names, values(names, kind(table), Table("labels", table).was(label["name"])), strict=True)))


class Predictions(Result):
    """What was predicted of each object."""

    _table = "predictions"


def select(
    judgments: Any,
    labels: Any,
    *,
    budget: float,
    label: str | None = None,
    method: str = "full",
    costs: Any = None,
    at_most: int | None = None,
    always: Any = None,
    never: Any = None,
    ridge: Any = "auto",
    classes: bool = False,
    aggregate: str = "mean",
    noise_factor: Any = None,
    pilot: Any = None,
    bootstrap: int | None = None,
    columns: Any = None,
    seed: int = 0,
    threads: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Selection:
    """Chooses which attributes to judge, and how many times each, within a budget for each object.

    ``judgments`` is a table of object, attribute, worker and value, or of a column for each attribute; ``labels`` a table
    of the object and what to predict (``label`` names it if there are several), or a series by object. ``costs`` is what a
    judgment costs where that is not 1: ``{"height": 4}``, or a table of attribute and cost. ``classes`` says that labels are
    names of classes even if they are numbers. Where others will judge new objects, ``noise_factor`` (a number, or a number
    by attribute) says how many times the noise they have, or ``pilot``, a few judgments by them, shows it. Further options
    are those of ``beanjar select --help``.

    >>> import beanjar
    >>> photos = beanjar.simulate.photos(objects=60, judgments=3)
    >>> selection = beanjar.select(photos.judgments, photos.truth, label="height", budget=10, costs={"height": 4})
    >>> selection.spent <= 10, selection.expected_loss < selection.label["variance"]
    (True, True)
    """
    asked = given(locals(), "judgments", "costs")
    answer = call("select", judgments, positional={"judgments": judgments}, options={**asked, "cost": costs})
    selection = Selection(answer)
    selection._judgments, selection._labels, selection._reading = judgments, labels, dict(columns=columns, **options)
    return selection


class MultiSelector(Estimator):
    """Selects attributes within a budget, and predicts from judgments of them.

    ``fit(judgments, labels)`` finds ``selection_`` and ``predictor_``; ``predict(judgments)`` gives a number (or class)
    for each object, in the order of the objects in the table. Parameters are those of :func:`select`.

    >>> import beanjar
    >>> photos = beanjar.simulate.photos(objects=60, judgments=3)
    >>> selector = beanjar.MultiSelector(budget=6, label="height", at_most=3).fit(photos.judgments, photos.truth)
    >>> max(selector.repeats_.values()) <= 3
    True
    """

    def __init__(
        self,
        budget: float = 30.0,
        *,
        label: str | None = None,
        method: str = "full",
        costs: Any = None,
        at_most: int | None = None,
        ridge: Any = "auto",
        classes: bool = False,
        aggregate: str = "mean",
        noise_factor: Any = None,
        pilot: Any = None,
        predictor: str = "moments",
        columns: Any = None,
        seed: int = 0,
        threads: int | None = None,
    ):
        self.budget = budget
        self.label = label
        self.method = method
        self.costs = costs
        self.at_most = at_most
        self.ridge = ridge
        self.classes = classes
        self.aggregate = aggregate
        self.noise_factor = noise_factor
        self.pilot = pilot
        self.predictor = predictor
        self.columns = columns
        self.seed = seed
        self.threads = threads

    def fit(self, judgments: Any, labels: Any) -> MultiSelector:
        """Selects, and fits the predictor of what was selected."""
        asked = {name: value for name, value in self.get_params().items() if name != "predictor"}
        self.selection_ = select(judgments, labels, **asked)
        self.predictor_ = self.selection_.fit(predictor=self.predictor)
        # What it was fitted on is not needed any more, and may be large.
        self.selection_._judgments = self.selection_._labels = None
        self.repeats_ = self.selection_.repeats
        return self

    def predict_frame(self, judgments: Any) -> Any:
        """A row for each object: its prediction, and the standard error of that."""
        self._check_fitted("predictor_")
        return self.predictor_.predict(judgments)

    def predict(self, judgments: Any) -> np.ndarray:
        """A prediction for each object: a number, or a class where classes were learned."""
        self._check_fitted("predictor_")
        rows = self.predictor_._predicted(judgments).data["predictions"]
        if self.predictor_.model.get("classes") is None:
            return np.array([row["prediction"] for row in rows])
        return np.array(self.predictor_._classes.back([row["label"] for row in rows]))
