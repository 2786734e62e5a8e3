"""Agreement of answers, and answers of doubtful workers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ._base import COLUMNS, BaseClassificationAggregator, Coded, get_accuracy
from ._votes import MajorityVote


def _check_answers(answers: pd.DataFrame) -> None:
    if not isinstance(answers, pd.DataFrame):
        raise TypeError("Working only with pandas DataFrame")
    for column in ("task", "worker", "label"):
        assert column in answers, f'There is no "{column}" column in answers'


def _skills_of(aggregator: Any) -> pd.Series:
    if not hasattr(aggregator, "skills_"):
        raise AssertionError("This aggregator is not supported. Please, provide workers skills.")
    return aggregator.skills_


def _vote_probabilities(coded: Coded, skills: np.ndarray) -> np.ndarray:
    """Of each vote the probability of each label: the skill if it is the one given, else a share of the rest."""
    labels = len(coded.labels)
    wrong = (1 - skills) / max(labels - 1, 1)
    probabilities = np.repeat(wrong[:, None], labels, axis=1)
    probabilities[np.arange(len(skills)), coded.label] = skills
    return probabilities


def consistency(
    answers: pd.DataFrame,
    workers_skills: pd.Series | None = None,
    aggregator: BaseClassificationAggregator | None = None,
    by_task: bool = False,
) -> Any:
    """The posterior probability of the aggregated label given the workers' skills; the mean, or ``by_task``."""
    _check_answers(answers)
    aggregator = MajorityVote() if aggregator is None else aggregator
    aggregated = aggregator.fit_predict(answers)
    skills = _skills_of(aggregator) if workers_skills is None else workers_skills
    coded = Coded(answers, sort=("task",))
    order = np.argsort(coded.task, kind="stable")
    given = answers["worker"].map(skills).to_numpy(dtype=float)[answers[["task", "worker", "label"]].notna().all(axis=1).to_numpy()]
    probabilities = np.nan_to_num(_vote_probabilities(coded, given), nan=1.0)[order]
    starts = np.searchsorted(coded.task[order], np.arange(len(coded.tasks)))
    products = np.multiply.reduceat(probabilities, starts, axis=0)
    chosen = coded.labels.get_indexer(aggregated.reindex(coded.tasks))
    sums = products.sum(axis=1)
    found = np.divide(products[np.arange(len(chosen)), chosen], sums, out=np.zeros_like(sums), where=sums != 0)
    consistencies = pd.Series(found, index=coded.tasks.rename("task"))
    return consistencies if by_task else consistencies.mean()


def uncertainty(
    answers: pd.DataFrame,
    workers_skills: pd.Series | None = None,
    aggregator: BaseClassificationAggregator | None = None,
    compute_by: str = "task",
    aggregate: bool = True,
) -> Any:
    """The entropy of labels of a task, or of a worker (``compute_by``), in nats; the mean, or one each."""
    _check_answers(answers)
    answers = answers[answers[COLUMNS].notna().all(axis=1)]
    if workers_skills is None and aggregator is not None:
        aggregator.fit(answers)
        workers_skills = _skills_of(aggregator)
    given = np.ones(len(answers)) if workers_skills is None else answers["worker"].map(workers_skills).to_numpy(dtype=float)
    if np.isnan(given).any():
        absent = set(answers["worker"][np.isnan(given)].tolist())
        raise AssertionError(f"Did not provide skills for workers: {absent}.Please provide workers skills.")
    coded = Coded(answers, sort=("task", "worker"))
    codes, groups = {"task": (coded.task, coded.tasks), "worker": (coded.worker, coded.workers)}[compute_by]
    sums = np.zeros((len(groups), len(coded.labels)))
    np.add.at(sums, codes, _vote_probabilities(coded, given))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = sums / sums.sum(axis=1, keepdims=True)
        found = -np.where(shares == 0, 0.0, shares * np.log(shares)).sum(axis=1) + 0.0
    uncertainties = pd.Series(found, index=groups.rename(compute_by))
    return uncertainties.mean() if aggregate else uncertainties


def alpha_krippendorff(answers: pd.DataFrame, distance: Callable[[Any, Any], float] | None = None) -> float:
    """Krippendorff's alpha: 1 is full agreement, 0 is what chance gives. ``distance`` is of two labels, 0 to 1."""
    _check_answers(answers)
    coded = Coded(answers)
    labels = list(coded.labels)
    if not labels:
        raise ValueError("Cannot calculate alpha, no data present!")
    if len(labels) == 1:
        return 1.0
    if len(coded.workers) == 1 and len(coded.tasks) == 1:
        raise ValueError("Cannot calculate alpha, only one coder and item present!")
    apart = 1.0 - np.eye(len(labels)) if distance is None else np.array([[distance(a, b) for a in labels] for b in labels])
    counts = coded.scores()
    counts = counts[counts.sum(axis=1) >= 2]
    sizes = counts.sum(axis=1)
    disagreement = ((counts @ apart) * counts).sum(axis=1) / (sizes * (sizes - 1))
    totals = counts.sum(axis=0)
    observed = float((disagreement * sizes).sum()) / float(sizes.sum())
    expected = float(totals @ apart @ totals) / float(sizes.sum() * (sizes.sum() - 1))
    return 1.0 - observed / expected


def accuracy_on_aggregates(
    answers: pd.DataFrame,
    aggregator: BaseClassificationAggregator | None = MajorityVote(),  # noqa: B008
    aggregates: pd.Series | None = None,
    by: str | None = None,
) -> Any:
    """The share of answers that are the aggregated one: of all, or ``by`` worker or task."""
    if aggregates is None and aggregator is None:
        raise AssertionError("One of aggregator or aggregates should be not None")
    if aggregates is None:
        aggregates = aggregator.fit_predict(answers)  # type: ignore[union-attr]
    return get_accuracy(answers, aggregates, by=by)


def entropy_threshold(
    answers: pd.DataFrame, workers_skills: pd.Series | None = None, percentile: int = 10, min_answers: int = 2
) -> pd.DataFrame:
    """The answers without those of workers whose entropy is at or below this percentile, who answer alike too often."""
    counts = answers.groupby("worker")["label"].count()
    looked_at = answers[answers["worker"].isin(counts[counts >= min_answers].index)]
    uncertainties = uncertainty(looked_at, workers_skills, compute_by="worker", aggregate=False)
    removed = uncertainties[uncertainties <= np.percentile(uncertainties, percentile)].index
    kept = answers[~answers["worker"].isin(removed)]
    if len(kept) <= len(answers) // 2:
        warnings.warn(
            "Removed >= 1/2 of answers with entropy_threshold. This might lead to poor annotation quality. "
            "Try decreasing percentile or min_answers.",
            stacklevel=2,
        )
    return kept
