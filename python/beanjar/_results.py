"""What functions give back: the command's JSON, with tables of the kind that came in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from operator import itemgetter
from typing import Any

from ._call import Answer
from ._returned import frame, values


class Result:
    """What a command found.

    Every key of the command's JSON is an attribute; ``to_dict()`` is all of it, ``to_frame()`` its main table, and
    ``warnings`` what was odd about the data.
    """

    #: The key of the main table, and the columns that are shown of it.
    _table = ""
    _shown: tuple[str, ...] = ()

    def __init__(self, answer: Answer):
        self._answer = answer

    @property
    def warnings(self) -> list[str]:
        """What is odd about the data, a sentence each."""
        return list(self._answer.warnings)

    @property
    def notes(self) -> list[str]:
        """What each table was understood to hold."""
        return list(self._answer.notes)

    def to_dict(self) -> dict[str, Any]:
        """All that was found, as the command line prints it with ``--format json``."""
        return self._answer.whole()

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self._answer.whole(), ensure_ascii=False)

    def to_frame(self) -> Any:
        """The main table, of the kind that came in."""
        return self._frame(self._answer.data[self._table], self._shown)

    def _frame(self, rows: Sequence[Mapping[str, Any]], shown: Iterable[str] = ()) -> Any:
        names = [name for name in shown if any(name in row for row in rows)] or list(dict.fromkeys(k for row in rows for k in row))
        if not rows:
            names = list(shown)
        return self._framed({name: _column(rows, name) for name in names})

    def _framed(self, columns: Mapping[str, Any]) -> Any:
        return frame(columns, self._answer.kind, {name: was for name, was in self._answer.types.items() if name in columns})

    def _values(self, role: str, texts: list[str]) -> list[Any]:
        """Ids or labels as they came in."""
        return values(texts, self._answer.kind, self._answer.types.get(role))

    def __getattr__(self, name: str) -> Any:
        # Only called for what is not there otherwise; a copy or pickle asks before there is an answer.
        data = self.__dict__["_answer"].data if "_answer" in self.__dict__ else {}
        if name in data:
            return data[name]
        raise AttributeError(f"'{type(self).__name__}' has no '{name}'; there are {', '.join(data)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._answer.data]

    def _title(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{self._title()}>"

    def _figure(self) -> str:
        """A small figure, as SVG; nothing where there is none."""
        return ""

    def _first_rows(self) -> tuple[list[Mapping[str, Any]], int]:
        """The rows of the main table that are shown, and how many there are."""
        rows = self._answer.data.get(self._table, [])
        return rows[:MOST], len(rows)

    def _repr_html_(self) -> str:
        rows, all_of_them = self._first_rows()
        names = self._shown or tuple(rows[0] if rows else ())
        more = f"<p>and {all_of_them - MOST} more</p>" if all_of_them > MOST else ""
        return f"<p>{escape(self._title())}</p>{self._figure()}{html_table(names, rows)}{more}"


def _column(rows: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    try:
        return list(map(itemgetter(name), rows))
    except KeyError:
        return [row.get(name) for row in rows]


#: What is read at a glance.
MOST = 10


def html_table(names: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as a table of HTML."""
    names = list(names)
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{escape(shown(row.get(name)))}</td>" for name in names) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def shown(value: Any) -> str:
    """A value in a table for people."""
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def bars(values: Iterable[float], width: int = 320, height: int = 48) -> str:
    """Bars of these heights, as SVG; the mean of neighbours where there are more than can be seen."""
    values = list(values)
    together = -(-len(values) // (width // 2))
    if together > 1:
        groups = (values[start : start + together] for start in range(0, len(values), together))
        values = [sum(group) / len(group) for group in groups]
    top = max(values, default=0.0) or 1.0
    each = width / max(len(values), 1)
    rects = "".join(
        f'<rect x="{i * each:.1f}" y="{height * (1 - value / top):.1f}" width="{max(each - 1, 1):.1f}" height="{height * value / top:.1f}"/>'
        for i, value in enumerate(values)
    )
    return f'<svg width="{width}" height="{height}" fill="#4a7ba6" role="img">{rects}</svg>'


def sizes(weights: Iterable[Any]) -> str:
    """Bars of how large weights are; of several classes, all together."""
    return bars(sum(map(abs, weight)) if isinstance(weight, list) else abs(weight or 0.0) for weight in weights)


def line(values: Iterable[float | None], width: int = 320, height: int = 80) -> str:
    """A line through these values, as SVG."""
    found = [value for value in values if value is not None]
    if len(found) < 2:
        return ""
    low, high = min(found), max(found)
    spread = (high - low) or 1.0
    points = " ".join(
        f"{4 + i * (width - 8) / (len(found) - 1):.1f},{4 + (height - 8) * (high - value) / spread:.1f}"
        for i, value in enumerate(found)
    )
    return (
        f'<svg width="{width}" height="{height}" role="img">'
        f'<polyline points="{points}" fill="none" stroke="#4a7ba6" stroke-width="2"/></svg>'
    )
