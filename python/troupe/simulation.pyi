import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import Trace

_Seconds = float | Callable[..., float | None] | None

def machines() -> list[str]: ...

class Machine:
    def __init__(self, name_or_path: str | os.PathLike[str]) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def cores(self) -> int: ...
    @property
    def gpus(self) -> int: ...

class SimulatedData:
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    name: str
    @property
    def nbytes(self) -> int: ...

class SimulatedCodelet:
    name: str
    modes: list[str]

class SimulatedRun:
    @property
    def makespan(self) -> float: ...
    @property
    def trace(self) -> Trace: ...
    def report(self) -> dict[str, Any]: ...

class Simulation:
    machine: Machine
    def __init__(
        self,
        machine: Machine | str | os.PathLike[str],
        *,
        gpus: int | Iterable[int] | None = ...,
        cores: int | None = ...,
        clusters: str | None = ...,
        noise: bool | None = ...,
        seed: int | None = ...,
        memory_fraction: float | None = ...,
        gpu_memory: int | str | None = ...,
        lookahead: int | None = ...,
        core_lookahead: int | None = ...,
        issue_ahead: int | None = ...,
        peer_copies: bool | None = ...,
        model: str | None = ...,
        kernel_error: float | None = ...,
        bandwidth_error: float | None = ...,
        policy: str | None = ...,
        eviction: str | None = ...,
    ) -> None: ...
    def data(self, shape: int | Iterable[int], dtype: DTypeLike = ..., name: str = ...) -> SimulatedData: ...
    def codelet(
        self,
        name: str,
        modes: str | Iterable[str],
        times: Mapping[str, _Seconds] | None = ...,
        *,
        deviation: float = ...,
        timed_as: str | None = ...,
        flops: _Seconds = ...,
    ) -> SimulatedCodelet: ...
    def submit(self, codelet: SimulatedCodelet, *arguments: Any, priority: int = ..., name: str = ...) -> None: ...
    def wait(self) -> None: ...
    def __len__(self) -> int: ...
    def run(
        self,
        *,
        gpus: int | Iterable[int] | None = ...,
        cores: int | None = ...,
        clusters: str | None = ...,
        noise: bool | None = ...,
        seed: int | None = ...,
        memory_fraction: float | None = ...,
        gpu_memory: int | str | None = ...,
        lookahead: int | None = ...,
        core_lookahead: int | None = ...,
        issue_ahead: int | None = ...,
        peer_copies: bool | None = ...,
        model: str | None = ...,
        kernel_error: float | None = ...,
        bandwidth_error: float | None = ...,
        policy: str | None = ...,
        eviction: str | None = ...,
    ) -> SimulatedRun: ...
