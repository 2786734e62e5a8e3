"""MACE: workers know the label or guess."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .. import _beanjar
from ._base import Coded, WithProbabilities, floats, get_most_probable_labels, votes_frame


class MACE(WithProbabilities):
    """Workers know the label of a task, or guess with habits of their own.

    After ``fit``: ``labels_``, ``probas_``, ``spamming_`` and ``thetas_`` of workers. Two defects of crowd-kit are followed:
    with a number as ``random_state`` all restarts begin alike, so that one is as good as all; and each worker gets the
    habits of the worker who has their place in sorted order, so that results depend on the order of rows.
    ``beanjar.aggregate(method="mace")`` has neither.
    """

    spamming_: np.ndarray
    thetas_: np.ndarray

    def __init__(
        self,
        n_restarts: int = 10,
        n_iter: int = 50,
        method: str = "vb",
        smoothing: float = 0.1,
        default_noise: float = 0.5,
        alpha: float = 0.5,
        beta: float = 0.5,
        random_state: Any = 0,
        verbose: int = 0,
    ):
        self.n_restarts = n_restarts
        self.n_iter = n_iter
        self.method = method
        self.smoothing = smoothing
        self.default_noise = default_noise
        self.alpha = alpha
        self.beta = beta
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, data: pd.DataFrame) -> Any:
        """Fits the model to labels: a frame of task, worker and label."""
        data = data[["worker", "label", "task"]]
        coded = Coded(data)
        workers, labels = len(coded.workers), len(coded.labels)
        self.smoothing_ = 0.01 / labels
        if self.method == "vb":
            self.theta_priors_ = np.tile([float(self.alpha), float(self.beta)], (workers, 1))
            self.strategy_priors_ = np.full((workers, labels), 10.0)
        order = ([int(i) for i in coded.workers.argsort()], [int(i) for i in coded.labels.argsort()])
        priors = (float(self.alpha), float(self.beta)) if self.method == "vb" else None
        best = -np.inf
        # Restarts from one number are all the same.
        restarts = min(self.n_restarts, 1) if isinstance(self.random_state, (int, np.integer)) else self.n_restarts
        for _ in range(restarts):
            start = self._start(workers, 2).tobytes(), self._start(workers, labels).tobytes()
            products, spamming, thetas, likelihood = _beanjar.mace(
                coded.rows(), *start, order, self.n_iter, priors, self.smoothing_
            )
            if likelihood > best:
                best = likelihood
                self.spamming_ = floats(spamming).reshape(workers, 2)
                self.thetas_ = floats(thetas).reshape(workers, labels)
                found = floats(products).reshape(-1, labels)
        with np.errstate(invalid="ignore"):
            self.probas_ = votes_frame(found / found.sum(axis=1, keepdims=True), coded.tasks, coded.labels, name=None)
        self.probas_.index.name = None
        self.labels_ = get_most_probable_labels(self.probas_)
        self.labels_.index.name = "task"
        return self

    def _start(self, rows: int, columns: int) -> np.ndarray:
        random = self.random_state
        random = random if isinstance(random, np.random.RandomState) else np.random.RandomState(random)
        drawn = 1 + (1 + self.default_noise) * random.random_sample((rows, columns))
        return drawn / drawn.sum(axis=1, keepdims=True)
