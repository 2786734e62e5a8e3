"""The manners of scikit-learn, without needing it."""

from __future__ import annotations

import inspect
from typing import Any


class NotFittedError(ValueError, AttributeError):
    """An estimator is used before ``fit``."""


class Estimator:
    """Parameters are those of ``__init__``; what is learned ends in an underscore."""

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, by name."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Any:
        """Sets some parameters, and gives the estimator itself."""
        for name, value in params.items():
            if name not in self._names():
                raise ValueError(f"{type(self).__name__} has no parameter '{name}'; there are {', '.join(self._names())}")
            setattr(self, name, value)
        return self

    def _check_fitted(self, attribute: str) -> None:
        if not hasattr(self, attribute):
            try:
                from sklearn.exceptions import NotFittedError as error
            except ImportError:
                error = NotFittedError
            raise error(f"This {type(self).__name__} instance is not fitted yet; call 'fit' first.")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

    def __sklearn_is_fitted__(self) -> bool:
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))

    def __repr__(self) -> str:
        defaults = {name: parameter.default for name, parameter in inspect.signature(type(self).__init__).parameters.items()}
        shown = [f"{name}={value!r}" for name, value in self.get_params().items() if not _same(value, defaults[name])]
        return f"{type(self).__name__}({', '.join(shown)})"


def _same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, (str, int, float, bool)) and type(value) is type(default) and value == default)
