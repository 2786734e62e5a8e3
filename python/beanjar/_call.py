"""Commands of the command line, called with tables in place of files."""

from __future__ import annotations

import gc
import json
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _beanjar
from ._beanjar import BeanjarError
from ._frames import Table, is_column, is_columns, is_pandas, is_path, is_rows, is_table, kind
from ._texts import Was


class BeanjarWarning(UserWarning):
    """What is odd about the data, in one sentence."""


class Answer:
    """What a command answers: its JSON, and what is needed to give tables back as they came.

    ``tasks`` are what was found of tasks, question by question. There may be millions, and they are not in ``data`` before
    somebody asks for the whole.
    """

    def __init__(
        self, data: dict[str, Any], kind: str, types: Mapping[str, Was], warnings: list[str], notes: list[str],
        tasks: Sequence[_beanjar.Tasks] = (),
    ):  # fmt: skip
        self.data = data
        self.kind = kind
        self.types = dict(types)
        self.warnings = warnings
        self.notes = notes
        self.tasks = list(tasks)

    def whole(self) -> dict[str, Any]:
        """The JSON with the tasks in it."""
        if self.tasks and not self.data["tasks"]:
            self.data["tasks"] = parsed(self.tasks[0].json())
        return self.data

    def __getstate__(self) -> dict[str, Any]:
        self.whole()
        return {**self.__dict__, "tasks": []}


def call(command: str, main: Any, *, positional: Mapping[str, Any], options: Mapping[str, Any], warn: bool = True) -> Answer:
    """Calls a command.

    ``positional`` are its arguments, by name, and ``options`` its flags, with underscores for dashes; either may be
    tables. What goes out is of the kind of ``main``, which is one of them.
    """
    options = dict(options)
    progress = options.pop("progress", None)
    held = Held()
    places = [argument(name, value, held) for name, value in positional.items()]
    flags = [word for name, value in options.items() for word in flag(name, value, held)]
    with Bar(progress) as bar:
        # A table may have any name, also one that begins with a dash.
        text, notes, warned, columns, tasks = _beanjar.call([command, *flags, "--", *places], held.things, bar.show)
    for sentence in warned if warn else ():
        warnings.warn(sentence, BeanjarWarning, stacklevel=_of_the_caller())
    types = {} if is_path(main) else held.types(dict(columns))
    return Answer(parsed(text) if text else {}, kind(main), types, warned, notes, tasks)


def parsed(text: bytes) -> Any:
    """What a command answered. Of a million tasks that is millions of objects, through which the search for garbage would go
    again and again in vain."""
    searching = gc.isenabled()
    gc.disable()
    try:
        return json.loads(text)
    finally:
        if searching:
            gc.enable()


def _of_the_caller() -> int:
    """How far up the first function is that is not of this package: there a warning is of use."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    return level


class Held:
    """What a command is to read in place of files, each under a name of its own."""

    def __init__(self) -> None:
        self.things: list[tuple[str, str, Any]] = []
        self.tables: dict[str, Table] = {}

    def add(self, name: str, value: Any) -> str:
        """Holds a table, a text or a matrix; gives the name, which is another one where it is taken."""
        name = name if all(name != taken for taken, _, _ in self.things) else f"{name} ({len(self.things) + 1})"
        if isinstance(value, Text):
            self.things.append((name, "text", value.text))
        elif isinstance(value, Bytes):
            self.things.append((name, "bytes", value.bytes))
        elif isinstance(value, Matrix):
            self.things.append((name, "features", value.held()))
        else:
            self.tables[name] = Table(name, value)
            self.things.append(self.tables[name].held())
        return name

    def types(self, columns: Mapping[str, list[tuple[str, str]]]) -> dict[str, Was]:
        """What ids and labels were, by what a column was understood to hold; the first table decides."""
        found: dict[str, Was | None] = {}
        for name, table in reversed(self.tables.items()):
            found.update({role: table.was(column) for column, role in columns.get(name, [])})
        return {role: was for role, was in found.items() if was is not None}


def given(arguments: Mapping[str, Any], *without: str) -> dict[str, Any]:
    """The arguments of a function, which are its ``locals()``, as options of its command; some are none."""
    options = {name: value for name, value in arguments.items() if name not in (*without, "options")}
    return {**options, **arguments.get("options", {})}


def argument(name: str, value: Any, held: Held) -> str:
    """The word for an argument: the name of a file, or of what is held."""
    return os.fspath(value) if is_path(value) else held.add(name, value)


class Text:
    """The text of a file that is held, such as a model."""

    def __init__(self, text: str):
        self.text = text


class Bytes:
    """The bytes of a file that is held, and is no text."""

    def __init__(self, bytes: bytes):
        self.bytes = bytes


#: What some options are tables of, which may also be dicts, series or lists.
_TABLES = {
    "gold": ("task", "label"),
    "truth": ("task", "label"),
    "labels": ("object", "label"),
    "cost": ("attribute", "cost"),
    "weights": ("worker", "weight"),
    "workers": ("worker",),
    "tasks": ("task",),
    "objects": ("object",),
}


def table_of(value: Any, names: tuple[str, ...]) -> Any:
    """A dict or series of values by key as a table of these columns, and a list as one of a single column."""
    if isinstance(value, Mapping) and len(names) == 2 and not is_columns(value):
        return {names[0]: list(value), names[1]: list(value.values())}
    if len(names) == 1 and is_column(value) and not is_rows(value):
        return {names[0]: list(value)}
    if is_pandas(value) and value.ndim == 1 and names[1] != "label":
        return {names[0]: list(value.index), names[1]: list(value)}
    return value


def flag(name: str, value: Any, held: Held) -> list[str]:
    """The words for a flag."""
    if value is None or value is False:
        return []
    word = "--" + name.replace("_", "-")
    if value is True:
        return [word]
    value = table_of(value, _TABLES[name]) if name in _TABLES else value
    if isinstance(value, (Text, Bytes)) or is_table(value) or is_columns(value) or is_rows(value):
        return [word, held.add(name, value)]
    if name == "columns" and isinstance(value, Mapping):
        value = {role: _quoted(words(column)) for role, column in value.items()}
    return [f"{word}={words(value)}"]


def _quoted(name: str) -> str:
    """The name of a column; in quotes where it could be taken for more than one."""
    plain = "," not in name and not name.startswith('"') and name == name.strip()
    return name if plain else '"' + name.replace('"', '""') + '"'


def words(value: Any) -> str:
    """An option as the command line has it: a,b and a=1,b=2."""
    if isinstance(value, Mapping):
        return ",".join(f"{key}={words(of_it)}" for key, of_it in value.items())
    if isinstance(value, (list, tuple, set, np.ndarray)):
        return ",".join(words(one) for one in value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


class Matrix:
    """Features of units, by columns: where each begins, the rows in which it is not zero, and its values there."""

    def __init__(self, units: list[str], names: list[str], starts: Any, rows: Any, values: Any):
        self.units, self.names = units, names
        self.starts, self.rows, self.values = starts, rows, values

    def held(self) -> tuple[list[str], list[str], list[int], bytes, bytes]:
        """As the binding takes it."""
        rows, values = np.asarray(self.rows, dtype=np.int32), np.asarray(self.values, dtype=np.float64)
        return self.units, self.names, [int(at) for at in self.starts], rows.tobytes(), values.tobytes()


class Bar:
    """A progress bar, if tqdm is there: in a notebook or on a terminal, once the work takes a while."""

    def __init__(self, wanted: bool | None):
        self.wanted = sys.stderr.isatty() or "ipykernel" in sys.modules if wanted is None else wanted
        self.bar: Any = None

    def show(self, stage: str, done: float) -> None:
        """Moves the bar. It is called a few times a second, and not at all if the work is short."""
        if not self.wanted:
            return
        if self.bar is None:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self.wanted = False
                return
            # Without its guess of how far the next step will be: after a large one it would wait for another.
            look = "{desc} {percentage:3.0f}%|{bar}| {remaining} left"
            self.bar = tqdm(total=100, leave=False, miniters=0, bar_format=look)
        self.bar.set_description(stage, refresh=False)
        # A stage within a stage may begin anew; a bar that runs backwards only confuses.
        self.bar.update(max(0.0, 100 * done - self.bar.n))

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()


__all__ = ["Answer", "BeanjarError", "BeanjarWarning", "Matrix", "Text", "call", "given", "parsed"]
