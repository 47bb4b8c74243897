"""Kernels in Python, in C and by Numba, and Troupe's own kernels: calls, arguments, options and mistakes."""

import array
import ctypes
import threading
import time

import numpy
import pytest

import troupe
from troupe import Read, ReadWrite, Write


@troupe.codelet
def axpy(x: Read, y: ReadWrite, alpha, *, twice=False):
    """y += alpha x"""
    y += (2 if twice else 1) * alpha * x


def test_annotations_say_the_modes(rt):
    x, y = numpy.ones(4), numpy.zeros(4)
    axpy(x, y, 3.0)
    axpy(x, y, alpha=1.0, twice=True)
    rt.submit(axpy, x, y, 4.0, name="named", priority=3)
    rt.wait()
    assert y.tolist() == [9] * 4
    assert axpy.modes == ("read", "read_write") and axpy.__doc__ == "y += alpha x" and axpy.name == "axpy"
    axpy.function(x, y, 1.0)
    assert y[0] == 10


def test_any_number_of_arrays(rt):
    @troupe.codelet("write", "*read")
    def total(into, *parts):
        into[...] = sum(p.sum() for p in parts)

    result = numpy.zeros(1)
    total(result, numpy.ones(2), numpy.ones(3))
    rt.wait()
    assert result[0] == 5
    total(result)
    rt.wait()
    assert result[0] == 0


@pytest.mark.parametrize(
    "make", [lambda: bytearray(4), lambda: memoryview(bytearray(4)), lambda: array.array("b", [0, 0, 0, 0])]
)
def test_other_buffers_among_any_number_of_arrays_are_data(rt, make):
    @troupe.codelet("*rw")
    def double_and_add(*arrays):
        for a in arrays:
            old = a.copy()
            time.sleep(0.01)
            a[...] = 2 * old + 1

    buffers = [make(), make()]
    # In any other order, or if tasks ran at the same time, the result would be smaller.
    for _ in range(3):
        double_and_add(*buffers)
        double_and_add(buffers[0])
    rt.wait()
    assert [bytes(b) for b in buffers] == [b"\x3f" * 4, b"\x07" * 4]


def test_numbers_and_bytes_after_any_number_of_arrays_are_passed_as_they_are(rt):
    @troupe.codelet("*read")
    def types(*arguments):
        return [type(a) for a in arguments]

    assert types(numpy.zeros(1), numpy.float64(3), b"text").result() == [numpy.ndarray, numpy.float64, bytes]


def test_keywords_that_the_kernel_takes_are_passed_on(rt):
    @troupe.codelet("rw")
    def any_keyword(a, first=1, **rest):
        return first, rest

    future = any_keyword(numpy.zeros(1), scale=2, first=3, priority=1)
    assert future.result() == (3, {"scale": 2})
    with pytest.raises(troupe.SignatureMismatch, match="'a' is one of the kernel's arrays"):
        any_keyword(numpy.zeros(1), a=1)


def test_kernels_submit_tasks(rt):
    @troupe.codelet("rw")
    def begin(a, depth):
        a += 1
        if depth:
            begin(a, depth - 1)

    a = numpy.zeros(1)
    begin(a, 5)
    rt.wait()
    assert a[0] == 6


def test_kernels_run_in_other_threads(rt):
    seen = []

    @troupe.codelet("read")
    def note(a):
        seen.append(threading.get_ident())

    note(numpy.zeros(1))
    rt.wait()
    assert len(seen) == 1 and seen[0] != threading.get_ident()


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda x: axpy(x), "takes 2 arrays, 1 argument was passed"),
        (lambda x: axpy(x, x.copy()), "'alpha' is missing: 2 arrays and 0 further arguments were passed"),
        (lambda x: axpy(x, x.copy(), twice=True), "'alpha' is missing"),
        (lambda x: axpy(x, x.copy(), 1, 2, 3), "at most 1 further argument by position, 2 and 3 were passed"),
        (lambda x: axpy(x, x.copy(), 1, True), "at most 1 further argument by position"),
        (lambda x: axpy(x, x.copy(), 1, alpha=1), "'alpha' was passed by position and by name"),
        (lambda x: axpy(x=x, y=x.copy(), alpha=1), "'x' is one of the kernel's arrays: arrays are passed by position"),
        (lambda x: axpy(x, 3.0, 1.0), "argument 1 is to be an array or data"),
        (lambda x: axpy(x, x.copy(), 1.0, priorty=1), "did you mean 'priority'"),
        (lambda x: axpy(x, x.copy(), 1.0, twic=1), "did you mean 'twice'"),
        (lambda x: axpy(x, x, 1.0), "arguments 0 and 1 share elements"),
        (lambda x: axpy(x, x.copy(), 1.0, devices="nothing like this"), "nothing like this"),
    ],
)
def test_wrong_calls_are_refused_at_once(rt, call, words):
    with pytest.raises(troupe.TroupeError, match=words):
        call(numpy.ones(3))
    rt.wait()


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: troupe.codelet("raed")(lambda a: None), "did you mean 'read'"),
        (lambda: troupe.codelet("read", "rw")(lambda a: None), "takes 1 argument"),
        (lambda: troupe.codelet(lambda a: None), "annotations"),
        (lambda: troupe.codelet("*read")(lambda a: None), "\\*arrays"),
        (lambda: troupe.codelet("*read", "rw")(lambda *a: None), "only the last"),
        (lambda: troupe.codelet(3), "texts"),
        (lambda: troupe.c_codelet(0, "rw double*"), "null pointer"),
        (lambda: troupe.c_codelet(-1, "rw double*"), "-1 is not the address of a function"),
        (lambda: troupe.c_codelet(2**64, "rw double*"), "is not the address of a function"),
        (lambda: troupe.c_codelet(1, "double*"), "mode is missing"),
        (lambda: troupe.c_codelet(1, "rw dobule*"), "no element type"),
        (lambda: troupe.c_codelet(1, "size"), "no array comes before"),
        (lambda: troupe.c_codelet(1, "rw double*, flota"), "no type"),
        (lambda: troupe.c_codelet(1, "rw double*, double, read int32*"), "numbers come after"),
        (lambda: troupe.c_codelet(1), "needs what the function takes"),
        (lambda: troupe.c_codelet("axpy", "rw double*"), "address"),
    ],
)
def test_wrong_kernels_are_refused(make, words):
    with pytest.raises((TypeError, ValueError), match=words):
        make()


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"priority": 2.5}, TypeError, "priority is int, not 2.5"),
        ({"priority": 1 << 40}, ValueError, "priority=1099511627776: the number is too large"),
        ({"priority": -1 << 40}, ValueError, "the number is too small"),
        ({"priority": True}, TypeError, "priority is int, not True"),
        ({"devices": -1}, ValueError, "devices=-1: a number that is not negative"),
        ({"devices": 1.5}, TypeError, "devices is 'cores', .* not 1.5"),
        ({"after": 3}, TypeError, ""),
    ],
)
def test_wrong_options_of_a_task_are_refused(rt, options, error, words):
    with pytest.raises(error, match=words):
        axpy(numpy.ones(1), numpy.ones(1), 1.0, **options)


def test_numbers_of_numpy_are_numbers(rt):
    y = numpy.zeros(1)
    axpy(numpy.ones(1), y, 1.0, priority=numpy.int64(2), devices=numpy.uint8(0))
    rt.wait()
    assert y[0] == 1


def test_calls_outside_of_a_runtime_are_refused():
    with pytest.raises(troupe.Stopped, match="outside of a runtime"):
        axpy(numpy.ones(1), numpy.ones(1), 1.0)


def test_priority_after_and_devices(rt):
    order, gate = [], threading.Event()

    @troupe.codelet("read")
    def note(a, what):
        if what == "first":
            gate.wait(10)
        order.append(what)

    x = numpy.zeros(1)
    first = note(x, "first", devices="cores")
    note(x, "second", after=first)
    note(x, "third", after=[first], devices=0)
    gate.set()
    rt.wait()
    assert order[0] == "first" and sorted(order) == ["first", "second", "third"]


LIBC = ctypes.CDLL(None)


def test_a_function_of_ctypes(rt):
    copy = troupe.c_codelet(LIBC.memcpy, "write void*, read void*, uint64", name="memcpy")
    a, b = numpy.zeros(4), numpy.arange(4.0)
    copy(a, b, 32)
    rt.wait()
    assert a.tolist() == b.tolist() and copy.function is None


def test_an_address_from_cffi(rt):
    cffi = pytest.importorskip("cffi")
    ffi = cffi.FFI()
    ffi.cdef("void *memcpy(void *, const void *, size_t);")
    copy = troupe.c_codelet(ffi.addressof(ffi.dlopen(None), "memcpy"), "write void*, read void*, uint64", name="memcpy")
    a, b = numpy.zeros(4), numpy.arange(4.0)
    copy(a, b, 32)
    rt.wait()
    assert a.tolist() == b.tolist()


def test_what_a_function_of_c_is_passed(rt):
    seen = []
    signature = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.POINTER(ctypes.c_double), *[ctypes.c_int64] * 6, ctypes.c_int8, ctypes.c_float, ctypes.c_bool
    )

    @signature
    def note(a, size, rows, cols, ld, row_stride, col_stride, small, real, flag):
        seen.append((a[0], size, rows, cols, ld, row_stride, col_stride, small, real, flag))
        return 7 if small == 7 else 0

    kernel = troupe.c_codelet(
        note, "read double*", "size, rows, cols, ld, row_stride, col_stride", "int8, float, bool", returns="int"
    )
    for order, ld, strides in [("C", 3, (3, 1)), ("F", 2, (1, 2))]:
        kernel(numpy.full((2, 3), 5.0, order=order), -3, 0.5, True)
        rt.wait()
        assert seen.pop() == (5.0, 6, 2, 3, ld, *strides, -3, 0.5, True)
    with pytest.raises(troupe.SignatureMismatch, match="argument 1 is a int8, for which 1000 is too large"):
        kernel(numpy.zeros(1), 1000, 0.5, True)
    with pytest.raises(troupe.SignatureMismatch, match="argument 1 is a int8, for which -1000 is too small"):
        kernel(numpy.zeros(1), -1000, 0.5, True)
    with pytest.raises(troupe.SignatureMismatch, match="argument 1 is a int8, but 1.5 was passed"):
        kernel(numpy.zeros(1), 1.5, 0.5, True)
    fill = troupe.c_codelet(LIBC.memset, "write void*, int32, uint64", name="memset")
    with pytest.raises(troupe.SignatureMismatch, match="argument 2 is a uint64, which -1 is not: it is negative"):
        fill(numpy.zeros(1), 0, -1)
    with pytest.raises(troupe.SignatureMismatch, match="argument 2 is a float, but 'x' was passed"):
        kernel(numpy.zeros(1), 1, "x", True)
    with pytest.raises(troupe.SignatureMismatch, match="3 numbers, 1 and 1 were passed"):
        kernel(numpy.zeros(1), 1)
    with pytest.raises(troupe.SignatureMismatch, match="has dtype float32"):
        kernel(numpy.zeros(1, "f4"), 1, 0.5, True)
    kernel(numpy.zeros(1), 7, 0.5, True)
    with pytest.raises(troupe.KernelFailed, match="it returned 7"):
        rt.wait()


def test_a_function_of_c_gets_gaps_only_where_it_is_told_of_them(rt):
    @ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), *[ctypes.c_int64] * 2)
    def increment(a, size, step):
        for i in range(size):
            a[i * step] += 1

    deaf = troupe.c_codelet(increment, "rw double*, size, int64")
    part = rt.data(numpy.zeros((4, 4))).partition(numpy.s_[:, 2:])[0]
    make = numpy.zeros
    for gaps in (make((4, 4))[:, 0], make((4, 4))[:, :2], make((4, 4))[::2], make(10)[::2], part):
        with pytest.raises(troupe.SignatureMismatch, match="has gaps"):
            deaf(gaps, 1)
    with pytest.raises(troupe.SignatureMismatch, match="three dimensions with gaps"):
        deaf(numpy.zeros((2, 3, 4))[:, 1:], 1)
    cube = numpy.zeros((2, 3, 4))
    deaf(cube, 1)
    a, told = numpy.zeros((4, 4)), troupe.c_codelet(increment, "rw double*, size, ld")
    told(a[:, 0])
    b, c = numpy.zeros((4, 4)), numpy.zeros((4, 1))[:, 0]
    for packed in (b, c, numpy.zeros((0, 4))[:, :2], numpy.zeros((3, 4))[:1]):
        deaf(packed, 1)
    rt.wait()
    assert (a[:, 0] == 1).all() and (a[:, 1:] == 0).all() and (b == 1).all() and (c == 1).all()
    assert (cube == 1).all()


def test_a_function_of_c_gets_arrays_in_the_order_that_it_takes(rt):
    pointer, number = ctypes.POINTER(ctypes.c_double), ctypes.c_int64

    @ctypes.CFUNCTYPE(None, pointer, number, number, pointer)
    def row_sums(a, rows, cols, sums):
        for i in range(rows):
            sums[i] = sum(a[i * cols + j] for j in range(cols))

    matrix = numpy.arange(6.0).reshape(2, 3)
    by_rows = troupe.c_codelet(row_sums, "read double*, rows, cols, write double*")
    sums = numpy.zeros(2)
    by_rows(matrix, sums)
    rt.wait()
    assert sums.tolist() == [3, 12]
    with pytest.raises(troupe.SignatureMismatch, match="argument 0 .* has three dimensions.*take \"size\""):
        by_rows(numpy.zeros((2, 3, 4)), sums)
    for array in (matrix.T, matrix.copy("F")):
        with pytest.raises(troupe.SignatureMismatch, match="argument 0 .* is in Fortran order.*ascontiguousarray.*order='F'"):
            by_rows(array, sums)
    # For one row, one column and vectors, both orders of elements are equal.
    for array in (matrix[:1].copy(), matrix[:, :1].copy(), numpy.ones(3)):
        by_rows(array, numpy.zeros(3))
    by_columns = troupe.c_codelet(row_sums, "read double*, cols, rows, write double*", order="F")
    columns = numpy.zeros(3)
    by_columns(matrix.copy("F"), columns)
    rt.wait()
    assert columns.tolist() == [3, 5, 7]
    with pytest.raises(troupe.SignatureMismatch, match="argument 0 .* is in C order.*asfortranarray.*order='C'"):
        by_columns(matrix, columns)
    for told in ("ld", "row_stride", "col_stride"):
        with pytest.raises(troupe.SignatureMismatch, match="order"):
            troupe.c_codelet(row_sums, "read double*", told, "size", "write double*")(matrix.copy("F"), columns)

    @ctypes.CFUNCTYPE(None, pointer, pointer, number)
    def add(x, y, size):
        for i in range(size):
            y[i] += x[i]

    elementwise = troupe.c_codelet(add, "read double*, rw double*, size", order="any")
    for order in "CF":
        y = numpy.zeros((2, 3), order=order)
        elementwise(matrix.copy(order), y)
        rt.wait()
        assert (y == matrix).all()
    with pytest.raises(troupe.SignatureMismatch, match="argument 1 .* is in C order and .* is not"):
        elementwise(matrix.copy("F"), numpy.zeros((2, 3)))
    with pytest.raises(ValueError, match="order is 'C', 'F' or 'any', not 'fortran'"):
        troupe.c_codelet(add, "read double*, rw double*, size", order="fortran")


GRID = numpy.arange(100.0).reshape(10, 10)
IN_F = numpy.asfortranarray(GRID)


@ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), *[ctypes.c_int64] * 3, ctypes.POINTER(ctypes.c_double))
def elements_by_rows(a, rows, cols, ld, elements):
    assert ld >= max(cols, 1)
    for k in range(rows * cols):
        elements[k] = a[k // cols * ld + k % cols]


@ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), *[ctypes.c_int64] * 3, ctypes.POINTER(ctypes.c_double))
def elements_by_columns(a, rows, cols, ld, elements):
    assert ld >= max(rows, 1)
    for k in range(rows * cols):
        elements[k] = a[k // cols + k % cols * ld]


BOTH = {
    "1-D": GRID[0, :4],
    "n x 1": GRID[0, :4].reshape(4, 1),
    "1 x n": GRID[0, :4].reshape(1, 4),
    "1 x 1": GRID[:1, :1],
    "n x 1 of F": IN_F[:4, :1],
    "1 x n of C": GRID[:1, :4],
    "1-D of F": IN_F[:4, 0],
    "0-D": GRID[0, 0:1].reshape(()),
    "no rows": GRID[:0, :4],
    "no columns": GRID[:4, :0],
    "empty": GRID[0, :0],
}
IN_C_ORDER = {
    "1-D with step": GRID[0, :8:2],
    "1-D with step, two": GRID[0, :4:2],
    "a column": GRID[:4, 1],
    "a row of F": IN_F[1, :4],
    "m x n": GRID[0, :6].reshape(2, 3),
    "m x n with gaps": GRID[:3, :4],
    "m x n with steps": GRID[::2, :4],
    "n x 1 with gaps": GRID[:4, :1],
    "n x 1 with steps": GRID[::3, 2:3],
    "transposed": IN_F[:3, :4].T,
    "four dimensions": GRID[:6].reshape(2, 5, 3, 2),
}
IN_FORTRAN_ORDER = {
    "m x n": IN_F[:, :3],
    "m x n with gaps": IN_F[:3, :4],
    "m x n with steps": IN_F[:3, ::2],
    "1 x n with gaps": IN_F[:1, :4],
    "1 x n with steps": GRID[:1, :8:2],
    "transposed": GRID[:3, :4].T,
}


@pytest.mark.parametrize(
    "order, name, array",
    [("C", name, array) for name, array in (BOTH | IN_C_ORDER).items()]
    + [("F", name, array) for name, array in (BOTH | IN_FORTRAN_ORDER).items()],
)
def test_ld_is_that_of_the_order_that_the_function_takes(rt, order, name, array):
    function = elements_by_rows if order == "C" else elements_by_columns
    kernel = troupe.c_codelet(function, "read double*, rows, cols, ld, write double*", order=order)
    elements = numpy.full(array.size + 1, -1.0)
    kernel(array, elements)
    rt.wait()
    assert elements.tolist() == [*array.ravel().tolist(), -1.0]


@pytest.mark.parametrize("order", ["F", "any"])
def test_an_array_without_an_ld_is_refused(rt, order):
    kernel = troupe.c_codelet(
        elements_by_columns, "read double*, rows, cols, ld, write double*", order=order, name="by_columns"
    )
    target = numpy.zeros((4, 4), order="F")
    words = r"'by_columns': argument 0 \(.*\) has gaps between its elements, and so has no \"ld\" in Fortran order: pass"
    for array in (GRID[0, :8:2], GRID[:4, 1], IN_F[1, :4]):
        with pytest.raises(troupe.SignatureMismatch, match=words):
            kernel(array, target)


def test_ld_for_functions_that_know_the_order_or_do_not_need_it(rt):
    seen = []

    @ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), *[ctypes.c_int64] * 3)
    def note(a, ld, row_stride, col_stride):
        seen.append((ld, row_stride, col_stride))

    @ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double), ctypes.c_int64)
    def note_second(a, b, ld):
        seen.append(ld)

    for order, array, told in [
        ("F", GRID[0, :8:2], (2, 2, 1)),
        ("F", GRID[:2, :3], (10, 10, 1)),
        ("C", IN_F[:2, :3], (10, 1, 10)),
        ("C", GRID[0, :4], (1, 1, 4)),
        ("F", GRID[0, :4], (4, 1, 4)),
    ]:
        troupe.c_codelet(note, "read double*", "ld, row_stride, col_stride", order=order)(array)
        rt.wait()
        assert seen.pop() == told
    second = troupe.c_codelet(note_second, "read double*, read double*, ld", order="any")
    for first, ld in [(GRID[0, 4:8], 1), (GRID[0, 4:8].reshape(2, 2), 1), (IN_F[:, :2], 4)]:
        second(first, GRID[0, :4])
        rt.wait()
        assert seen.pop() == ld


def test_a_function_of_c_is_told_of_gaps_by_the_stride_that_has_them(rt):
    @ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), ctypes.c_int64)
    def note(a, stride):
        pass

    by_row, by_column = (troupe.c_codelet(note, "read double*", told) for told in ("row_stride", "col_stride"))
    for gaps in (GRID[0, :8:2], GRID[:4, :2]):
        by_row(gaps)
        with pytest.raises(troupe.SignatureMismatch, match='has gaps .* is not told.*"row_stride"'):
            by_column(gaps)


def test_a_cfunc_of_numba(rt):
    numba = pytest.importorskip("numba")
    types = numba.types

    @numba.cfunc(types.void(types.CPointer(types.double), types.CPointer(types.double), types.int64, types.double))
    def axpy_cfunc(x, y, n, alpha):
        for i in range(n):
            y[i] += alpha * x[i]

    kernel = troupe.c_codelet(axpy_cfunc, "read double*, rw double*, size, double")
    x, y = numpy.ones(100), numpy.zeros(100)
    for _ in range(10):
        kernel(x, y, 2.0)
    rt.wait()
    assert (y == 20).all() and kernel.name == "axpy_cfunc"


def test_the_kernels_that_come_with_troupe(rt):
    a, b = (numpy.asfortranarray(numpy.random.default_rng(i).random((8, 8))) for i in (1, 2))
    c = numpy.zeros((8, 8), order="F")
    gemm = troupe.kernels["gemm_nt/double"]
    gemm(a, b, c, 0)
    rt.wait()
    assert numpy.allclose(c, -a @ b.T)
    with pytest.raises(troupe.SignatureMismatch, match="C order"):
        gemm(numpy.zeros((8, 8)), b, c, 0)
    with pytest.raises(troupe.SignatureMismatch, match="float32"):
        gemm(a.astype("f4"), b, c, 0)
    fill = troupe.kernels["fill_symmetric/double"]
    fill(c, 0, 0, 7, 100.0)
    troupe.kernels["potrf/double"](c, 0, 0)
    rt.wait()
    fill(c, 0, 0, 7, -100.0)
    failed = troupe.kernels["potrf/double"](c, 0, 0)
    with pytest.raises(troupe.NumericalError):
        rt.wait()
    rt.close()
    assert isinstance(failed.exception(), troupe.NumericalError)
