"""Dense linear algebra on all workers: Cholesky, LU, QR and systems of equations.

Each function does what the function of numpy or scipy with the same name does. Matrices are float32 or float64, in C or
Fortran order or with any other strides; integers become float64. Results are new arrays in Fortran order. With
`overwrite_a=True`, `cholesky`, `lu_factor` and `lu` write a result into `a`, whatever its order; `solve` writes it into
`b` with `overwrite_b=True`. Arguments may share memory with one another, even if they are overwritten.

`cholesky`, `qr` and `solve` treat float32 as numpy does: they compute in float64 and round the result to float32.
`precision="single"` computes in float32, which takes half the time and memory. `lu` and `lu_factor` compute in the type
of the matrix, as scipy does.

Without `runtime=` all calls share one runtime on all cores, which is started by the first call and stopped when the
interpreter ends. A call with `runtime=` waits for all tasks of that runtime, before it reads its arguments and again at
its end, and raises an error if one of them has failed.

>>> import numpy as np, troupe.linalg
>>> a = np.array([[4.0, 2.0], [2.0, 5.0]])
>>> troupe.linalg.cholesky(a)
array([[2., 0.],
       [1., 2.]])
"""

import math
import operator
import os
import threading

import numpy as np

from . import _troupe
from ._troupe import _linalg
from .errors import NumericalError

__all__ = ["LinAlgError", "cholesky", "lu", "lu_factor", "qr", "solve"]


class LinAlgError(np.linalg.LinAlgError, NumericalError):
    """The error for a matrix that is not positive definite, is singular, or has the wrong shape.

    It is both numpy's `LinAlgError` and a `troupe.TroupeError`.
    """


class _SharedRuntime:
    """The runtime of all calls without `runtime=`. It is stopped when the interpreter ends.

    Only one call at a time may use the runtime, because a call waits for all tasks of the runtime, and would raise the
    failures of other calls.
    """

    def __init__(self):
        self.forget()
        # A forked child does not have the parent's threads, one of which may hold the lock.
        os.register_at_fork(after_in_child=self.forget)

    def forget(self):
        self.lock = threading.Lock()
        self._runtime = None

    def get(self):
        if self._runtime is None:
            from . import Runtime

            self._runtime = Runtime()
        return self._runtime


_shared = _SharedRuntime()


def _call(runtime, tile, function, *arguments):
    """Calls a function of the compiled module with a runtime. Raises `LinAlgError` if the factorization breaks down."""
    try:
        tile = operator.index(tile)
    except TypeError:
        raise TypeError(f"tile is int, the columns of a tile, not {tile!r}") from None
    if not 0 <= tile < 1 << 31:
        raise ValueError(f"tile={tile}: the columns of a tile, or 0 for what the library chooses")
    try:
        if runtime is not None:
            return function(runtime, *arguments, tile)
        with _shared.lock:
            return function(_shared.get(), *arguments, tile)
    except NumericalError as error:
        raise LinAlgError(str(error)) from None


def _finish_tasks(runtime):
    """Waits for the tasks of the program's own runtime, because they may still write the arguments of the call."""
    if runtime is not None:
        _troupe.Runtime.wait(runtime)


def _matrix(a, name="a"):
    """Returns `a` as an array of two dimensions, with an element type for which there are kernels."""
    array = np.asarray(a)
    if array.ndim != 2:
        raise LinAlgError(f"{name} has {array.ndim} dimensions: a matrix has two")
    return _typed(array, name)


def _typed(array, name):
    if array.dtype.kind in "biu":
        array = array.astype(np.float64)
    elif array.dtype.newbyteorder("=") not in (np.float32, np.float64):
        raise TypeError(f"{name} is of type {array.dtype}: there are kernels for float32 and float64")
    elif not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array


def _square(array, name="a"):
    if array.shape[0] != array.shape[1]:
        raise LinAlgError(f"{name} is {array.shape[0]} x {array.shape[1]}: the matrix must be square")
    return array


class _Operand:
    """The matrix `work`, which the compiled module overwrites. The module first copies `source` to `work`, and at the
    end copies `work` to `target`. Both `source` and `target` may be None.

    `dtype`: the type of the computation. `apart`: the given matrix shares memory with another argument, so `work` is a
    copy, and the module does not read or write the given matrix.
    """

    def __init__(self, given, array, overwrite, dtype, name="a", apart=False):
        self.source = self.target = None
        self._result = array if overwrite else None
        self._dtype = array.dtype
        if overwrite:
            _check_overwriting(given, array, name)
        converted = apart or dtype != array.dtype
        if overwrite and array.flags.f_contiguous and array.flags.aligned and not converted:
            self.work = array
            return
        rows, cols = array.shape if array.ndim == 2 else (array.shape[0], 1)
        self.work = _linalg.allocate(rows, cols, dtype)
        if array.ndim == 1:
            self.work = self.work[:, 0]
        if converted:
            np.copyto(self.work, array)
            return
        self.source = _in_elements(array)
        if overwrite:
            self.target = array

    def finish(self):
        """Returns the result. Called after the module has returned."""
        if self._result is None:
            return self.work.astype(self._dtype, order="F", copy=False)
        if self.target is None and self.work is not self._result:
            np.copyto(self._result, self.work, casting="same_kind")
        return self._result


def _check_overwriting(given, array, name):
    """Raises `ValueError` if the result cannot be written into `given`, which was converted to `array`."""
    if array is not given:
        raise ValueError(f"overwrite_{name}=True needs an array of {array.dtype} to overwrite, not {_kind(given)}")
    if not array.flags.writeable:
        raise ValueError(f"overwrite_{name}=True, but {name} is read-only")
    if _in_elements(array) is not array:
        raise ValueError(f"overwrite_{name}=True, but the elements of {name} are not aligned: copy it before")
    if _overlaps_itself(array):
        raise ValueError(f"overwrite_{name}=True, but several elements of {name} are the same memory: copy it before")


def _overlaps_itself(array):
    """Returns True if two elements have the same address, as in arrays of `numpy.lib.stride_tricks`. Strides must be
    multiples of the element size."""
    rows, cols = array.shape if array.ndim == 2 else (array.shape[0], 1)
    if array.size < 2:
        return False
    across, along = (abs(stride) // array.itemsize for stride in (*array.strides, 0)[:2])
    # Element (i, j) has the same address as (i + k * along / d, j - k * across / d), if that element exists, where d is
    # the greatest common divisor of `across` and `along`.
    divisor = math.gcd(across if rows > 1 else 0, along if cols > 1 else 0)
    if rows == 1 or cols == 1 or divisor == 0:
        return divisor == 0
    return along // divisor < rows and across // divisor < cols


def _mirror(array, work):
    """Fills `work` with the symmetric matrix that has the same lower triangle as `array`."""
    strip = 256
    for begin in range(0, len(array), strip):
        inside, below = slice(begin, begin + strip), slice(begin + strip, None)
        corner = np.tril(array[inside, inside])
        work[inside, inside] = corner + np.tril(corner, -1).T
        work[below, inside] = array[below, inside]
        work[inside, below] = array[below, inside].T


def _computed_in(precision, dtype):
    """Returns the type of the computation: float64, as in numpy, unless `precision` is "single"."""
    if precision not in ("double", "single"):
        raise ValueError(f'precision is {precision!r}: "double" or "single"')
    if precision == "double":
        return np.dtype(np.float64)
    if dtype != np.float32:
        raise ValueError(f'precision="single" is for arrays of float32, not of {dtype}')
    return dtype


def _kind(value):
    return f"one of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__


def _in_elements(array):
    """Returns the array itself, or a copy if its strides are not multiples of the element size or it is not aligned."""
    whole = all(stride % array.itemsize == 0 for stride in array.strides)
    return array if whole and array.flags.aligned else array.copy(order="F")


def cholesky(a, *, overwrite_a=False, precision="double", tile=0, runtime=None):
    """Returns the lower factor L of a symmetric positive definite matrix A = L L^T, as `numpy.linalg.cholesky` does.

    Reads only the lower triangle of `a`; the result has zeros above the diagonal. `precision="single"`: computes in
    float32; `a` must be float32. `tile`: the columns of a tile; 0: the library chooses. Raises `LinAlgError` if the
    matrix is not square, or if it is not positive definite; with `overwrite_a`, the content of `a` is lost in the
    second case.
    """
    _finish_tasks(runtime)
    array = _square(_matrix(a))
    operand = _Operand(a, array, overwrite_a, _computed_in(precision, array.dtype))
    if array.size:
        _call(runtime, tile, _linalg.cholesky, operand.work, operand.source, operand.target)
    return operand.finish()


def lu_factor(a, *, overwrite_a=False, tile=0, runtime=None):
    """Returns L and U in one matrix, and the row exchanges `piv`, as `scipy.linalg.lu_factor` does.

    `scipy.linalg.lu_solve` accepts this result. Row i was exchanged with row `piv[i]`, for i from 0 upwards. Raises
    `LinAlgError` if the matrix is not square and, unlike scipy, if it is singular.
    """
    _finish_tasks(runtime)
    array = _square(_matrix(a))
    operand = _Operand(a, array, overwrite_a, array.dtype)
    if not array.size:
        return operand.finish(), np.empty(0, np.int32)
    piv = _call(runtime, tile, _linalg.lu, operand.work, operand.source, operand.target, None)
    return operand.finish(), piv


def lu(a, *, p_indices=False, overwrite_a=False, tile=0, runtime=None):
    """Returns `(p, l, u)` with A = P L U, by partial pivoting, as `scipy.linalg.lu` does for square matrices.

    With `p_indices`, `p` is a vector and A = L[p] U. With `overwrite_a`, U is written into `a`. Raises `LinAlgError` if
    the matrix is not square and, unlike scipy, if it is singular.
    """
    _finish_tasks(runtime)
    array = _square(_matrix(a))
    operand = _Operand(a, array, overwrite_a, array.dtype)
    lower = np.zeros(array.shape, array.dtype, order="F")
    rows = np.arange(array.shape[0])
    if array.size:
        piv = _call(runtime, tile, _linalg.lu, operand.work, operand.source, operand.target, lower)
        for i, other in enumerate(piv.tolist()):
            rows[i], rows[other] = rows[other], rows[i]
    upper = operand.finish()
    # Row i of the product L U is row `rows[i]` of A.
    if p_indices:
        return np.argsort(rows), lower, upper
    p = np.zeros(array.shape, array.dtype, order="F")
    p[rows, np.arange(array.shape[0])] = 1
    return p, lower, upper


def qr(a, mode="reduced", *, overwrite_a=False, precision="double", tile=0, runtime=None):
    """Returns `(q, r)` with A = Q R, Q orthogonal and R upper triangular, as `numpy.linalg.qr` does.

    Signs may differ from LAPACK's. `mode`: "reduced" gives Q with min(m, n) columns and R with as many rows; "complete"
    gives a square Q; "r" gives only R. With `overwrite_a` the content of `a` is lost; this saves a copy if `a` is in
    Fortran order. `precision="single"`: computes in float32; `a` must be float32.
    """
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f'mode is {mode!r}: "reduced", "complete" or "r"')
    _finish_tasks(runtime)
    array = _matrix(a)
    rows, cols = array.shape
    less = min(rows, cols)
    dtype = _computed_in(precision, array.dtype)
    operand = _Operand(a, array, overwrite_a, dtype)
    operand.target = None
    q = None
    if mode != "r":
        q = np.zeros((rows, rows if mode == "complete" else less), dtype, order="F")
        np.fill_diagonal(q, 1)
    if less:
        if operand.source is not None and cols > rows:
            np.copyto(operand.work, operand.source)
            operand.source = None
        left = operand.work[:, :less]
        rest = operand.work[:, less:] if cols > rows else None
        _call(runtime, tile, _linalg.qr, left, operand.source, q, rest)
    # R is the upper triangle, in Fortran order.
    r = np.tril(operand.work[: (rows if mode == "complete" else less)].T).T.astype(array.dtype, copy=False)
    return r if mode == "r" else (q.astype(array.dtype, copy=False), r)


def solve(a, b, *, assume="gen", overwrite_a=False, overwrite_b=False, precision="double", tile=0, runtime=None):
    """Returns the solution X of A X = B for a vector or a matrix B, as `numpy.linalg.solve` does.

    `assume`, as scipy's `assume_a`: "gen": LU with partial pivoting; "pos": Cholesky of a symmetric positive definite
    matrix; "sym": Cholesky of a symmetric matrix, and LU if it is not positive definite. With "pos" and "sym" only the
    lower triangle of `a` is read (scipy reads the upper triangle, unless it is called with `lower=True`).
    `precision="single"`: computes in float32; `a` and `b` must be float32. Raises `LinAlgError` if the shapes do not
    match, if the matrix is singular or, with "pos", if the matrix is not positive definite.
    """
    if assume not in ("gen", "pos", "sym"):
        raise ValueError(f'assume is {assume!r}: "gen", "pos" or "sym"')
    _finish_tasks(runtime)
    array = _square(_matrix(a))
    right = _typed(np.asarray(b), "b")
    if right.ndim not in (1, 2):
        raise LinAlgError(f"b has {right.ndim} dimensions: right-hand sides are a vector, or the columns of a matrix")
    if right.shape[0] != array.shape[0]:
        raise LinAlgError(f"b has {right.shape[0]} rows, and a has {array.shape[0]}")
    common = np.result_type(array.dtype, right.dtype)
    array = array.astype(common, copy=False)
    right = right.astype(common, copy=False)
    dtype = _computed_in(precision, common)
    # The two arrays must not share memory: tasks read one while others overwrite the other.
    apart = (overwrite_a or overwrite_b) and np.may_share_memory(array, right)
    x = _Operand(b, right, overwrite_b, dtype, "b", apart)
    # With "sym", Cholesky may fail, and LU then needs A. So Cholesky must work on a copy of A.
    matrix = _Operand(a, array, overwrite_a and assume != "sym", dtype, "a", apart)
    if overwrite_a:
        _check_overwriting(a, array, "a")
    if not right.size:
        return x.finish()
    # With "sym", if Cholesky fails, LU needs the original right-hand sides again.
    before = x.work.copy(order="F") if x.source is None and assume == "sym" else x.source

    def solve_by(definite, source):
        _call(runtime, tile, _linalg.solve, definite, matrix.work, source, _columns(x.work), _columns(before),
              _columns(x.target))

    try:
        solve_by(assume != "gen", matrix.source)
    except LinAlgError:
        if assume != "sym":
            raise
        _mirror(array, matrix.work)
        solve_by(False, None)
    return x.finish()


def _columns(array):
    """Returns a vector as a matrix of one column, without a copy. Returns matrices and None unchanged."""
    return array if array is None or array.ndim == 2 else array[:, np.newaxis]
