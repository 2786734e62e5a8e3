"""Values as texts, which is what the core has for ids and labels, and back."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import date, timezone
from decimal import Decimal
from typing import Any

import numpy as np


def missing(value: Any) -> bool:
    """Whether a value is a missing one: None, NaN, or what pandas has for them."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and value != value


def text(value: Any) -> str:
    """A value as the reader would have it from a file: 7 and not 7.0."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)) and float(value).is_integer() and abs(float(value)) < 1e15:
        return str(int(value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    return _moment(value) if isinstance(value, date) else str(value)


def _moment(value: Any) -> str:
    """A date or a time as Arrow writes it: in UTC, with as many thirds of digits as it needs."""
    zone = ""
    if getattr(value, "tzinfo", None) is not None:
        value, zone = value.astimezone(timezone.utc).replace(tzinfo=None), "Z"
    found = value.isoformat()
    return (found[:-3] if "." in found and found.endswith("000") else found) + zone


def coded(values: Any) -> tuple[np.ndarray, list[str], list[Any]]:
    """Of each value the number of its text, -1 for a missing one; the texts, and the first value of each."""
    if isinstance(values, np.ndarray):
        # Nanoseconds would become whole numbers.
        values = (values.astype("datetime64[us]") if values.dtype.kind == "M" else values).tolist()
    values = values if isinstance(values, (list, tuple)) else list(values)
    try:
        entries = dict.fromkeys(values)
    except TypeError:
        values = [value if isinstance(value, Hashable) else str(value) for value in values]
        entries = dict.fromkeys(values)
    numbers: dict[str, int] = {}
    firsts: list[Any] = []
    for value in entries:
        if missing(value):
            entries[value] = -1
            continue
        entries[value] = numbers.setdefault(text(value), len(numbers))
        if len(numbers) > len(firsts):
            firsts.append(value)
    return np.fromiter(map(entries.__getitem__, values), np.int32, len(values)), list(numbers), firsts


class Was:
    """What the texts of a column were: these values, or values of this type of the table's library, or both."""

    def __init__(self, dtype: Any = None, values: dict[str, Any] | None = None):
        self.dtype, self.values = dtype, values

    def back(self, texts: list[Any]) -> list[Any]:
        """The values of texts; the texts where one is of no known value."""
        known = self.values
        if known is None or not all(one is None or one in known for one in texts):
            return texts
        return [None if one is None else known[one] for one in texts]


#: Yes and no.
BOOL = Was(values={"true": True, "false": False})


def was(values: Any, dtype: Any = None) -> Was | None:
    """What values were that are all of one type; none for texts, and where types are mixed."""
    _, texts, firsts = coded(values)
    types = {type(value) for value in firsts}
    if len(types) != 1 or types == {str}:
        return None
    return Was(dtype, dict(zip(texts, firsts, strict=True)))
