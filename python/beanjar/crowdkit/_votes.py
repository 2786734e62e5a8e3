"""Plain and weighted votes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ._base import COLUMNS, Coded, Named, WithProbabilities, get_accuracy, get_most_probable_labels, votes_frame
from ._utils import add_skills_to_data


class MajorityVote(WithProbabilities):
    """The label with the most votes, or with the largest sum of the workers' ``skills``.

    Of equals the first in sorted order. Workers without a skill are an error, are ignored, or have ``default_skill``, as
    ``on_missing_skill`` says (error, ignore, value). After ``fit``: ``labels_``, ``probas_``, ``skills_``.
    """

    skills_ = Named("skill")

    def __init__(self, default_skill: float | None = None, on_missing_skill: str = "error"):
        self.default_skill = default_skill
        self.on_missing_skill = on_missing_skill

    def fit(self, data: pd.DataFrame, skills: pd.Series | None = None) -> MajorityVote:
        """Counts the votes, each by its worker's skill if skills are given."""
        data = data[COLUMNS]
        weights = None
        if skills is not None:
            data = add_skills_to_data(data, skills, self.on_missing_skill, self.default_skill)
            data = data[data[COLUMNS].notna().all(axis=1)]
            weights = data["skill"].to_numpy(dtype=float)
        if not len(data):
            self.probas_ = pd.DataFrame(index=pd.Index([], name="task"), columns=pd.Index([], name="label"), dtype=float)
            self.labels_ = pd.Series([], dtype="O")
            self.skills_ = pd.Series([], dtype=float, index=pd.Index([], name="worker"))
            return self
        coded = Coded(data, sort=("task", "worker", "label"))
        scores = coded.scores(weights)
        self.probas_ = votes_frame(scores / scores.sum(axis=1, keepdims=True), coded.tasks, coded.labels)
        self.labels_ = get_most_probable_labels(self.probas_)
        found = self.probas_.to_numpy().argmax(axis=1)
        self.skills_ = pd.Series(coded.accuracy(found, coded.single()), index=coded.workers.rename("worker"))
        return self


class _BySkill(WithProbabilities):
    """Votes weighted by skills that ``fit`` finds; ``predict`` may be of other tasks by the same workers."""

    skills_ = Named("skill")

    def _apply(self, data: pd.DataFrame) -> Any:
        self._check_fitted("skills_")
        votes = MajorityVote().fit(data, skills=self.skills_)
        self.probas_, self.labels_ = votes.probas_, votes.labels_
        return self

    def predict(self, data: pd.DataFrame) -> pd.Series:
        """The label of each task."""
        return self._apply(data).labels_

    def predict_proba(self, data: pd.DataFrame) -> pd.DataFrame:
        """The share of each label of each task in the sum of skills."""
        return self._apply(data).probas_

    def fit_predict(self, data: pd.DataFrame, *args: Any, **kwargs: Any) -> pd.Series:
        """Fits, and gives the label of each task."""
        return self.fit(data, *args, **kwargs).predict(data)

    def fit_predict_proba(self, data: pd.DataFrame, *args: Any, **kwargs: Any) -> pd.DataFrame:
        """Fits, and gives the share of each label of each task."""
        return self.fit(data, *args, **kwargs).predict_proba(data)


class Wawa(_BySkill):
    """Worker agreement with aggregate: a worker's skill is the share of their answers that the majority gave."""

    def __init__(self) -> None:
        pass

    def fit(self, data: pd.DataFrame) -> Wawa:
        """Finds ``skills_``."""
        self.skills_ = MajorityVote().fit(data[COLUMNS]).skills_
        return self


class GoldMajorityVote(_BySkill):
    """A worker's skill is the share of their answers to tasks with a known label that are right."""

    def __init__(self) -> None:
        pass

    def fit(self, data: pd.DataFrame, true_labels: pd.Series) -> GoldMajorityVote:  # type: ignore[override]
        """Finds ``skills_``; ``true_labels`` are known labels by task."""
        self.skills_ = get_accuracy(data[COLUMNS], true_labels=true_labels, by="worker")
        return self


class ZeroBasedSkill(_BySkill):
    """Skills that are learned from the skill-weighted majority, step by step."""

    def __init__(
        self,
        n_iter: int = 100,
        lr_init: float = 1.0,
        lr_steps_to_reduce: int = 20,
        lr_reduce_factor: float = 0.5,
        eps: float = 1e-5,
    ):
        self.n_iter = n_iter
        self.lr_init = lr_init
        self.lr_steps_to_reduce = lr_steps_to_reduce
        self.lr_reduce_factor = lr_reduce_factor
        self.eps = eps

    def fit(self, data: pd.DataFrame) -> ZeroBasedSkill:
        """Finds ``skills_``."""
        coded = Coded(data[COLUMNS], sort=("task", "worker", "label"))
        if not len(coded.task):
            self.skills_ = pd.Series([], dtype=float, index=pd.Index([], name="worker"))
            return self
        rows = coded.single()
        skills = np.full(len(coded.workers), 1 / len(coded.labels) + self.eps)
        rate = self.lr_init
        for iteration in range(1, self.n_iter + 1):
            if iteration % self.lr_steps_to_reduce == 0:
                rate *= self.lr_reduce_factor
            labels = coded.scores(skills[coded.worker]).argmax(axis=1)
            skills = skills + rate * (coded.accuracy(labels, rows) - skills)
        self.skills_ = pd.Series(skills, index=coded.workers.rename("worker"))
        return self
