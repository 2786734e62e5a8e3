"""Methods of aggregation as estimators: ``DawidSkene().fit(labels).labels_``."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from ._aggregate import Aggregation, aggregate
from ._call import Text, call
from ._estimator import Estimator


class _Aggregator(Estimator):
    """``fit(labels, gold=None)`` finds the true labels of tasks; ``predict(labels)`` those of other tasks."""

    _method = ""
    #: Parameters that are not options of the method.
    _common = ("seed", "threads", "columns")

    def fit(self, labels: Any, gold: Any = None) -> Any:
        """Aggregates labels (task, worker, label); ``gold`` are known answers."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model.json")
            self.result_: Aggregation = aggregate(labels, method=self._method, gold=gold, model=file, **self.get_params())
            with open(file, encoding="utf-8") as model:
                self._model = model.read()
        self.classes_ = self.result_._values("label", self.result_.classes)
        return self

    @property
    def labels_(self) -> Any:
        """The table of tasks: label and confidence."""
        self._check_fitted("result_")
        return self.result_.tasks

    @property
    def probabilities_(self) -> Any:
        """The table of tasks: the probability of each class."""
        self._check_fitted("result_")
        return self.result_.probabilities

    @property
    def workers_(self) -> Any:
        """The table of workers."""
        self._check_fitted("result_")
        return self.result_.workers

    def fit_predict(self, labels: Any, gold: Any = None) -> Any:
        """Fits, and gives the table of tasks."""
        return self.fit(labels, gold).labels_

    def predict(self, labels: Any) -> Any:
        """The table of tasks of other labels, without fitting again."""
        return self._applied(labels).tasks

    def predict_proba(self, labels: Any) -> Any:
        """The table of their probabilities."""
        return self._applied(labels).probabilities

    def _applied(self, labels: Any) -> Aggregation:
        self._check_fitted("result_")
        options = {name: getattr(self, name) for name in self._common}
        return Aggregation(call("predict", labels, positional={"model": Text(self._model), "labels": labels}, options=options))


class Auto(_Aggregator):
    """Several fits, weighed by how well they predict held-out labels."""

    _method = "auto"

    def __init__(self, *, prior: Any = None, unvoted: str | None = None, seed: int = 0, threads: int | None = None, columns: Any = None):
        self.prior, self.unvoted = prior, unvoted
        self.seed, self.threads, self.columns = seed, threads, columns


class Majority(_Aggregator):
    """The class with the most votes; ``weights`` says what each worker's vote counts."""

    _method = "majority"

    def __init__(self, *, weights: Any = None, seed: int = 0, threads: int | None = None, columns: Any = None):
        self.weights = weights
        self.seed, self.threads, self.columns = seed, threads, columns


class Wawa(_Aggregator):
    """Votes weighted by how often the worker agrees with the majority."""

    _method = "wawa"

    def __init__(self, *, seed: int = 0, threads: int | None = None, columns: Any = None):
        self.seed, self.threads, self.columns = seed, threads, columns


class DawidSkene(_Aggregator):
    """A confusion matrix for each worker, fitted by EM to its fixed point.

    >>> import beanjar
    >>> crowd = beanjar.simulate.labels(tasks=60, workers=6, votes=4)
    >>> model = beanjar.DawidSkene(smoothing=0.5).fit(crowd.labels)
    >>> model.classes_, len(model.labels_), len(model.workers_)
    (['c1', 'c2'], 60, 6)
    """

    _method = "dawid-skene"

    def __init__(
        self, *, smoothing: float | None = None, prior: Any = None, iterations: int | None = None,
        confusion: bool = False, seed: int = 0, threads: int | None = None, columns: Any = None,
    ):  # fmt: skip
        self.smoothing, self.prior, self.iterations, self.confusion = smoothing, prior, iterations, confusion
        self.seed, self.threads, self.columns = seed, threads, columns


class OneCoin(DawidSkene):
    """An accuracy for each worker."""

    _method = "one-coin"


class Pooled(_Aggregator):
    """Confusion matrices shrunk to the population's."""

    _method = "pooled"

    def __init__(
        self, *, prior: Any = None, iterations: int | None = None, confusion: bool = False, seed: int = 0,
        threads: int | None = None, columns: Any = None,
    ):  # fmt: skip
        self.prior, self.iterations, self.confusion = prior, iterations, confusion
        self.seed, self.threads, self.columns = seed, threads, columns


class Skilled(_Aggregator):
    """Confusion matrices shrunk to those of a worker of the same skill; ``kinds`` of tasks within each class."""

    _method = "skilled"

    def __init__(
        self, *, kinds: int | None = None, prior: Any = None, iterations: int | None = None, confusion: bool = False,
        seed: int = 0, threads: int | None = None, columns: Any = None,
    ):  # fmt: skip
        self.kinds, self.prior, self.iterations, self.confusion = kinds, prior, iterations, confusion
        self.seed, self.threads, self.columns = seed, threads, columns


class Spectral(_Aggregator):
    """Confusion matrices started by the method of moments."""

    _method = "spectral"

    def __init__(
        self, *, restarts: int | None = None, prior: Any = None, iterations: int | None = None,
        confusion: bool = False, seed: int = 0, threads: int | None = None, columns: Any = None,
    ):  # fmt: skip
        self.restarts, self.prior, self.iterations, self.confusion = restarts, prior, iterations, confusion
        self.seed, self.threads, self.columns = seed, threads, columns


class Mixture(_Aggregator):
    """Latent components that need not be the labels."""

    _method = "mixture"

    def __init__(
        self, *, components: int | None = None, restarts: int | None = None, smoothing: float | None = None,
        iterations: int | None = None, confusion: bool = False, seed: int = 0, threads: int | None = None,
        columns: Any = None,
    ):  # fmt: skip
        self.components, self.restarts, self.smoothing = components, restarts, smoothing
        self.iterations, self.confusion = iterations, confusion
        self.seed, self.threads, self.columns = seed, threads, columns


class Glad(_Aggregator):
    """Abilities of workers and ease of tasks."""

    _method = "glad"

    def __init__(
        self, *, prior: Any = None, iterations: int | None = None, seed: int = 0, threads: int | None = None,
        columns: Any = None,
    ):  # fmt: skip
        self.prior, self.iterations = prior, iterations
        self.seed, self.threads, self.columns = seed, threads, columns


class Mace(_Aggregator):
    """Workers know the class, or guess with habits of their own."""

    _method = "mace"

    def __init__(
        self, *, restarts: int | None = None, prior: Any = None, iterations: int | None = None, confusion: bool = False,
        seed: int = 0, threads: int | None = None, columns: Any = None,
    ):  # fmt: skip
        self.restarts, self.prior, self.iterations, self.confusion = restarts, prior, iterations, confusion
        self.seed, self.threads, self.columns = seed, threads, columns


class Kos(_Aggregator):
    """Messages between tasks and workers, for two classes."""

    _method = "kos"

    def __init__(self, *, iterations: int | None = None, seed: int = 0, threads: int | None = None, columns: Any = None):
        self.iterations = iterations
        self.seed, self.threads, self.columns = seed, threads, columns


class Mmsr(Kos):
    """Accuracies by a robust fit to how far pairs of workers agree."""

    _method = "mmsr"


class ZeroBasedSkill(Kos):
    """Votes weighted by skills that are learned step by step."""

    _method = "zero-based-skill"


class GoldMajority(_Aggregator):
    """Votes weighted by how often the worker is right where the answer is known; ``fit(labels, gold)``."""

    _method = "gold-majority"

    def __init__(self, *, seed: int = 0, threads: int | None = None, columns: Any = None):
        self.seed, self.threads, self.columns = seed, threads, columns
