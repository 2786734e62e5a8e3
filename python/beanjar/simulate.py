"""Data with a known truth, to try methods on; options are those of ``beanjar simulate KIND --help``."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

from . import _beanjar
from ._call import Held, flag
from ._returned import KINDS, frame

__all__ = ["Simulated", "embeddings", "experts", "labels", "photos"]


class Simulated:
    """Tables with a known truth; each is an attribute: ``labels``, ``truth``, ``workers``, ``features`` ..."""

    def __init__(self, tables: dict[str, Any]):
        self.__dict__.update(tables)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no table '{name}'; there are {', '.join(self.__dict__)}")

    def __repr__(self) -> str:
        return f"<Simulated: {', '.join(self.__dict__)}>"


def _simulate(kind: str, frames: str, options: dict[str, Any]) -> Simulated:
    if frames not in (*KINDS, "dict"):
        raise ValueError(f"frames is '{frames}', and must be one of {', '.join(KINDS)}, dict")
    with tempfile.TemporaryDirectory() as folder:
        words = [word for name, value in options.items() for word in flag(name, value, Held())]
        _beanjar.call(["simulate", kind, "--out", folder, "--as", "jsonl", "--quiet", *words], [], None)
        tables = {}
        for file in sorted(os.listdir(folder)):
            with open(os.path.join(folder, file), encoding="utf-8") as lines:
                rows = [json.loads(line) for line in lines]
            columns = {name: [row.get(name) for row in rows] for name in rows[0]} if rows else {}
            tables[file.split(".")[0]] = columns if frames == "dict" else frame(columns, frames)
    return Simulated(tables)


def photos(*, frames: str = "arrow", **options: Any) -> Simulated:
    """Judgments of photos of people, calibrated to Sabato and Kalai (2013): ``judgments`` and ``truth``.

    ``frames`` is the kind of tables wanted: arrow, pandas, polars or dict.
    """
    return _simulate("photos", frames, options)


def labels(*, frames: str = "arrow", **options: Any) -> Simulated:
    """Crowd labels: ``labels``, ``truth``, ``workers`` and perhaps ``tasks``.

    >>> import beanjar
    >>> crowd = beanjar.simulate.labels(tasks=100, workers=10, votes=3, classes=4, frames="dict")
    >>> len(crowd.labels["task"]), len(crowd.truth["task"])
    (300, 100)
    """
    return _simulate("labels", frames, options)


def experts(*, frames: str = "arrow", **options: Any) -> Simulated:
    """Units with features and three noisy experts, as in Izbicki and Stern (2014): ``features``, ``labels``, ``truth``."""
    return _simulate("experts", frames, options)


def embeddings(*, frames: str = "arrow", **options: Any) -> Simulated:
    """Units with dense features and a crowd that labels them: ``features``, ``labels`` and ``truth``."""
    return _simulate("embeddings", frames, options)
