"""A sparse classifier from features and the labels of several noisy experts."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np

from ._call import Matrix, Text, call
from ._estimator import Estimator
from ._frames import is_pandas, is_path, is_table, missing, text
from ._results import Result


class Learned(Result):
    """What was learned: coefficients, experts, and how S depends on the penalty."""

    _table = "features"

    @property
    def experts(self) -> Any:
        """A row for each expert: their skill, and how often they are right."""
        return self._frame(self._answer.data.get("experts", []))

    @property
    def path(self) -> Any:
        """A row for each penalty that was tried."""
        return self._frame(self._answer.data["path"])

    def _title(self) -> str:
        return f"Learned: {len(self._answer.data['features'])} features, penalty {self._answer.data['penalty']:.4g}"


class SparseExperts(Estimator):
    """A sparse classifier from the labels of several noisy experts (Izbicki and Stern, 2014).

    ``fit(X, y)``: ``X`` is a NumPy array, a sparse matrix of SciPy, or a data frame of numbers, one row for each
    unit; ``y`` is a table of task, worker and label (a task is a row of ``X``: its number from 0, or its index in a
    frame of pandas), an array of one row for each unit and one column for each expert (None or NaN where there is no
    label), or a plain array of one label each. ``X`` may also be a table, or a file, whose first column is the unit.

    The penalty is chosen by S, how often held-out labels differ from the prediction. Parameters are those of
    ``beanjar learn --help``.
    """

    def __init__(
        self,
        model: str = "experts",
        *,
        penalty: Any = "auto",
        penalty_kind: str = "l1",
        penalty_difficulty: float | None = None,
        restarts: int | None = None,
        asymmetric: bool = False,
        folds: int | None = None,
        holdout: float | None = None,
        columns: Any = None,
        seed: int = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ):
        self.model = model
        self.penalty = penalty
        self.penalty_kind = penalty_kind
        self.penalty_difficulty = penalty_difficulty
        self.restarts = restarts
        self.asymmetric = asymmetric
        self.folds = folds
        self.holdout = holdout
        self.columns = columns
        self.seed = seed
        self.threads = threads
        self.progress = progress

    def fit(self, X: Any, y: Any) -> SparseExperts:
        """Learns from ``y``, the labels of units with features ``X``."""
        if y is None:
            raise ValueError("SparseExperts requires y to be passed, but the target y is None.")
        model, originals, labels = self.model, {}, y
        if _is_labels(labels):
            features = X if _is_file_or_table(X) else self._features(X, reset=True)
        else:
            features, labels, originals = self._arrays(X, labels)
            # One label each tells nothing of those who gave them.
            model = "majority" if labels is not None and len(set(labels["worker"])) == 1 else model
        experts = model == "experts"
        answer = call(
            "learn",
            X,
            positional={"features": features},
            options=dict(
                labels=labels, model=model, penalty=self.penalty,
                penalty_kind=self.penalty_kind, penalty_difficulty=self.penalty_difficulty if experts else None,
                restarts=self.restarts if experts else None, asymmetric=self.asymmetric and experts, folds=self.folds,
                holdout=self.holdout, columns=self.columns, seed=self.seed, threads=self.threads, progress=self.progress,
            ),
        )  # fmt: skip
        self.result_ = Learned(answer)
        self._model = json.dumps(answer.data)
        names = answer.data["classes"]
        self.classes_ = np.array([originals.get(name, name) for name in names])
        self.penalty_ = answer.data["penalty"]
        return self

    def _predicted(self, X: Any) -> list[dict[str, Any]]:
        self._check_fitted("result_")
        features = X if _is_file_or_table(X) else self._features(X, reset=False)
        positional = {"model": Text(self._model), "features": features}
        return call("predict", X, positional=positional, options=dict(threads=self.threads)).data["predictions"]

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each unit."""
        originals = dict(zip(json.loads(self._model)["classes"], self.classes_, strict=True)) if hasattr(self, "_model") else {}
        return np.array([originals[row["label"]] for row in self._predicted(X)], dtype=getattr(self, "classes_", np.array([])).dtype)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class of each unit, in the order of ``classes_``."""
        rows = self._predicted(X)
        names = json.loads(self._model)["classes"]
        return np.array([[row["probabilities"][name] for name in names] for row in rows]).reshape(len(rows), len(names))

    def score(self, X: Any, y: Any) -> float:
        """The share of units whose predicted class is ``y``."""
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(sparse=True),
        )

    def _arrays(self, X: Any, labels: Any) -> tuple[Any, dict[str, list[str]], dict[str, Any]]:
        """Features, the labels of units by number as a long table, and the class behind each of their texts."""
        features = self._features(X, reset=True, y=labels)
        given = np.asarray(labels)
        if given.ndim == 0 or given.shape[0] != len(features.units):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {len(features.units)} units, {given.shape} labels")
        if given.ndim == 2 and given.shape[1] == 1:
            _warn_of_a_column()
            given = given.ravel()
        if given.ndim == 1:
            _check_classes(given)
        given = given.reshape(len(given), -1)
        table: dict[str, list[str]] = {"task": [], "worker": [], "label": []}
        originals: dict[str, Any] = {}
        for row, unit in enumerate(features.units):
            for expert, value in enumerate(given[row]):
                if missing(value):
                    continue
                originals.setdefault(text(value), value)
                table["task"].append(unit)
                table["worker"].append(f"expert {expert + 1}")
                table["label"].append(text(value))
        return features, table, originals

    def _features(self, X: Any, reset: bool, y: Any = None) -> Matrix:
        """The rows of an array, a sparse matrix, or a frame of pandas, as features."""
        ids = [text(unit) for unit in X.index] if is_pandas(X) else None
        X = _validated(self, X, reset, y)
        rows, columns = X.shape
        names = [str(name) for name in getattr(self, "feature_names_in_", [f"x{i}" for i in range(columns)])]
        if hasattr(X, "tocsc"):
            X = X.tocsc()
            X.sum_duplicates()
            X.sort_indices()
            return Matrix(ids or [str(row) for row in range(rows)], names, X.indptr, X.indices, X.data)
        at, units = np.nonzero(X.T)
        starts = np.searchsorted(at, np.arange(columns + 1))
        return Matrix(ids or [str(row) for row in range(rows)], names, starts, units, X.T[at, units])


def _is_file_or_table(X: Any) -> bool:
    return is_path(X) or (is_table(X) and not is_pandas(X))


def _is_labels(labels: Any) -> bool:
    """Whether these are labels by task and worker, rather than an array of one row for each unit."""
    if is_path(labels) or isinstance(labels, dict):
        return True
    return is_table(labels) and not hasattr(labels, "to_frame") and len(getattr(labels, "columns", ())) >= 3


def _warn_of_a_column() -> None:
    try:
        from sklearn.exceptions import DataConversionWarning as kind
    except ImportError:
        kind = UserWarning
    warnings.warn("A column-vector y was passed when a 1d array was expected.", kind, stacklevel=4)


def _check_classes(y: np.ndarray) -> None:
    try:
        from sklearn.utils.multiclass import check_classification_targets
    except ImportError:
        return
    check_classification_targets(y)


def _validated(estimator: Any, X: Any, reset: bool, y: Any) -> Any:
    """The features as a matrix of numbers, checked as scikit-learn does, or without it as far as need be."""
    try:
        from sklearn.utils.validation import check_consistent_length, validate_data
    except ImportError:
        if is_pandas(X) and reset:
            estimator.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
        X = X if hasattr(X, "tocsc") else np.asarray(X, dtype=float)
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead. Reshape your data.") from None
        if not np.isfinite(X.data if hasattr(X, "tocsc") else X).all():
            raise ValueError("Input X contains NaN or infinity.") from None
        if reset:
            estimator.n_features_in_ = X.shape[1]
        elif X.shape[1] != estimator.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input."
            ) from None
        return X
    X = validate_data(estimator, X, reset=reset, accept_sparse=["csc", "csr"], dtype=np.float64)
    if y is not None:
        check_consistent_length(X, y)
    return X
