"""Dawid and Skene's model, and that of one coin."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd

from .. import _beanjar
from ._base import Coded, Named, WithProbabilities, check_columns, floats, votes_frame

_EPS = 1e-10


class DawidSkene(WithProbabilities):
    """A matrix of errors for each worker, fitted by EM.

    After ``fit``: ``labels_``, ``probas_``, ``priors_``, ``errors_`` (``errors_.loc[worker, observed_label, true_label]``),
    ``loss_history_``. ``true_labels`` are known labels by task. ``initial_error`` are matrices to begin with (``assign``) or
    to add to those of the votes (``addition``), as ``initial_error_strategy`` says.

    A known label that nobody gave is a class as well; at first its prior is its share of all tasks (crowd-kit takes the share
    of those with a known label). As in crowd-kit, it stops by a bound in which the class prior counts once for each vote and not once for each task; that
    may be early, or late. ``beanjar.DawidSkene`` stops by the likelihood.
    """

    priors_ = Named("prior")
    errors_: pd.DataFrame
    loss_history_: list[float]
    _one_coin = False

    def __init__(
        self,
        n_iter: int = 100,
        tol: float = 1e-5,
        initial_error_strategy: Literal["assign", "addition"] | None = None,
    ):
        self.n_iter = n_iter
        self.tol = tol
        self.initial_error_strategy = initial_error_strategy

    def fit(
        self, data: pd.DataFrame, true_labels: pd.Series | None = None, initial_error: pd.DataFrame | None = None
    ) -> Any:
        """Fits the model to labels: a frame of task, worker and label."""
        check_columns(data)
        if not len(data):
            self.probas_ = pd.DataFrame()
            self.priors_ = pd.Series(dtype=float)
            self.errors_ = pd.DataFrame()
            self.labels_ = pd.Series(dtype=float)
            return self
        # Without a step the table of the majority is given, whose tasks are sorted.
        coded = Coded(data, sort=("label",) if self.n_iter else ("label", "task"))
        gold = self._gold(coded, true_labels)
        start = self._first_errors(coded, gold, initial_error)
        found = _beanjar.dawid_skene(coded.rows(), gold, start, self.n_iter, self.tol, self._one_coin)
        probas, best, priors, errors, pairs, skills, self.loss_history_ = found
        self.probas_ = votes_frame(floats(probas).reshape(-1, len(coded.labels)), coded.tasks, coded.labels)
        self.priors_ = pd.Series(floats(priors), index=coded.labels.rename("label"))
        self.errors_ = _errors_frame(coded, errors, pairs)
        labels = coded.labels.take(np.frombuffer(best, dtype=np.int32))
        self.labels_ = pd.Series(labels.array, index=self.probas_.index, copy=False)
        if self._one_coin:
            self.skills_ = pd.Series(floats(skills), index=coded.workers.rename("worker"))
        return self

    @staticmethod
    def _gold(coded: Coded, true_labels: pd.Series | None) -> bytes | None:
        """Of each task the number of its known label, or -1; known labels that nobody gave are further ones."""
        if true_labels is None:
            return None
        known = pd.Series(coded.tasks).map(true_labels)
        unseen = pd.Index(known.dropna().unique()).difference(coded.labels, sort=False)
        if len(unseen):
            coded.labels = coded.labels.append(unseen)
        return np.asarray(coded.labels.get_indexer(known), dtype=np.int32).tobytes()

    def _first_errors(self, coded: Coded, gold: bytes | None, initial_error: pd.DataFrame | None) -> bytes | None:
        """The matrices to begin with, where some are given."""
        strategy = self.initial_error_strategy
        if strategy is None or initial_error is None:
            return None
        counts = _counts(coded, gold)
        names = list(counts.index.names)
        if list(initial_error.index.names) != names:
            raise ValueError(
                f"The index of initial_error must be: {counts.index.names},but got: {initial_error.index.names}"
            )
        if strategy == "assign":
            there = counts.index.isin(initial_error.index)
            if not there.all():
                absent = counts.index[~there].get_level_values("worker").unique()
                raise ValueError(
                    "All the workers in data should be in initial_error: "
                    f"Can not find {len(absent)} workers' error matrix in initial_error"
                )
            sums = initial_error.groupby("worker", sort=False).sum()
            if (initial_error <= 1.0).all().all() and not np.allclose(sums, 1.0):
                raise ValueError("The sum of each worker's error matrix in initial_error should be 1.0")
            errors = initial_error
        elif strategy == "addition":
            errors = counts.add(initial_error, axis="index", fill_value=0.0)
        else:
            raise ValueError(f"Invalid initial_error_strategy: {strategy},should be 'assign' or 'addition'")
        # Of a class that is only known there may be none.
        errors = _shares(errors.astype(float)).reindex(index=counts.index, columns=counts.columns).fillna(_shares(counts))
        return errors.to_numpy(dtype=np.float64).tobytes()


class OneCoinDawidSkene(DawidSkene):
    """An accuracy for each worker, fitted by EM; also finds ``skills_``. It stops as :class:`DawidSkene` does."""

    skills_ = Named("skill")
    _one_coin = True

    def fit(self, data: pd.DataFrame) -> Any:  # type: ignore[override]
        """Fits the model to labels: a frame of task, worker and label."""
        return super().fit(data)


def _errors_frame(coded: Coded, errors: bytearray, pairs: tuple[bytearray, bytearray]) -> pd.DataFrame:
    """Errors by worker and label, in order of first appearance."""
    workers, labels = (np.frombuffer(numbers, dtype=np.int32) for numbers in pairs)
    index = pd.MultiIndex.from_arrays([coded.workers[workers], coded.labels[labels]], names=["worker", "label"])
    # As crowd-kit has them after its joins with columns that are texts.
    columns = coded.labels.astype(object) if pd.api.types.is_numeric_dtype(coded.labels) else coded.labels
    return pd.DataFrame(floats(errors).reshape(len(workers), -1), index=index, columns=columns.rename(None))


def _shares(errors: pd.DataFrame) -> pd.DataFrame:
    """Of each worker and true label, the share of each label given."""
    errors = errors.clip(lower=_EPS)
    return errors / errors.groupby("worker", sort=False).sum()


def _counts(coded: Coded, gold: bytes | None) -> pd.DataFrame:
    """The expected number of each worker's labels by true label, when the votes' shares are the probabilities."""
    shares = coded.scores()
    shares /= shares.sum(axis=1, keepdims=True)
    if gold is not None:
        known = np.frombuffer(gold, dtype=np.int32)
        shares[known >= 0] = np.eye(len(coded.labels))[known[known >= 0]]
    pairs, first, place = np.unique(
        coded.worker.astype(np.int64) * len(coded.labels) + coded.label, return_index=True, return_inverse=True
    )
    sums = np.zeros((len(pairs), len(coded.labels)))
    np.add.at(sums, place, shares[coded.task])
    order = np.argsort(first)
    workers, labels = np.divmod(pairs[order], len(coded.labels))
    index = pd.MultiIndex.from_arrays([coded.workers[workers], coded.labels[labels]], names=["worker", "label"])
    return pd.DataFrame(sums[order], index=index, columns=coded.labels.rename(None))
