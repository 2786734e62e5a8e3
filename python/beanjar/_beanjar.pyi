from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Numbers of tasks, workers and labels, and how many of each there are.
Rows = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], int, int, int]

__version__: str

class BeanjarError(ValueError): ...

def call(
    arguments: list[str],
    held: list[tuple[str, str, Any]],
    progress: Callable[[str, float], object] | None,
) -> tuple[bytes, list[str], list[str], list[tuple[str, list[tuple[str, str]]]]]: ...
def main(arguments: list[str]) -> int: ...
def codes(column: NDArray[np.int64]) -> tuple[bytearray, bytearray]: ...
def dawid_skene(
    rows: Rows,
    gold: bytes | None,
    errors: bytes | None,
    n_iter: int,
    tol: float,
    one_coin: bool,
) -> tuple[bytearray, bytearray, bytearray, bytearray, tuple[bytearray, bytearray], bytearray, list[float]]: ...
def glad(
    rows: Rows,
    prior: list[float],
    abilities: bytes,
    ease: bytes,
    n_iter: int,
    tol: float,
    m_step_max_iter: int,
    m_step_tol: float,
    progress: Callable[[str, float], object] | None,
) -> tuple[bytearray, bytearray, bytearray, list[float]]: ...
def mace(
    rows: Rows,
    spamming: bytes,
    strategies: bytes,
    order: tuple[list[int], list[int]],
    n_iter: int,
    priors: tuple[float, float] | None,
    smoothing: float,
) -> tuple[bytearray, bytearray, bytearray, float]: ...
def mmsr(rows: Rows, start: bytes, n_iter: int, tol: float) -> tuple[bytearray, list[float]]: ...

# A block's place, its votes and the ids of its tasks.
Placed = tuple[int, bytes, bytes]

class Placer:
    def __init__(self, workers: list[str], labels: list[tuple[str, int]], bits: int) -> None: ...
    def push(self, table: Any, most: int) -> list[Placed]: ...
    def finish(self) -> list[Placed]: ...

class Gathering:
    def __init__(self) -> None: ...
    def push(self, votes: bytes, ids: bytes) -> None: ...
    def finish(self, leaf_bits: int, average: bool) -> list[Placed]: ...

class Pass:
    def __init__(self, bytes: bytes) -> None: ...
    @property
    def numbers(self) -> int: ...
    @property
    def bits(self) -> int: ...
    def sums(self, blocks: Iterator[tuple[int, bytes]], leaf_bits: int, part_bits: int) -> list[tuple[int, bytes]]: ...

class Reading:
    def __init__(self, bytes: bytes) -> None: ...
    def answers(self, votes: bytes, ids: bytes, seed: int) -> tuple[list[int], bytes, list[bool], bytes]: ...

def add_parts(parts: list[tuple[int, bytes]], bits: int) -> bytes: ...
def sample_tasks(sample: tuple[int, int, int], votes: bytes, ids: bytes) -> tuple[bytes, bytes]: ...
def layout(method: str, labels: int, workers: int, classes: int) -> tuple[int, int, int]: ...
def classes_of(labels: list[str]) -> tuple[list[str], list[int]]: ...
def fit_distributed(
    settings: tuple[str, list[float] | None, bool, float | None, int | None],
    known: tuple[list[str], list[str], int, bool],
    seed: int,
    sum: Callable[[bytes], bytes],
    sample: Callable[[tuple[int, int, int]], list[tuple[bytes, bytes]]],
) -> tuple[bytes, str, list[str]]: ...
def vote_patterns(blocks: Iterator[bytes], workers: int, classes: int) -> bytes: ...
def inspect_distributed(
    settings: tuple[str, int],
    known: tuple[list[str], list[str], int, bool],
    seed: int,
    sum: Callable[[bytes], bytes],
    patterns: Callable[[], list[bytes]],
) -> tuple[str, list[str]]: ...
