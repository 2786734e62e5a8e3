"""The algorithm of Karger, Oh and Shah."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ._base import BaseClassificationAggregator, Coded

#: Sums beyond this end the rounds, as in crowd-kit.
_MAX = np.float_power(10, 300)


class KOS(BaseClassificationAggregator):
    """Messages between tasks and workers, for two classes.

    As in crowd-kit, messages are not scaled, so that with many labels the rounds end when they get too large.
    ``beanjar.aggregate(method="kos")`` scales them.
    """

    def __init__(self, n_iter: int = 100, random_state: int = 0):
        self.n_iter = n_iter
        self.random_state = random_state

    def fit(self, data: pd.DataFrame) -> Any:
        """Fits the model to labels: a frame of task, worker and label."""
        if not data.size:
            self.labels_ = pd.Series([], dtype="O")
            return self
        if len(data.label.unique()) != 2:
            raise ValueError("KOS aggregation method is for binary classification only.")
        coded = Coded(data, sort=("task",))
        votes = np.where(coded.label == 0, 1.0, -1.0)
        reliabilities = np.random.RandomState(self.random_state).normal(loc=1, scale=1, size=len(votes))
        for _ in range(self.n_iter):
            said = votes * reliabilities
            sums = np.bincount(coded.task, said)[coded.task]
            if (np.abs(sums) > _MAX).any():
                break
            said = votes * (sums - said)
            sums = np.bincount(coded.worker, said)[coded.worker]
            if (np.abs(sums) > _MAX).any():
                break
            reliabilities = sums - said
        signs = np.sign(np.bincount(coded.task, votes * reliabilities))
        labels = coded.labels.to_numpy()[np.where(signs > 0, 0, 1)]
        self.labels_ = pd.Series(labels, index=coded.tasks.rename("task"), dtype=coded.labels.dtype)
        return self
