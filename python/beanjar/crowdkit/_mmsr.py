"""M-MSR: skills by a robust fit of a matrix of rank one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .. import _beanjar
from ._base import COLUMNS, BaseClassificationAggregator, Coded, Named, floats
from ._votes import MajorityVote


class MMSR(BaseClassificationAggregator):
    """Skills from how often pairs of workers agree, and votes weighted by them.

    After ``fit``: ``skills_`` (logarithms of odds) and ``loss_history_``; after ``predict``: ``labels_`` and ``scores_``. As
    in crowd-kit, where a worker has fewer than two co-workers only the largest of what the others imply is taken.
    """

    skills_ = Named("skill")
    scores_: pd.DataFrame
    loss_history_: list[float]

    def __init__(self, n_iter: int = 10000, tol: float = 1e-10, random_state: int | None = 0):
        self.n_iter = n_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, data: pd.DataFrame) -> Any:
        """Finds the workers' skills."""
        coded = Coded(data[COLUMNS])
        start = np.random.RandomState(self.random_state).random_sample(len(coded.workers))
        accuracies, self.loss_history_ = _beanjar.mmsr(coded.rows(), start.tobytes(), self.n_iter, self.tol)
        right = floats(accuracies)
        with np.errstate(divide="ignore", invalid="ignore"):
            skills = np.log(right * (len(coded.labels) - 1) / (1 - right))
        self.skills_ = pd.Series(skills, index=coded.workers.rename("worker"))
        return self

    def _apply(self, data: pd.DataFrame) -> Any:
        votes = MajorityVote().fit(data, skills=self.skills_)
        self.labels_, self.scores_ = votes.labels_, votes.probas_
        return self

    def predict(self, data: pd.DataFrame) -> pd.Series:
        """The label of each task."""
        return self._apply(data).labels_

    def predict_score(self, data: pd.DataFrame) -> pd.DataFrame:
        """The weight of each label of each task."""
        return self._apply(data).scores_

    def fit_predict(self, data: pd.DataFrame) -> pd.Series:  # type: ignore[override]
        """Fits, and gives the label of each task."""
        return self.fit(data).predict(data)

    def fit_predict_score(self, data: pd.DataFrame) -> pd.DataFrame:
        """Fits, and gives the weight of each label of each task."""
        return self.fit(data).predict_score(data)
