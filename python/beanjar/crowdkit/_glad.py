"""GLAD: abilities of workers and difficulties of tasks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .. import _beanjar
from .._call import Bar
from ._base import Coded, Named, WithProbabilities, floats, get_most_probable_labels
from ._glad_steps import GladSteps


class GLAD(GladSteps, WithProbabilities):
    """Abilities of workers and difficulties of tasks, fitted by EM with conjugate gradients.

    After ``fit``: ``labels_``, ``probas_``, ``alphas_`` of workers, ``betas_`` of tasks, ``loss_history_``. As in crowd-kit,
    ``probas_`` are those before the last step of ``alphas_`` and ``betas_``, and it stops by the expected log-likelihood
    without the entropy of the classes. ``beanjar.aggregate(method="glad")`` stops by the likelihood.
    """

    alphas_ = Named("alpha")
    betas_ = Named("beta")
    loss_history_: list[float]

    def __init__(
        self,
        n_iter: int = 100,
        tol: float = 1e-5,
        silent: bool = True,
        labels_priors: pd.Series | None = None,
        alphas_priors_mean: pd.Series | None = None,
        betas_priors_mean: pd.Series | None = None,
        m_step_max_iter: int = 25,
        m_step_tol: float = 1e-2,
    ):
        self.n_iter = n_iter
        self.tol = tol
        self.silent = silent
        self.labels_priors = labels_priors
        self.alphas_priors_mean = alphas_priors_mean
        self.betas_priors_mean = betas_priors_mean
        self.m_step_max_iter = m_step_max_iter
        self.m_step_tol = m_step_tol

    def fit(self, data: pd.DataFrame) -> Any:
        """Fits the model to labels: a frame of task, worker and label."""
        data = data.filter(["task", "worker", "label"])
        self._init(data)
        coded = Coded(data)
        # Labels are those of the prior, in its order.
        coded.label = self.prior_labels_.get_indexer(coded.labels)[coded.label]
        coded.labels = self.prior_labels_
        means = _centres(self.alphas_priors_mean_, coded.workers), _centres(self.betas_priors_mean_, coded.tasks)
        with Bar(not self.silent) as bar:
            probas, alphas, betas, self.loss_history_ = _beanjar.glad(
                coded.rows(), [float(p) for p in self.priors_], *means, self.n_iter, self.tol,
                self.m_step_max_iter, self.m_step_tol, bar.show,
            )  # fmt: skip
        frame = pd.DataFrame(floats(probas).reshape(-1, len(coded.labels)), index=coded.tasks.rename("task"), columns=coded.labels)
        self.probas_ = frame.sort_index(axis=0).sort_index(axis=1).rename_axis(columns="variable")
        self.alphas_ = pd.Series(floats(alphas), index=coded.workers.rename("worker"))
        self.betas_ = pd.Series(floats(betas), index=coded.tasks.rename("task"))
        self.labels_ = get_most_probable_labels(self.probas_)
        return self


def _centres(means: pd.Series, index: pd.Index) -> bytes:
    return means.reindex(index).to_numpy(dtype=np.float64).tobytes()
