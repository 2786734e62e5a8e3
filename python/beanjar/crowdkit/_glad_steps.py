"""The steps of GLAD on frames, for those who build on crowd-kit's; ``fit`` does not need them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ._base import COLUMNS


class GladSteps:
    """A row for each vote and class: ``alpha``, ``beta``, whether the vote is for the class (``delta``), ``posterior``."""

    alphas_: Any
    betas_: Any
    probas_: pd.DataFrame
    _current_data: pd.DataFrame

    def _init(self, data: pd.DataFrame) -> None:
        self.workers_, self.tasks_ = pd.unique(data["worker"]), pd.unique(data["task"])
        self.alphas_, self.betas_ = pd.Series(1.0, index=self.workers_), pd.Series(1.0, index=self.tasks_)
        self.priors_ = self.labels_priors  # type: ignore[attr-defined]
        if self.priors_ is None:
            labels = pd.unique(data["label"])
            self.priors_ = pd.Series(1.0 / len(labels), index=labels)
        self.prior_labels_ = self.priors_.index
        means = (self.alphas_priors_mean, self.betas_priors_mean)  # type: ignore[attr-defined]
        self.alphas_priors_mean_ = pd.Series(1.0, index=self.workers_) if means[0] is None else means[0]
        self.betas_priors_mean_ = pd.Series(1.0, index=self.tasks_) if means[1] is None else means[1]

    def _join_all(self, data: pd.DataFrame, alphas: pd.Series, betas: pd.Series, priors: pd.Series) -> pd.DataFrame:
        data = data[COLUMNS].merge(pd.DataFrame({"variable": list(priors.index)}), how="cross")
        data = data.assign(posterior=0.0, delta=data["label"] == data["variable"])
        return data.assign(alpha=data["worker"].map(alphas), beta=data["task"].map(betas))

    def _scores(self, data: pd.DataFrame) -> np.ndarray:
        """Of each vote and class the log-probability of the vote."""
        x = (data["alpha"] * np.exp(data["beta"])).to_numpy()
        with np.errstate(divide="ignore"):
            wrong = -np.logaddexp(0, x) - np.log(len(self.prior_labels_) - 1)
        return np.where(data["delta"], -np.logaddexp(0, -x), wrong)

    def _e_step(self, data: pd.DataFrame) -> pd.DataFrame:
        scores = data.assign(posterior=self._scores(data)).groupby(["task", "variable"])["posterior"].sum().unstack()
        scores = scores + np.log(self.priors_.reindex(scores.columns))
        scores = np.exp(scores.sub(scores.max(axis=1), axis=0))
        self.probas_ = scores.div(scores.sum(axis=1), axis=0)
        posterior = self.probas_.stack().rename("posterior")
        return data.drop(columns="posterior").join(posterior, on=["task", "variable"])

    def _compute_Q(self, data: pd.DataFrame) -> float:
        """The expected log-probability of votes, abilities and ease."""
        apart = np.concatenate([self.alphas_ - self.alphas_priors_mean_, self.betas_ - self.betas_priors_mean_])
        found = (data["posterior"] * self._scores(data)).sum() - ((apart**2 + np.log(2 * np.pi)) / 2).sum()
        return -np.inf if np.isnan(found) else float(found)

    def _gradient_Q(self, data: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
        strength = np.exp(data["beta"])
        pull = data["posterior"] * (data["delta"] - 1 / (1 + np.exp(-data["alpha"] * strength))) * strength
        of_workers = pull.groupby(data["worker"]).sum() - (self.alphas_ - self.alphas_priors_mean_)
        of_tasks = (pull * data["alpha"]).groupby(data["task"]).sum() - (self.betas_ - self.betas_priors_mean_)
        return of_workers, of_tasks

    def _update_alphas_betas(self, alphas: pd.Series, betas: pd.Series) -> None:
        self.alphas_, self.betas_ = alphas, betas
        data = self._current_data
        self._current_data = data.assign(alpha=data["worker"].map(alphas), beta=data["task"].map(betas))

    def _get_alphas_betas_by_point(self, x: np.ndarray) -> tuple[pd.Series, pd.Series]:
        workers = len(self.workers_)
        alphas = pd.Series(x[:workers], index=pd.Index(self.workers_, name="worker"), name="alpha")
        return alphas, pd.Series(x[workers:], index=pd.Index(self.tasks_, name="task"), name="beta")
