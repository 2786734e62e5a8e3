"""What the classes share: votes as numbers, names of series, accuracies."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import numpy as np
import pandas as pd

from .. import _beanjar
from .._estimator import Estimator

COLUMNS = ["task", "worker", "label"]

_MANY = 100_000


class Named:
    """A series that always has the same name."""

    def __init__(self, name: str):
        self.series_name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self.attribute = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        try:
            return instance.__dict__[self.attribute]
        except KeyError:
            raise AttributeError(f"'{type(instance).__name__}' object has no attribute '{self.attribute}'") from None

    def __set__(self, instance: Any, series: Any) -> None:
        series.name = self.series_name
        instance.__dict__[self.attribute] = series


class BaseClassificationAggregator(Estimator):
    """``fit(data)`` finds ``labels_``: a series of labels by task, named agg_label."""

    labels_ = Named("agg_label")

    def fit(self, data: pd.DataFrame) -> Any:
        """Fits the model to labels: a frame of task, worker and label."""
        raise NotImplementedError

    def fit_predict(self, data: pd.DataFrame, *args: Any, **kwargs: Any) -> pd.Series:
        """Fits, and gives the label of each task."""
        self.fit(data, *args, **kwargs)
        return self.labels_

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _same(vars(self), vars(other))

    __hash__ = None  # type: ignore[assignment]


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    if one.keys() != other.keys():
        return False
    equal = lambda a, b: a.equals(b) if hasattr(a, "equals") else np.array_equal(a, b)  # noqa: E731
    return all(equal(value, other[name]) for name, value in one.items())


class WithProbabilities(BaseClassificationAggregator):
    """Also finds ``probas_``: a frame of the probability of each label by task."""

    probas_: pd.DataFrame

    def fit_predict_proba(self, data: pd.DataFrame, *args: Any, **kwargs: Any) -> pd.DataFrame:
        """Fits, and gives the probability of each label of each task."""
        self.fit(data, *args, **kwargs)
        return self.probas_


class Coded:
    """Votes as numbers of tasks, workers and labels; rows with something missing are left out."""

    def __init__(self, data: pd.DataFrame, sort: tuple[str, ...] = ()):
        factorize = lambda name: _factorize(data[name], name in sort)  # noqa: E731
        # Values are numbered without the interpreter's lock; a few do not make up for the threads.
        with ThreadPoolExecutor(len(COLUMNS)) if len(data) > _MANY else nullcontext() as pool:
            found = dict(zip(COLUMNS, (pool.map if pool else map)(factorize, COLUMNS), strict=True))
        self.tasks, self.workers, self.labels = (entries for _, entries in found.values())
        self.task, self.worker, self.label = (codes for codes, _ in found.values())
        missing = [codes < 0 for codes, _ in found.values() if codes.min(initial=0) < 0]
        if missing:
            complete = ~np.logical_or.reduce(missing)
            self.task, self.worker, self.label = (codes[complete] for codes, _ in found.values())

    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, int, int]:
        """As the binding takes them."""
        codes = (np.ascontiguousarray(codes, dtype=np.int32) for codes in (self.task, self.worker, self.label))
        return (*codes, len(self.tasks), len(self.workers), len(self.labels))  # type: ignore[return-value]

    def scores(self, weights: np.ndarray | None = None) -> np.ndarray:
        """The votes, or the sums of their weights, of each label of each task."""
        cells = self.task.astype(np.int64) * len(self.labels) + self.label
        sums = np.bincount(cells, weights=weights, minlength=len(self.tasks) * len(self.labels))
        return sums.reshape(len(self.tasks), len(self.labels)).astype(float)

    def single(self) -> np.ndarray:
        """The first row of each task, worker and label."""
        keys = (self.task.astype(np.int64) * len(self.workers) + self.worker) * len(self.labels) + self.label
        unique, first = np.unique(keys, return_index=True)
        return slice(None) if len(unique) == len(keys) else np.sort(first)  # type: ignore[return-value]

    def accuracy(self, labels: np.ndarray, rows: Any) -> np.ndarray:
        """The share of each worker's rows that have the label of the task."""
        worker = self.worker[rows]
        right = labels[self.task[rows]] == self.label[rows]
        return np.bincount(worker, right, len(self.workers)) / np.bincount(worker, minlength=len(self.workers))


def _factorize(column: pd.Series, sort: bool) -> tuple[np.ndarray, pd.Index]:
    """The numbers of a column's values, -1 for a missing one, and the values: in order of appearance, or sorted."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iub":
        codes, entries = _integers(column)
    elif isinstance(column.dtype, pd.StringDtype) and column.dtype.storage == "pyarrow":
        codes, entries = _texts(column)
    else:
        codes, entries = _others(column)
    if sort and not entries.is_monotonic_increasing:
        try:
            order = entries.argsort()
        except TypeError:
            return codes, entries
        # One more place, which is where -1 points.
        place = np.full(len(order) + 1, -1, dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        return place[codes], entries[order]
    return codes, entries


def _integers(column: pd.Series) -> tuple[np.ndarray, pd.Index]:
    values = column.to_numpy()
    # In one piece and aligned. Unsigned ones above the largest signed one turn negative and back.
    codes, entries = _beanjar.codes(np.require(values, np.int64, "CA"))
    return np.frombuffer(codes, dtype=np.int32), pd.Index(np.frombuffer(entries, dtype=np.int64).astype(values.dtype))


def _texts(column: pd.Series) -> tuple[np.ndarray, pd.Index]:
    import pyarrow as pa

    texts = pa.array(column.array)
    encoded = (texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts).dictionary_encode()
    entries = pd.Index(pd.array(encoded.dictionary, dtype=column.dtype))
    return encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False), entries


def _others(column: pd.Series) -> tuple[np.ndarray, pd.Index]:
    codes, entries = pd.factorize(column, sort=False)
    if isinstance(entries, pd.CategoricalIndex):
        entries = pd.Index(entries.astype(entries.categories.dtype))
    return codes.astype(np.int32), entries if isinstance(entries, pd.Index) else pd.Index(entries)


def votes_frame(values: np.ndarray, tasks: pd.Index, labels: pd.Index, name: str | None = "label") -> pd.DataFrame:
    """A frame by task and label."""
    return pd.DataFrame(values, index=tasks.rename("task"), columns=labels.rename(name), copy=False)


def floats(numbers: bytearray) -> np.ndarray:
    """Numbers from the binding."""
    return np.frombuffer(numbers, dtype=np.float64)


def check_columns(data: pd.DataFrame) -> None:
    """A KeyError of pandas where a column is missing, without copying the table."""
    data.iloc[:0][COLUMNS]


def get_most_probable_labels(proba: pd.DataFrame) -> pd.Series:
    """The most probable label of each task; the first of equals."""
    if not proba.size:
        return pd.Series([], dtype="O")
    return pd.Series(proba.columns.to_numpy()[proba.to_numpy().argmax(axis=1)], index=proba.index, dtype=proba.columns.dtype)


def normalize_rows(scores: pd.DataFrame) -> pd.DataFrame:
    """Rows of scores as rows of sum one."""
    return scores.div(scores.sum(axis=1), axis=0)


def get_accuracy(data: pd.DataFrame, true_labels: pd.Series, by: str | None = None) -> Any:
    """The share of answers that are the true label: of all, or ``by`` worker, task or true_label.

    Repeated answers count once. A task may have several true labels, of which an answer may be any.
    """
    data = data[[*COLUMNS, "weight"]] if "weight" in data.columns else data[COLUMNS].assign(weight=1)
    truth = pd.Series(true_labels, name="true_label")
    if truth.index.is_unique:
        data = data.assign(true_label=data["task"].map(truth))
    else:
        data = data.join(truth, on="task")
    data = data[data["true_label"].notna()]
    data = data.assign(score=data["weight"] * (data["label"].to_numpy() == data["true_label"].to_numpy()))
    data = data.sort_values("score").drop_duplicates(COLUMNS, keep="last")
    if by is None:
        return data["score"].sum() / data["weight"].sum()
    groups = data.groupby(by)
    return groups["score"].sum() / groups["weight"].sum()


def clone_aggregator(aggregator: BaseClassificationAggregator) -> BaseClassificationAggregator:
    """A new one with the same parameters, which has not been fitted."""
    assert isinstance(aggregator, BaseClassificationAggregator), "Can't clone object that is not inherit BaseClassificationAggregator"
    return type(aggregator)(**aggregator.get_params())
