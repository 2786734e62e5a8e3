"""Tables in and out: what comes in is read as it is, and what goes out is of the kind that came in."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

Held = tuple[str, str, Any]


def is_pandas(table: Any) -> bool:
    """Whether this is a data frame or series of pandas, which need not be installed."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(table, (pandas.DataFrame, pandas.Series))


def is_polars(table: Any) -> bool:
    """The same of polars."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(table, (polars.DataFrame, polars.LazyFrame))


def kind(table: Any) -> str:
    """The kind of a table: pandas, polars or arrow."""
    if is_pandas(table):
        return "pandas"
    return "polars" if is_polars(table) else "arrow"


def is_path(table: Any) -> bool:
    """Whether this names a file."""
    return isinstance(table, (str, os.PathLike))


def is_table(value: Any) -> bool:
    """Whether this is a table rather than an option."""
    return is_pandas(value) or is_polars(value) or hasattr(value, "__arrow_c_stream__")


def is_columns(value: Any) -> bool:
    """Whether this is a dict of columns, and not one of options."""
    columns = value.values() if isinstance(value, Mapping) else ()
    return bool(columns) and all(isinstance(column, (list, tuple, np.ndarray)) or is_pandas(column) for column in columns)


def held(name: str, table: Any) -> Held:
    """A table as the binding takes it."""
    if is_pandas(table):
        return _held_pandas(name, table)
    if is_polars(table):
        return name, "arrow", table.lazy().collect()
    if hasattr(table, "__arrow_c_stream__"):
        return name, "arrow", table
    if isinstance(table, Mapping):
        return name, "columns", [(str(column), *_coded(values)) for column, values in table.items()]
    raise TypeError(
        f"{name}: a table is needed (a frame of pandas or polars, a table of pyarrow or of anything that speaks Arrow, "
        f"a dict of columns, or the name of a file), and this is {type(table).__name__}"
    )


def _held_pandas(name: str, table: Any) -> Held:
    import pandas as pd

    # A series is a column beside its index: known answers by task.
    frame = table.rename(table.name or "label").reset_index() if isinstance(table, pd.Series) else table
    frame = frame if isinstance(frame.columns, pd.Index) and frame.columns.nlevels == 1 else frame.copy(deep=False)
    if any(not isinstance(column, str) for column in frame.columns):
        frame = frame.set_axis([str(column) for column in frame.columns], axis=1)
    try:
        import pyarrow as pa
    except ImportError:
        return name, "columns", [(column, *_coded(frame[column])) for column in _named(frame)]
    try:
        return name, "arrow", pa.Table.from_pandas(frame)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        # Columns of mixed types are texts.
        return name, "columns", [(column, *_coded(frame[column])) for column in _named(frame)]


def _named(frame: Any) -> list[str]:
    """The columns, or an error where two have one name, for which of them is meant?"""
    names = list(frame.columns)
    for name in names:
        if names.count(name) > 1:
            raise TypeError(f"two columns are called '{name}'")
    return names


def _coded(values: Any) -> tuple[bytes, list[str | None]]:
    """Values as numbers of entries in a list of texts; -1 is a missing one."""
    if is_pandas(values):
        import pandas as pd

        codes, entries = pd.factorize(values)
        return np.asarray(codes, dtype=np.int32).tobytes(), [text(entry) for entry in entries]
    numbers: dict[Any, int] = {}
    codes = [-1 if missing(value) else numbers.setdefault(value, len(numbers)) for value in values]
    return np.asarray(codes, dtype=np.int32).tobytes(), [text(entry) for entry in numbers]


def missing(value: Any) -> bool:
    """Whether a value is a missing one: None, NaN, or what pandas has for them."""
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


def text(value: Any) -> str:
    """A value as the reader would have it from a file: 7 and not 7.0."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)) and float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def frame(columns: Mapping[str, Any], kind: str, types: Mapping[str, Any] | None = None) -> Any:
    """A table of this kind; some columns with the types that they came with, where what is in them allows it."""
    types = dict(types or {})
    made = {name: values if isinstance(values, np.ndarray) else list(values) for name, values in columns.items()}
    for name in [name for name, wanted in types.items() if wanted is bool]:
        del types[name]
        if set(made[name]) <= {"true", "false"}:
            made[name] = [value == "true" for value in made[name]]
    if kind == "arrow" and find_spec("pyarrow") is None:
        kind = next((other for other in ("pandas", "polars") if find_spec(other)), kind)
    if kind == "arrow":
        return _arrow(made, types)
    return _pandas(made, types) if kind == "pandas" else _polars(made, types)


def _arrow(columns: dict[str, Any], types: Mapping[str, Any]) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError("a table needs pyarrow, pandas or polars: install one of them, or use to_dict()") from None
    arrays = {name: pa.array(values) for name, values in columns.items()}
    for name, wanted in types.items():
        try:
            arrays[name] = arrays[name].cast(wanted)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            pass
    return pa.table(arrays)


def _pandas(columns: dict[str, Any], types: Mapping[str, Any]) -> Any:
    import pandas as pd

    made = pd.DataFrame(columns)
    for name, wanted in types.items():
        try:
            if isinstance(wanted, pd.CategoricalDtype):
                made[name] = made[name].astype(wanted.categories.dtype)
            made[name] = made[name].astype(wanted)
        except (ValueError, TypeError, OverflowError):
            pass
    return made


def _polars(columns: dict[str, Any], types: Mapping[str, Any]) -> Any:
    import polars as pl

    made = pl.DataFrame(columns)
    for name, wanted in types.items():
        try:
            made = made.with_columns(made[name].cast(wanted))
        except (pl.exceptions.PolarsError, ValueError, TypeError):
            pass
    return made


def column_type(table: Any, column: str) -> Any:
    """The type of a column of what came in, as which ids are given back; none for text, ``bool`` for yes and no."""
    if is_pandas(table):
        import pandas as pd

        if isinstance(table, pd.Series):
            found = table.index.dtype if column == (table.index.name or "index") else table.dtype
        else:
            found = table.dtypes.get(column)
        if found is None or pd.api.types.is_bool_dtype(found):
            return None if found is None else bool
        return found if pd.api.types.is_numeric_dtype(found) or isinstance(found, pd.CategoricalDtype) else None
    if is_polars(table):
        found = table.collect_schema().get(column)
        if found is None or str(found) == "Boolean":
            return None if found is None else bool
        return found if found.is_numeric() or str(found).startswith(("Categorical", "Enum")) else None
    if type(table).__module__.startswith("pyarrow") and hasattr(table, "schema"):
        import pyarrow as pa

        at = table.schema.get_field_index(column)
        found = table.schema.field(at).type if at >= 0 else None
        if found is None or pa.types.is_boolean(found):
            return None if found is None else bool
        return found if pa.types.is_integer(found) or pa.types.is_floating(found) else None
    return None
