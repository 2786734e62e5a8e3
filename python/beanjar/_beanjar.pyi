from collections.abc import Callable
from typing import Any

# Numbers of tasks, workers and labels, and how many of each there are.
Rows = tuple[bytes, bytes, bytes, int, int, int]

__version__: str

class BeanjarError(ValueError): ...

def call(
    arguments: list[str],
    held: list[tuple[str, str, Any]],
    progress: Callable[[str, float], object] | None,
) -> tuple[bytes, list[str], list[str], list[tuple[str, list[tuple[str, str]]]]]: ...
def main(arguments: list[str]) -> int: ...
def dawid_skene(
    rows: Rows,
    gold: bytes | None,
    errors: bytes | None,
    n_iter: int,
    tol: float,
    one_coin: bool,
) -> tuple[bytes, bytes, bytes, list[tuple[int, int]], bytes, list[float]]: ...
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
) -> tuple[bytes, bytes, bytes, list[float]]: ...
def mace(
    rows: Rows,
    spamming: bytes,
    strategies: bytes,
    order: tuple[list[int], list[int]],
    n_iter: int,
    priors: tuple[float, float] | None,
    smoothing: float,
) -> tuple[bytes, bytes, bytes, float]: ...
def mmsr(rows: Rows, start: bytes, n_iter: int, tol: float) -> tuple[bytes, list[float]]: ...
