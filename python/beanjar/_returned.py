"""Tables as they go out: of the kind that came in, with columns of the types that came in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

from ._texts import Was

KINDS = ("arrow", "pandas", "polars")


def frame(columns: Mapping[str, Any], kind: str, types: Mapping[str, Was] | None = None) -> Any:
    """A table of this kind; some columns with the types that they came with, where what is in them allows it."""
    types = types or {}
    made: dict[str, Any] = {name: values if _is_column(values) else list(values) for name, values in columns.items()}
    for name, was in types.items():
        if was.values is not None:
            made[name] = was.back(_listed(made[name]))
    dtypes = {name: was.dtype for name, was in types.items() if was.dtype is not None}
    kind = _there(kind)
    if kind == "arrow":
        return _arrow(made, dtypes)
    return _pandas(made, dtypes) if kind == "pandas" else _polars(made, dtypes)


def columns_of(table: Callable[[], Any], kind: str) -> dict[str, Any] | None:
    """The columns of a table that speaks Arrow, for a frame of this kind; none if nothing is there that reads it."""
    kind = _there(kind)
    if kind == "polars":
        import polars as pl

        return pl.DataFrame(table()).to_dict()
    if find_spec("pyarrow") is None:
        return None
    import pyarrow as pa

    found = pa.table(table())
    return dict(zip(found.column_names, found.columns, strict=True)) if kind == "arrow" else dict(found.to_pandas().items())


def _there(kind: str) -> str:
    """The kind itself, or another one where pyarrow is not installed."""
    if kind == "arrow" and find_spec("pyarrow") is None:
        return next((other for other in ("pandas", "polars") if find_spec(other)), kind)
    return kind


def _is_column(values: Any) -> bool:
    """Whether this is an array or series of a library."""
    return hasattr(values, "dtype") or hasattr(values, "type")


def _listed(values: Any) -> list[Any]:
    if isinstance(values, list):
        return values
    return (getattr(values, "to_pylist", None) or values.tolist)() if not hasattr(values, "to_list") else values.to_list()


def values(texts: list[str], kind: str, was: Was | None) -> list[Any]:
    """Ids or labels as they came in."""
    if was is None or was.dtype is None:
        return texts if was is None else was.back(texts)
    column = frame({"": texts}, kind, {"": was})[""]
    return (getattr(column, "to_list", None) or column.to_pylist)()


def _arrow(columns: dict[str, Any], dtypes: Mapping[str, Any]) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError("a table needs pyarrow, pandas or polars: install one of them, or use to_dict()") from None
    refused = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError)
    arrays = {}
    for name, values in columns.items():
        try:
            arrays[name] = values if isinstance(values, pa.ChunkedArray) else pa.array(values)
        except refused:
            arrays[name] = pa.array([None if value is None else str(value) for value in values])
        try:
            arrays[name] = arrays[name].cast(dtypes.get(name, arrays[name].type))
        except refused:
            pass
    return pa.table(arrays)


def _pandas(columns: dict[str, Any], dtypes: Mapping[str, Any]) -> Any:
    import pandas as pd

    # A column of nothing is one of missing numbers; pandas would have it of objects.
    nothing = {name: np.full(len(values), np.nan) for name, values in columns.items() if len(values) and all(one is None for one in values)}
    made = pd.DataFrame({**columns, **nothing})
    for name, wanted in dtypes.items():
        try:
            if isinstance(wanted, pd.CategoricalDtype):
                made[name] = made[name].astype(wanted.categories.dtype)
            made[name] = made[name].astype(wanted)
        except (ValueError, TypeError, OverflowError):
            pass
    return made


def _polars(columns: dict[str, Any], dtypes: Mapping[str, Any]) -> Any:
    import polars as pl

    made = pl.DataFrame(columns)
    for name, wanted in dtypes.items():
        try:
            made = made.with_columns(made[name].cast(wanted))
        except (pl.exceptions.PolarsError, ValueError, TypeError):
            pass
    return made
