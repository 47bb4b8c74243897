"""Dense linear algebra on all workers: Cholesky, LU, QR and systems of equations.

The functions mean what those of numpy and scipy of the same name mean. Matrices are float32 or float64, in C or Fortran
order or any other strides; integers become float64. Results are new arrays in Fortran order, or lie where the matrix was
(`overwrite_a=True`), whatever its order. Arguments may share memory with one another, also where they are overwritten.

`cholesky`, `qr` and `solve` compute with float32 as numpy does: in float64, with a result that is rounded to float32.
`precision="single"` computes in float32, which takes half the time and memory. `lu` and `lu_factor` compute in the type of
the matrix, as scipy does.

Without `runtime=` all calls share one runtime on all cores, which is started by the first call and stopped when the
interpreter ends. A call with a runtime of one's own waits for all tasks of that, before it reads its arguments and in the
end, and raises what failed among them.

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
    """A matrix without the factorization: not positive definite, singular, or of a shape that does not fit.

    It is both numpy's `LinAlgError` and a `troupe.TroupeError`.
    """


class _SharedRuntime:
    """The runtime of calls that name none, which the end of the interpreter ends.

    One call at a time has it: a wait for everything would see others' failures.
    """

    def __init__(self):
        self.forget()
        # The parent's threads are not in the child, and one of them may have held the lock.
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
    """Calls a function of the compiled module with a runtime, and raises numpy's error where the matrix is at fault."""
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
    """Tasks of a runtime of the program's own may still write what is to be read."""
    if runtime is not None:
        _troupe.Runtime.wait(runtime)


def _matrix(a, name="a"):
    """`a` as an array of two dimensions and a type that there are kernels for."""
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
    """A matrix that the compiled module overwrites, what it is copied from first, and where it is copied to in the end.

    `dtype`: what is computed in. `apart`: the matrix shares memory with another argument, and is read and written by
    nobody while the module works.
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
        """The result, once the module has returned."""
        if self._result is None:
            return self.work.astype(self._dtype, order="F", copy=False)
        if self.target is None and self.work is not self._result:
            np.copyto(self._result, self.work, casting="same_kind")
        return self._result


def _check_overwriting(given, array, name):
    """That a result can lie where `given` does, of which `array` is what is computed with."""
    if array is not given:
        raise ValueError(f"overwrite_{name}=True needs an array of {array.dtype} to overwrite, not {_kind(given)}")
    if not array.flags.writeable:
        raise ValueError(f"overwrite_{name}=True, but {name} is read-only")
    if _in_elements(array) is not array:
        raise ValueError(f"overwrite_{name}=True, but the elements of {name} are not aligned: copy it before")
    if _overlaps_itself(array):
        raise ValueError(f"overwrite_{name}=True, but several elements of {name} are the same memory: copy it before")


def _overlaps_itself(array):
    """Whether two elements are one, as in what `numpy.lib.stride_tricks` makes. Strides are whole elements."""
    rows, cols = array.shape if array.ndim == 2 else (array.shape[0], 1)
    if array.size < 2:
        return False
    across, along = (abs(stride) // array.itemsize for stride in (*array.strides, 0)[:2])
    # Element (i, j) is also (i + k * along / d, j - k * across / d), where that exists, for the greatest common divisor d.
    divisor = math.gcd(across if rows > 1 else 0, along if cols > 1 else 0)
    if rows == 1 or cols == 1 or divisor == 0:
        return divisor == 0
    return along // divisor < rows and across // divisor < cols


def _mirror(array, work):
    """Makes `work` the symmetric matrix whose lower triangle is that of `array`."""
    strip = 256
    for begin in range(0, len(array), strip):
        inside, below = slice(begin, begin + strip), slice(begin + strip, None)
        corner = np.tril(array[inside, inside])
        work[inside, inside] = corner + np.tril(corner, -1).T
        work[below, inside] = array[below, inside]
        work[inside, below] = array[below, inside].T


def _computed_in(precision, dtype):
    """The type to compute in. As in numpy it is float64 where nothing else is asked for."""
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
    """The same array, or a copy where its strides cannot be told in elements."""
    whole = all(stride % array.itemsize == 0 for stride in array.strides)
    return array if whole and array.flags.aligned else array.copy(order="F")


def cholesky(a, *, overwrite_a=False, precision="double", tile=0, runtime=None):
    """The lower factor L of a symmetric positive definite matrix, A = L L^T, as `numpy.linalg.cholesky`.

    Reads the lower triangle of `a`; above the diagonal the result has zeros. `precision`: "single" computes with float32
    in float32. `tile`: columns of a tile, 0 as the library chooses. Raises `LinAlgError` where the matrix is not square or not positive definite; with `overwrite_a`, `a` is lost
    then.
    """
    _finish_tasks(runtime)
    array = _square(_matrix(a))
    operand = _Operand(a, array, overwrite_a, _computed_in(precision, array.dtype))
    if array.size:
        _call(runtime, tile, _linalg.cholesky, operand.work, operand.source, operand.target)
    return operand.finish()


def lu_factor(a, *, overwrite_a=False, tile=0, runtime=None):
    """L and U in one matrix, and the exchanges of rows, as `scipy.linalg.lu_factor`, whose `lu_solve` takes them.

    Row i was exchanged with row `piv[i]`, in the order of i. Raises `LinAlgError` where the matrix is not square, and,
    other than scipy, where it is singular.
    """
    _finish_tasks(runtime)
    array = _square(_matrix(a))
    operand = _Operand(a, array, overwrite_a, array.dtype)
    if not array.size:
        return operand.finish(), np.empty(0, np.int32)
    piv = _call(runtime, tile, _linalg.lu, operand.work, operand.source, operand.target, None)
    return operand.finish(), piv


def lu(a, *, p_indices=False, overwrite_a=False, tile=0, runtime=None):
    """`(p, l, u)` with A = P L U, partial pivoting, as `scipy.linalg.lu` for square matrices.

    With `p_indices`, `p` is a vector and A = L[p] U. With `overwrite_a`, U lies in `a`. Raises `LinAlgError` where the
    matrix is not square, and, other than scipy, where it is singular.
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
    """A = Q R, as `numpy.linalg.qr`: Q orthogonal, R upper triangular; signs may differ from LAPACK's.

    `mode`: "reduced" gives Q with min(m, n) columns and R with as many rows, "complete" a square Q, "r" R alone. With
    `overwrite_a` the content of `a` is lost, which saves a copy where it is in Fortran order. `precision`: "single" computes
    with float32 in float32.
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
    """The solution of A X = B for a vector or a matrix B, as `numpy.linalg.solve`.

    `assume`, as scipy's `assume_a`: "gen", LU with partial pivoting; "pos", Cholesky of a symmetric positive definite
    matrix; "sym", symmetric: Cholesky, and LU where it is not positive definite. Of a symmetric matrix the lower triangle
    is read, and what lies above the diagonal is not (scipy reads the upper one, unless it is called with `lower=True`).
    `precision`: "single" computes with float32 in float32. Raises `LinAlgError` where shapes do not fit and where the
    matrix is singular, or not positive definite with "pos".
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
    # If Cholesky fails, it has destroyed what LU needs, so that A must be copied.
    matrix = _Operand(a, array, overwrite_a and assume != "sym", dtype, "a", apart)
    if overwrite_a:
        _check_overwriting(a, array, "a")
    if not right.size:
        return x.finish()
    # If the first try fails, the second one needs the right-hand sides as they were.
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
    """A vector as a matrix of one column, without a copy."""
    return array if array is None or array.ndim == 2 else array[:, np.newaxis]
