"""A sparse classifier from features and the labels of several noisy experts."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._call import BeanjarError, Matrix, Text, call
from ._estimator import Estimator
from ._frames import is_pandas, is_path, is_rows, is_table
from ._texts import coded, text
from ._results import Result, sizes


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

    def _figure(self) -> str:
        return sizes(row["truth"] for row in self._answer.data["features"])


class SparseExperts(Estimator):
    """A sparse classifier from the labels of several noisy experts (Izbicki and Stern, 2014).

    ``fit(X, y)``: ``X`` is a NumPy array, a sparse matrix of SciPy, or a data frame of numbers, one row for each
    unit; ``y`` is a table of task, worker and label (a task is a row of ``X``: its number from 0, or its index in a
    frame of pandas), an array or frame of one row for each unit and one column for each expert (None or NaN where there is
    no label), or a plain array of one label each. ``X`` may also be a table, or a file, whose first column is the unit; of a
    frame of pandas the first column is the unit if it has texts, or the name of a column of ``y``, and the index has no name.

    The penalty is chosen by S, how often held-out labels differ from the prediction. Parameters are those of
    ``beanjar learn --help``.

    >>> import numpy as np
    >>> from beanjar import SparseExperts
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(100, 3))
    >>> right = random.random((100, 4)) < 0.8
    >>> votes = np.where(right, X[:, :1] > 0, X[:, :1] <= 0)
    >>> model = SparseExperts(penalty=2.0).fit(X, votes)
    >>> model.predict([[2.0, 0.0, 0.0], [-2.0, 0.0, 0.0]]).tolist()
    [True, False]
    """

    def __init__(
        self,
        model: str = "experts",
        *,
        penalty: Any = "auto",
        penalty_kind: str = "auto",
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
        model, classes, labels = self.model, None, y
        self._by_unit, self._unit = False, _names(X)[:1]
        if _is_labels(y, X, self.columns):
            self._by_unit = _is_file_or_table(X) or _names_units(X, _names(y))
            features = X if self._by_unit else self._features(X, reset=True, by_index=True)
        else:
            features, labels, classes = self._arrays(X, y)
        # One label each tells nothing of those who gave them.
        plain = classes is not None and len(set(labels["worker"])) == 1
        model = "majority" if plain else model
        experts = model == "experts"
        answer = call(
            "learn",
            X if is_table(X) or is_path(X) else y,
            positional={"features": features},
            options=dict(
                labels=labels, model=model, penalty=self.penalty,
                penalty_kind=self.penalty_kind, penalty_difficulty=self.penalty_difficulty if experts else None,
                restarts=self.restarts if experts else None, asymmetric=self.asymmetric and experts, folds=self.folds,
                holdout=self.holdout, columns=self.columns, seed=self.seed, threads=self.threads, progress=self.progress,
            ),
            warn=not plain,
        )  # fmt: skip
        self.result_ = Learned(answer)
        self._model = json.dumps(answer.data)
        names = answer.data["classes"]
        self.classes_ = np.array(self.result_._values("label", names)) if classes is None else classes(names)
        self.penalty_ = answer.data["penalty"]
        if self._by_unit:
            self.feature_names_in_ = np.array([row["feature"] for row in answer.data["features"]], dtype=object)
            self.n_features_in_ = len(self.feature_names_in_)
        return self

    def _predicted(self, X: Any) -> list[dict[str, Any]]:
        self._check_fitted("result_")
        by_unit = is_path(X) or (self._by_unit and (_is_file_or_table(X) or _names_units(X, self._unit)))
        features = X if by_unit else self._features(X, reset=False)
        positional = {"model": Text(self._model), "features": features}
        return call("predict", X, positional=positional, options=dict(threads=self.threads)).data["predictions"]

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each unit."""
        rows = self._predicted(X)
        places = {name: place for place, name in enumerate(self.result_.classes)}
        return self.classes_[[places[row["label"]] for row in rows]]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class of each unit, in the order of ``classes_``."""
        rows = self._predicted(X)
        names = self.result_.classes
        return np.array([[row["probabilities"][name] for name in names] for row in rows]).reshape(len(rows), len(names))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of units whose predicted class is ``y``, each unit with its weight."""
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(sparse=True),
        )

    def _arrays(self, X: Any, labels: Any) -> tuple[Matrix, dict[str, Any], Any]:
        """Features, the labels as a long table of units by number, and what gives the classes behind texts."""
        features = self._features(X, reset=True, y=labels)
        experts = [str(name) for name in labels.columns] if hasattr(labels, "columns") else None
        given = np.asarray(labels)
        if isinstance(labels, np.ma.MaskedArray) and labels.mask.any():
            given = given.astype(object)
            given[labels.mask] = None
        if given.ndim == 0 or given.shape[0] != len(features.units):
            found = f"{len(features.units)} units, {given.shape} labels"
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {found}")
        if given.ndim == 2 and given.shape[1] == 1:
            _warn_of_a_column()
            given = given.ravel()
        if given.ndim == 1:
            _check_classes(given)
        given = given.reshape(len(given), -1)
        experts = experts or [f"expert {number + 1}" for number in range(given.shape[1])]
        codes, texts, values = coded(given.ravel())
        at = np.nonzero(codes >= 0)[0]
        unit, expert = np.divmod(at, given.shape[1])
        table = {
            "task": [features.units[i] for i in unit],
            "worker": [experts[i] for i in expert],
            "label": [texts[i] for i in codes[at]],
        }
        known = dict(zip(texts, values, strict=True))
        dtype = None if given.dtype == object else given.dtype
        return features, table, lambda names: np.array([known[name] for name in names], dtype=dtype)

    def _features(self, X: Any, reset: bool, y: Any = None, by_index: bool = False) -> Matrix:
        """The rows of an array, a sparse matrix, or a frame, as features; units are named by an index of pandas."""
        ids = None
        if is_pandas(X):
            if by_index and not X.index.is_unique:
                twice = X.index[X.index.duplicated()][0]
                raise ValueError(f"labels are by task, and two rows of X have the index {twice}; each needs one of its own")
            ids = [text(unit) for unit in X.index] if X.index.is_unique else None
        X = _validated(self, X, reset, y)
        rows, columns = X.shape
        ids = ids or [str(row) for row in range(rows)]
        names = [str(name) for name in getattr(self, "feature_names_in_", [f"x{i}" for i in range(columns)])]
        if hasattr(X, "tocsc"):
            X = X.tocsc()
            X.sum_duplicates()
            X.sort_indices()
            return Matrix(ids, names, X.indptr, X.indices, X.data)
        filled = X.T != 0
        starts = np.append(0, np.cumsum(filled.sum(axis=1)))
        if filled.all():
            # Embeddings are large and have no zeros, and then nothing need be looked for.
            return Matrix(ids, names, starts, np.tile(np.arange(rows, dtype=np.int32), columns), X.T.ravel())
        return Matrix(ids, names, starts, np.nonzero(filled)[1], X.T[filled])


def _is_file_or_table(X: Any) -> bool:
    return is_path(X) or (is_table(X) and not is_pandas(X))


def _names(table: Any) -> list[str]:
    """The names of the columns of a table, where it has some."""
    if isinstance(table, Mapping):
        return [str(name) for name in table]
    return [str(name) for name in getattr(table, "column_names", getattr(table, "columns", ()))] if is_table(table) else []


def _names_units(X: Any, names: list[str]) -> bool:
    """Whether the first column of a frame of pandas names the units: it has texts, or one of these names."""
    if not is_pandas(X) or X.ndim != 2 or not len(X.columns) or X.index.name is not None:
        return False
    import pandas as pd

    first = X.iloc[:, 0]
    values = first.cat.categories if isinstance(first.dtype, pd.CategoricalDtype) else first
    return str(X.columns[0]) in names or pd.api.types.infer_dtype(values, skipna=True) == "string"


def _is_labels(labels: Any, X: Any, columns: Any) -> bool:
    """Whether these are labels by task and worker, rather than an array of one row for each unit."""
    if is_path(labels) or isinstance(labels, Mapping) or is_rows(labels):
        return True
    if not is_table(labels) or hasattr(labels, "to_frame") or len(getattr(labels, "columns", ())) < 3:
        return False
    # As long as the features it may be a frame of a column for each expert, in which no column names the task.
    return columns is not None or not hasattr(X, "__len__") or len(labels) != _rows(X) or _has_tasks(labels)


def _rows(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _has_tasks(labels: Any) -> bool:
    first = labels.slice(0, 100) if hasattr(labels, "slice") else labels[:100]
    try:
        call("inspect", first, positional={"labels": first}, options=dict(kind="labels", bootstrap=0, progress=False), warn=False)
    except BeanjarError:
        return False
    return True


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
