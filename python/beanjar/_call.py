"""Commands of the command line, called with tables in place of files."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _beanjar
from ._beanjar import BeanjarError
from ._frames import Held, column_type, held, is_columns, is_path, is_table, kind


class BeanjarWarning(UserWarning):
    """What is odd about the data, in one sentence."""


class Answer:
    """What a command answers: its JSON, and what is needed to give tables back as they came."""

    def __init__(self, data: dict[str, Any], kind: str, types: Mapping[str, Any], warnings: list[str], notes: list[str]):
        self.data = data
        self.kind = kind
        self.types = dict(types)
        self.warnings = warnings
        self.notes = notes


def call(command: str, main: Any, *, positional: Mapping[str, Any], options: Mapping[str, Any]) -> Answer:
    """Calls a command.

    ``positional`` are its arguments, by name, and ``options`` its flags, with underscores for dashes; either may be
    tables. What goes out is of the kind of ``main``, which is one of the arguments.
    """
    options = dict(options)
    progress = options.pop("progress", None)
    words, things = [command], []
    for name, value in positional.items():
        words += argument(name, value, things)
    for name, value in options.items():
        words += flag(name, value, things)
    with Bar(progress) as bar:
        told, notes, warned, columns = _beanjar.call(words, things, bar.show)
    for sentence in warned:
        warnings.warn(sentence, BeanjarWarning, stacklevel=3)
    # The main table is the one whose ids are given back.
    roles = dict(columns).get(next((name for name, value in positional.items() if value is main), ""), [])
    types = {role: column_type(main, column) for column, role in roles}
    types = {role: found for role, found in types.items() if found is not None}
    return Answer(json.loads(told) if told else {}, kind(main), types, warned, notes)


def given(arguments: Mapping[str, Any], *without: str) -> dict[str, Any]:
    """The arguments of a function, which are its ``locals()``, as options of its command; some are none."""
    options = {name: value for name, value in arguments.items() if name not in (*without, "options")}
    return {**options, **arguments.get("options", {})}


def argument(name: str, value: Any, things: list[Held]) -> list[str]:
    """The words for an argument that is a table, a text that is held, or the name of a file."""
    if is_path(value):
        return [os.fspath(value)]
    if isinstance(value, Text):
        things.append((name, "text", value.text))
    elif isinstance(value, Matrix):
        things.append((name, "features", value.held()))
    else:
        things.append(held(name, value))
    return [name]


class Text:
    """The text of a file that is held, such as a model."""

    def __init__(self, text: str):
        self.text = text


def flag(name: str, value: Any, things: list[Held]) -> list[str]:
    """The words for a flag."""
    if value is None or value is False:
        return []
    word = "--" + name.replace("_", "-")
    if value is True:
        return [word]
    if is_table(value) or isinstance(value, Text) or is_columns(value):
        return [word, *argument(name, value, things)]
    return [f"{word}={words(value)}"]


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
            self.bar = tqdm(total=100, leave=False, bar_format="{desc} {percentage:3.0f}%|{bar}| {remaining} left")
        self.bar.set_description(stage, refresh=False)
        # A stage within a stage may begin anew; a bar that runs backwards only confuses.
        self.bar.update(max(0.0, 100 * done - self.bar.n))

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()


__all__ = ["Answer", "BeanjarError", "BeanjarWarning", "Matrix", "Text", "call", "given"]
