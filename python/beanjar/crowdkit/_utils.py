"""Helpers that crowd-kit's users have: answers compared, and skills beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ._base import COLUMNS


def evaluate_in(row: pd.Series) -> int:
    """Whether what was predicted is among the true labels."""
    return int(row["label_pred"] in row["label_true"])


def evaluate_equal(row: pd.Series) -> int:
    """Whether what was predicted is the true label."""
    return int(row["label_pred"] == row["label_true"])


def evaluate(df_true: pd.DataFrame, df_pred: pd.DataFrame, evaluate_func: Callable[[pd.Series], int] = evaluate_in) -> float:
    """The mean of ``evaluate_func`` over the tasks of two tables with a column ``label``."""
    both = df_true.merge(df_pred, on="task", suffixes=("_true", "_pred"))
    assert len(df_true) == len(both), f"Dataset length mismatch, expected {len(df_true)}, got {len(both)}"
    return float(both.apply(evaluate_func, axis=1).mean())


def factorize(data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values of an array in sorted order, and of each entry the number of its value."""
    values, coded = np.unique(data, return_inverse=True)
    return values, coded.reshape(data.shape)


def manage_data(data: pd.DataFrame, weights: pd.Series | None = None, skills: pd.Series | None = None) -> pd.DataFrame:
    """Answers with a weight and a skill, by task, or of 1."""
    data = data[COLUMNS]
    data = data.assign(weight=1) if weights is None else data.join(weights.rename("weight"), on="task")
    return data.assign(skill=1) if skills is None else data.join(skills.rename("skill"), on="task")


def add_skills_to_data(
    data: pd.DataFrame, skills: pd.Series, on_missing_skill: str, default_skill: float | None
) -> pd.DataFrame:
    """Answers with the skill of their worker. Where it is not known, that is an error, the answer is left out (ignore), or
    the skill is ``default_skill`` (value)."""
    if on_missing_skill != "value" and default_skill is not None:
        raise ValueError('default_skill is used but on_missing_skill is not "value"')
    data = data.assign(skill=data["worker"].map(skills).astype(float))
    unknown = data["skill"].isna()
    if on_missing_skill == "error":
        if unknown.any():
            raise ValueError(
                f"Skill value is missing in {unknown.sum()} assignments. Specify skills for every"
                f"used worker or use different 'on_unknown_skill' value."
            )
    elif on_missing_skill == "ignore":
        dropped = len(pd.Index(data["task"]).difference(pd.Index(data["task"][~unknown])))
        if dropped > 0:
            raise ValueError(
                f"{dropped} tasks has no workers with known skills. Provide at least one worker with known"
                f"skill for every task or use different 'on_unknown_skill' value."
            )
        data = data[~unknown]
    elif on_missing_skill == "value":
        if default_skill is None:
            raise ValueError('Default skill value must be specified when using on_missing_skill="value"')
        data = data.assign(skill=data["skill"].fillna(default_skill))
    else:
        raise ValueError(f'Unknown option {on_missing_skill!r} of "on_missing_skill" argument.')
    return data


__all__: list[Any] = ["add_skills_to_data", "evaluate", "evaluate_equal", "evaluate_in", "factorize", "manage_data"]
