"""Tables as they come in: what kind they are, how the binding takes them, and what their columns were."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any
from unicodedata import category
from uuid import UUID

import numpy as np

from ._beanjar import BeanjarError
from ._texts import BOOL, Was, coded, missing, text, was


def is_pandas(table: Any) -> bool:
    """Whether this is a data frame or series of pandas, which need not be installed."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(table, (pandas.DataFrame, pandas.Series))


def is_polars(table: Any) -> bool:
    """The same of a frame of polars."""
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
    return is_pandas(value) or is_polars(value) or speaks_arrow(value)


def speaks_arrow(value: Any) -> bool:
    """Whether this gives its columns through Arrow's C interface, as one batch or as several."""
    return hasattr(value, "__arrow_c_stream__") or (hasattr(value, "__arrow_c_array__") and not is_column(value))


def is_column(value: Any) -> bool:
    """Whether this is a list of values: one of Python, or an array or series of a library."""
    if isinstance(value, Sequence):
        return not isinstance(value, (str, bytes, bytearray))
    return (isinstance(value, np.ndarray) and value.ndim == 1) or _listing(value) is not None


def _listing(value: Any) -> Any:
    """The method that gives the list of an array or series."""
    tabular = is_polars(value) or hasattr(value, "schema")
    return None if tabular else getattr(value, "to_list", None) or getattr(value, "to_pylist", None)


def is_columns(value: Any) -> bool:
    """Whether this is a dict of columns, and not one of options."""
    return isinstance(value, Mapping) and bool(value) and all(is_column(column) for column in value.values())


def is_rows(value: Any) -> bool:
    """Whether this is a list of rows, each a dict."""
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(row, Mapping) for row in value)


class Table:
    """A table in one of three forms: a frame of pandas, something that speaks Arrow, or a dict of columns."""

    #: Of a frame of polars, the types of its columns.
    dtypes: Mapping[str, Any]

    def __init__(self, name: str, given: Any):
        self.name = name
        self.content = self._known(given)

    def _known(self, given: Any) -> Any:
        if is_pandas(given):
            return _pandas(self.name, given)
        if is_polars(given):
            import polars as pl

            # What polars says of a column of nothing is not what Arrow's readers expect, numbers of 128 bits are not in its
            # standard, and objects are only pointers there.
            wide = [getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name)]
            objects = pl.col(pl.Object).map_elements(text, return_dtype=pl.String)
            self.dtypes = dict(given.collect_schema())
            return given.lazy().with_columns(pl.col(pl.Null, *wide).cast(pl.String)).collect().with_columns(objects)
        if speaks_arrow(given):
            # Some can be read once only, and their types are asked for later.
            return given if find_spec("pyarrow") is None else _whole(given)
        if is_rows(given):
            names = dict.fromkeys(name for row in given for name in row)
            return {str(name): [row.get(name) for row in given] for name in names}
        if isinstance(given, Mapping):
            return self._columns(given)
        raise TypeError(
            f"{self.name}: a table is needed (a frame of pandas or polars, a table of pyarrow or of anything that speaks Arrow, "
            f"a dict of columns, a list of dicts, or the name of a file), and this is {type(given).__name__}"
        )

    def _columns(self, given: Mapping[Any, Any]) -> dict[str, Any]:
        for column, values in given.items():
            if not is_column(values):
                raise TypeError(f"{self.name}: column '{column}' must be a list of values, and is {type(values).__name__}")
        columns = {str(name): _listing(values)() if _listing(values) else values for name, values in given.items()}
        lengths = {name: len(values) for name, values in columns.items()}
        if len(set(lengths.values())) > 1:
            each = ", ".join(f"'{name}' has {length}" for name, length in lengths.items())
            raise BeanjarError(f"{self.name}: columns must be of one length, and {each}")
        return columns

    def held(self) -> tuple[str, str, Any]:
        """As the binding takes it."""
        if isinstance(self.content, dict):
            columns = list(self.content.items())
        elif is_pandas(self.content):
            if find_spec("pyarrow") is not None:
                return self.name, "arrow", _arrow_of_pandas(self.content)
            columns = [(name, self.content[name]) for name in self.content]
        else:
            return self.name, "arrow", self.content
        numbered = ((name, _coded(values)) for name, values in columns)
        return self.name, "columns", [(name, codes.tobytes(), texts) for name, (codes, texts) in numbered]

    def was(self, column: str) -> Was | None:
        """What a column was, as which ids and labels are given back; none for texts."""
        table = self.content
        if isinstance(table, dict):
            return was(table[column]) if column in table else None
        if is_pandas(table):
            return _was_of_pandas(table[column]) if column in table else None
        if is_polars(table):
            return _was_of_polars(table[column], self.dtypes[column]) if column in table.columns else None
        return _was_of_arrow(table.column(column)) if column in getattr(table, "column_names", ()) else None


def _whole(given: Any) -> Any:
    import pyarrow as pa

    return given if isinstance(given, (pa.Table, pa.RecordBatch)) else pa.table(given)


def _pandas(name: str, table: Any) -> Any:
    """A frame with its index as first columns, if that has a name, and columns that are named by texts."""
    import pandas as pd

    if isinstance(table, pd.Series):
        # A series is a column beside its index: known answers by task.
        frame = table.rename(table.name or "label").reset_index()
    else:
        named = [level for level in table.index.names if level is not None and level not in table.columns]
        frame = table.reset_index(level=named) if named else table
    if any(not isinstance(column, str) for column in frame.columns):
        frame = frame.set_axis([str(column) for column in frame.columns], axis=1)
    for column in frame.columns[frame.columns.duplicated()]:
        raise BeanjarError(f"{name}: two columns are called '{column}'; rename or drop one of them")
    return frame


#: Of columns of objects, those that Arrow takes for what they are.
_SIMPLE = {"string", "boolean", "integer", "floating", "mixed-integer-float", "date", "empty"}


def _is_simple(values: Any) -> bool:
    """Whether Arrow has a type for the values of a series or index, that is read as they would be from a file."""
    import pandas as pd

    kinds = pd.api.types
    if isinstance(values.dtype, pd.CategoricalDtype):
        categories = values.dtype.categories
        return kinds.infer_dtype(categories) in ("string", "integer", "floating", "empty")
    if values.dtype.kind == "O" and isinstance(values.dtype, np.dtype):
        return kinds.infer_dtype(values, skipna=True) in _SIMPLE
    return not isinstance(values.dtype, (pd.PeriodDtype, pd.IntervalDtype, pd.SparseDtype)) and values.dtype.kind not in "mc"


def _arrow_of_pandas(frame: Any) -> Any:
    """A frame as a table of Arrow, in which ids of other types, and mixed ones, are texts."""
    import pyarrow as pa

    odd = [name for name in frame if not _is_simple(frame[name])]
    try:
        # Nested ones are no ids, and who reads the table says so.
        return pa.Table.from_pandas(_with_texts(frame, [name for name in odd if not _is_nested(frame[name])]))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pa.Table.from_pandas(_with_texts(frame, odd))


def _is_nested(column: Any) -> bool:
    first = next((value for value in column if not missing(value)), None)
    return isinstance(first, (list, dict, set, np.ndarray))


def _with_texts(frame: Any, names: list[str]) -> Any:
    import pandas as pd

    def texts(column: Any) -> Any:
        codes, entries = _coded(column)
        return pd.Categorical.from_codes(codes, pd.Index(entries, dtype=object))

    return frame.assign(**{name: texts(frame[name]) for name in names})


def _coded(values: Any) -> tuple[np.ndarray, list[str]]:
    """Of each value the number of its text, -1 for a missing one; and the texts."""
    if is_pandas(values):
        import pandas as pd

        try:
            found, entries = pd.factorize(values)
        except TypeError:
            return coded(values)[:2]
        codes, texts, _ = coded(entries)
        return np.append(codes, np.int32(-1))[found], texts
    return coded(values)[:2]


def _was_of_pandas(column: Any) -> Was | None:
    import pandas as pd

    kinds, dtype = pd.api.types, column.dtype
    if isinstance(dtype, pd.ArrowDtype) and hasattr(dtype.pyarrow_dtype, "storage_type"):
        import pyarrow as pa

        found = _was_of_arrow(pa.chunked_array([pa.array(column)]))
        return found and Was(dtype, found.values)
    if isinstance(dtype, pd.CategoricalDtype):
        return Was(dtype) if _is_simple(column) else was(list(dtype.categories), dtype)
    if kinds.is_bool_dtype(dtype):
        return Was(dtype, BOOL.values)
    if kinds.is_numeric_dtype(dtype):
        return Was(dtype)
    plain = isinstance(dtype, np.dtype)
    if kinds.infer_dtype(column, skipna=True) == "string":
        return None
    try:
        return was(list(column.unique()), None if plain and dtype.kind == "O" else dtype)
    except TypeError:
        return None


def _was_of_polars(column: Any, dtype: Any) -> Was | None:
    import polars as pl

    if dtype.is_numeric() or isinstance(dtype, (pl.Categorical, pl.Enum)):
        return Was(dtype)
    if column.dtype == pl.String or column.dtype.is_nested():
        return None
    return BOOL if column.dtype == pl.Boolean else was(column.unique(maintain_order=True).to_list(), column.dtype)


def _was_of_arrow(column: Any) -> Was | None:
    import pyarrow as pa

    types, found = pa.types, column.type
    if types.is_integer(found) or types.is_floating(found) or types.is_decimal(found):
        return Was(found)
    if types.is_boolean(found):
        return BOOL
    if types.is_dictionary(found):
        plain = types.is_string(found.value_type) or types.is_large_string(found.value_type)
        return Was(found if plain else found.value_type)
    if types.is_large_string(found) or types.is_string_view(found):
        return Was(found)
    if types.is_fixed_size_binary(found) or isinstance(found, getattr(pa, "UuidType", ())):
        return _was_fixed(column)
    return was(column.unique().to_pylist(), found) if types.is_temporal(found) or types.is_binary(found) else None


def _was_fixed(column: Any) -> Was:
    """What ids of a fixed number of bytes were, such as those of 16 random ones."""
    import pyarrow as pa

    stored = [getattr(chunk, "storage", chunk) for chunk in column.chunks]
    ids = [one for one in pa.chunked_array(stored, stored[0].type if stored else pa.binary()).unique().to_pylist() if one is not None]
    has_uuids = len(ids) > 0 and len(ids[0]) == 16 and not all(_is_printed(one) for one in ids)
    texts = [str(UUID(bytes=one)) if has_uuids else text(one) for one in ids]
    back = ids if pa.types.is_fixed_size_binary(column.type) else [UUID(bytes=one) for one in ids]
    return Was(column.type, dict(zip(texts, back, strict=True)))


def _is_printed(value: bytes) -> bool:
    """Whether bytes are a text that can be seen."""
    try:
        return all(category(letter) != "Cc" for letter in value.decode())
    except UnicodeDecodeError:
        return False
