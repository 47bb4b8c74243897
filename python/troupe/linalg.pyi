from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import Runtime
from .errors import NumericalError

class LinAlgError(np.linalg.LinAlgError, NumericalError): ...

def cholesky(
    a: ArrayLike,
    *,
    overwrite_a: bool = ...,
    precision: Literal["double", "single"] = ...,
    tile: int = ...,
    runtime: Runtime | None = ...,
) -> NDArray[np.floating]: ...
def lu(
    a: ArrayLike, *, p_indices: bool = ..., overwrite_a: bool = ..., tile: int = ..., runtime: Runtime | None = ...
) -> tuple[NDArray[np.generic], NDArray[np.floating], NDArray[np.floating]]: ...
def lu_factor(
    a: ArrayLike, *, overwrite_a: bool = ..., tile: int = ..., runtime: Runtime | None = ...
) -> tuple[NDArray[np.floating], NDArray[np.int32]]: ...
@overload
def qr(
    a: ArrayLike,
    mode: Literal["reduced", "complete"] = ...,
    *,
    overwrite_a: bool = ...,
    precision: Literal["double", "single"] = ...,
    tile: int = ...,
    runtime: Runtime | None = ...,
) -> tuple[NDArray[np.floating], NDArray[np.floating]]: ...
@overload
def qr(
    a: ArrayLike,
    mode: Literal["r"],
    *,
    overwrite_a: bool = ...,
    precision: Literal["double", "single"] = ...,
    tile: int = ...,
    runtime: Runtime | None = ...,
) -> NDArray[np.floating]: ...
def solve(
    a: ArrayLike,
    b: ArrayLike,
    *,
    assume: Literal["gen", "pos", "sym"] = ...,
    overwrite_a: bool = ...,
    overwrite_b: bool = ...,
    precision: Literal["double", "single"] = ...,
    tile: int = ...,
    runtime: Runtime | None = ...,
) -> NDArray[np.floating]: ...
