"""Compares factorizations and solutions with numpy's, for every order of elements and both precisions."""

import os
import threading
import time

import numpy as np
import pytest

import troupe
import troupe.linalg as tl
from conftest import not_under_asan

TYPES = (np.float32, np.float64)
SIZES = (1, 7, 65, 300)
RANDOM = np.random.default_rng(19)


def definite(n, dtype=np.float64):
    a = RANDOM.standard_normal((n, n))
    return (a @ a.T / n + np.eye(n)).astype(dtype)


def general(rows, cols, dtype=np.float64):
    a = RANDOM.standard_normal((rows, cols))
    a[np.diag_indices(min(rows, cols))] += 4
    return a.astype(dtype)


def in_c(a):
    return a.copy("C")


def in_fortran(a):
    return a.copy("F")


def strided(a):
    whole = np.full((2 * a.shape[0], 3 * a.shape[1] + 1), np.nan, a.dtype)
    whole[::2, 1::3] = a
    return whole[::2, 1::3]


def reversed_rows(a):
    return a[::-1].copy("C")[::-1]


LAYOUTS = (in_c, in_fortran, strided, reversed_rows)


def near(x, y, n, scale=1.0):
    """True if two arrays are equal, except for rounding errors of about `n` steps."""
    bound = 100 * max(n, 1) * np.finfo(np.asarray(x).dtype).eps * scale
    return np.abs(np.asarray(x, np.float64) - np.asarray(y, np.float64)).max(initial=0) < bound


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", TYPES)
def test_cholesky_is_numpys_lower_factor_of_the_lower_triangle(layout, dtype):
    for n in SIZES:
        a = layout(definite(n, dtype))
        a[np.triu_indices(n, 1)] = np.nan
        before = a.copy()
        factor = tl.cholesky(a)
        assert factor.dtype == dtype and factor is not a
        assert near(factor, np.linalg.cholesky(np.tril(before) + np.tril(before, -1).T), n)
        assert not np.triu(factor, 1).any()
        assert np.array_equal(a, before, equal_nan=True)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", TYPES)
def test_cholesky_overwrites_any_order(layout, dtype):
    for n in SIZES:
        a = layout(definite(n, dtype))
        expected = np.linalg.cholesky(a)
        assert tl.cholesky(a, overwrite_a=True) is a
        assert near(a, expected, n)


@pytest.mark.parametrize("overwrite", (False, True))
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", TYPES)
def test_lu_gives_what_multiplies_to_the_matrix(layout, dtype, overwrite):
    for n in SIZES:
        original = RANDOM.standard_normal((n, n)).astype(dtype)
        a = layout(original)
        p, lower, upper = tl.lu(a, overwrite_a=overwrite)
        assert (upper is a) == overwrite
        assert near(p @ lower @ upper, original, n, 10)
        assert np.array_equal(np.tril(lower), lower) and (np.diag(lower) == 1).all()
        assert np.array_equal(np.triu(upper), upper)
        assert np.abs(lower).max() <= 1, "partial pivoting keeps multipliers small"
        assert np.array_equal(p.sum(0), np.ones(n)) and np.array_equal(p.sum(1), np.ones(n))
        rows, lower, upper = tl.lu(layout(original), p_indices=True)
        assert near(lower[rows] @ upper, original, n, 10)


def test_lu_factor_gives_what_lapack_would():
    for n in SIZES:
        a = general(n, n)
        factors, exchanges = tl.lu_factor(a)
        x = np.ones(n)
        for i, other in enumerate(exchanges):
            x[[i, other]] = x[[other, i]]
        x = np.linalg.solve(np.triu(factors), np.linalg.solve(np.tril(factors, -1) + np.eye(n), x))
        assert near(a @ x, np.ones(n), n)


@pytest.mark.parametrize("mode", ("reduced", "complete"))
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", TYPES)
def test_qr_of_tall_square_and_wide_matrices(layout, dtype, mode):
    for rows, cols in ((1, 1), (65, 65), (300, 65), (65, 300)):
        original = general(rows, cols, dtype)
        a = layout(original)
        q, r = tl.qr(a, mode)
        like_q, like_r = np.linalg.qr(original, mode)
        assert q.shape == like_q.shape and r.shape == like_r.shape and q.dtype == dtype
        assert np.array_equal(np.triu(r), r)
        assert q.flags.f_contiguous and r.flags.f_contiguous
        assert near(q @ r, original, max(rows, cols))
        assert near(q.T @ q, np.eye(q.shape[1]), rows)
        assert np.array_equal(a, original)
        assert near(np.abs(tl.qr(a, "r", overwrite_a=True)), np.abs(np.linalg.qr(original, "r")), max(rows, cols))


@pytest.mark.parametrize("overwrite", (False, True))
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", TYPES)
def test_solve_with_vectors_and_matrices(layout, dtype, overwrite):
    n = 130
    symmetric = general(n, n, dtype)
    symmetric = symmetric + symmetric.T
    symmetric[0, 0] = -9
    for assume, original in (("gen", general(n, n, dtype)), ("pos", definite(n, dtype)), ("sym", definite(n, dtype)),
                             ("sym", symmetric)):
        for right in (np.ones(n, dtype), general(n, 3, dtype)):
            a = layout(original)
            b = layout(right) if right.ndim == 2 else right.copy()
            x = tl.solve(a, b, assume=assume, overwrite_a=overwrite, overwrite_b=overwrite)
            assert x.shape == b.shape and x.dtype == dtype and (x is b) == overwrite
            residual = original.astype(np.float64) @ x - right
            assert near(residual / np.abs(x).max(), np.zeros_like(residual), n, 10 * np.finfo(dtype).eps / 2.2e-16)


@pytest.mark.parametrize("overwrite", (False, True))
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", TYPES)
def test_of_a_symmetric_matrix_the_lower_triangle_is_read(layout, dtype, overwrite):
    for n in (2, 100):
        whole = RANDOM.standard_normal((n, n))
        whole += whole.T
        whole[0, 0] = -9  # The matrix is indefinite, so Cholesky fails and the solve continues with LU.
        for matrix, assumed in ((whole, ["sym"]), (whole @ whole.T + np.eye(n), ["sym", "pos"])):
            right = matrix.astype(dtype) @ np.ones((n, 2), dtype)
            for above in (0, 7, np.nan):
                for assume in assumed:
                    a = layout(np.where(np.tri(n, dtype=bool), matrix, above).astype(dtype))
                    x = tl.solve(a, right, assume=assume, overwrite_a=overwrite, tile=32)
                    assert near(x, np.ones((n, 2)), n, np.linalg.cond(matrix)), (assume, above)


def test_arguments_may_share_memory():
    n = 100
    rhs = {
        "the matrix": (lambda a: a, np.eye(n)),
        "a column": (lambda a: a[:, 3], np.eye(n)[:, 3]),
        "a row": (lambda a: a[3], None),
        "some columns": (lambda a: a[:, 40:60], np.eye(n)[:, 40:60]),
        "backwards": (lambda a: a[:, ::-1], np.eye(n)[:, ::-1]),
    }
    whole = definite(n)
    for assume in ("gen", "pos", "sym"):
        for layout in (in_c, in_fortran, strided):
            for overwrite in ({"overwrite_a": True}, {"overwrite_b": True}, {"overwrite_a": True, "overwrite_b": True}):
                for name, (pick, expected) in rhs.items():
                    a = layout(whole)
                    b = pick(a)
                    wanted = np.linalg.solve(whole, pick(whole)) if expected is None else expected
                    x = tl.solve(a, b, assume=assume, tile=32, **overwrite)
                    assert near(x, wanted, n), (assume, overwrite, name)
                    assert not overwrite.get("overwrite_b") or (x is b and near(b, wanted, n))


def test_what_overlaps_itself_cannot_be_overwritten():
    rolling = np.lib.stride_tricks.as_strided(np.arange(1.0, 20.0), (5, 5), (8, 16))
    constant = np.lib.stride_tricks.as_strided(np.ones(5), (5, 5), (8, 0))
    for a in (rolling, constant):
        with pytest.raises(ValueError, match="several elements of a are the same memory"):
            tl.lu(a, overwrite_a=True)
    assert near(tl.qr(rolling, "r")[0, 0] ** 2, (rolling[:, 0] ** 2).sum(), 5, 100)
    line = np.broadcast_to(np.ones(1), 3).copy()[::-1]
    assert tl.solve(np.eye(3), line, overwrite_b=True) is line


def test_float32_is_computed_in_double_as_in_numpy_unless_single_is_asked_for():
    n = 60
    u, v = (np.linalg.qr(RANDOM.standard_normal((n, n)))[0] for _ in range(2))
    single = (u * np.logspace(0, -5, n) @ v).astype(np.float32)
    spd = (u * np.logspace(0, -5, n) @ u.T).astype(np.float32)
    spd = np.tril(spd) + np.tril(spd, -1).T
    right = np.ones(n, np.float32)

    def error(x, expected):
        assert x.dtype == np.float32
        return np.abs(x - expected).max() / np.abs(expected).max()

    for assume, a in (("gen", single), ("pos", spd), ("sym", spd)):
        exact = np.linalg.solve(a.astype(np.float64), right.astype(np.float64))
        for layout in LAYOUTS:
            b = right.copy()
            assert error(tl.solve(layout(a), b, assume=assume, overwrite_b=True), exact) < 1e-6
            assert tl.solve(layout(a), b, assume=assume, overwrite_a=True).dtype == np.float32
        assert error(tl.solve(a, right, assume=assume, precision="single"), exact) > 1e-5
    exact = np.linalg.cholesky(spd.astype(np.float64))
    assert error(tl.cholesky(spd), exact) < 1e-7 < error(tl.cholesky(spd, precision="single"), exact)
    overwritten = spd.copy("F")
    assert tl.cholesky(overwritten, overwrite_a=True) is overwritten and error(overwritten, exact) < 1e-7
    exact = np.abs(np.linalg.qr(single.astype(np.float64))[1])
    assert error(np.abs(tl.qr(single)[1]), exact) < 1e-7 < error(np.abs(tl.qr(single, precision="single")[1]), exact)
    assert [part.dtype for part in tl.qr(single)] == [np.float32] * 2
    for call in (tl.cholesky, tl.qr, lambda a, **options: tl.solve(a, a, **options)):
        with pytest.raises(ValueError, match="precision is 'half'"):
            call(spd, precision="half")
        with pytest.raises(ValueError, match="for arrays of float32, not of float64"):
            call(np.eye(2), precision="single")


def test_a_call_leaves_the_program_its_threads_of_blas(run_program):
    program = """
import ctypes, sys
import numpy as np
names = {line.split()[-1] for line in open("/proc/self/maps") if "openblas" in line}
found = [ctypes.CDLL(name) for name in names]
found = [one for one in found if hasattr(one, "openblas_set_num_threads")]
if not found:
    sys.exit("none")
blas = found[0]
blas.openblas_set_num_threads(2)
import troupe, troupe.linalg as tl
a = 4 * np.eye(300)
tl.cholesky(a)
between = [blas.openblas_get_num_threads()]
with troupe.Runtime(cores=1) as rt:
    tl.cholesky(a, runtime=rt)
    between.append(blas.openblas_get_num_threads())
    f = np.asfortranarray(a)
    troupe.kernels["potrf/double"](f, 0, 0)
    rt.wait()
    between.append(blas.openblas_get_num_threads())
between.append(blas.openblas_get_num_threads())
print(between)
"""
    done = run_program(program)
    if done.stderr.strip() == "none":
        pytest.skip("numpy's BLAS library is not OpenBLAS, or one of its own")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[0] in ("[2, 2, 2, 2]", "[1, 1, 1, 1]")


def test_an_array_that_tasks_have_used_can_be_overwritten():
    @troupe.codelet("rw")
    def double(a):
        a *= 2

    with troupe.Runtime(cores=1) as rt:
        a = np.asfortranarray(definite(50))
        expected = np.linalg.cholesky(2 * a)
        double(a)
        assert near(tl.cholesky(a, overwrite_a=True, runtime=rt), expected, 50)
        double(a)
        rt.wait()
        assert near(a, 2 * expected, 50)


def test_what_is_no_array_becomes_one():
    assert np.array_equal(tl.cholesky([[4, 2], [2, 5]]), [[2, 0], [1, 2]])
    assert np.array_equal(tl.solve(np.array([[2, 0], [0, 4]], dtype=np.int32), [2, 4]), [1, 1])
    assert tl.solve(np.eye(2, dtype=np.float32), np.ones(2)).dtype == np.float64
    swapped = definite(20).astype(">f8")
    assert near(tl.cholesky(swapped), np.linalg.cholesky(swapped.astype(np.float64)), 20)


def test_a_structured_field_is_no_matrix_in_whole_strides():
    whole = np.zeros((9, 9), [("number", np.int32), ("value", np.float64)])
    whole["value"] = definite(9)
    assert near(tl.cholesky(whole["value"]), np.linalg.cholesky(whole["value"]), 9)
    with pytest.raises(ValueError, match="not aligned"):
        tl.cholesky(whole["value"], overwrite_a=True)


def test_empty_matrices():
    empty = np.zeros((0, 0))
    assert tl.cholesky(empty).shape == (0, 0)
    assert [part.shape for part in tl.lu(empty)] == [(0, 0)] * 3
    assert [part.shape for part in tl.qr(np.zeros((0, 3)))] == [(0, 0), (0, 3)]
    assert [part.shape for part in tl.qr(np.zeros((3, 0)), "complete")] == [(3, 3), (3, 0)]
    assert tl.solve(empty, np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    ("call", "text"),
    (
        (lambda: tl.cholesky([[1.0, 2.0], [2.0, 1.0]]), "the matrix is not positive definite: its leading minor of order 2"),
        (lambda: tl.solve([[1.0, 2.0], [2.0, 1.0]], [1, 1], assume="pos"), "not positive definite"),
        (lambda: tl.lu(np.zeros((3, 3))), "the matrix is singular: pivot 1 is exactly zero"),
        (lambda: tl.solve(np.zeros((3, 3)), np.ones(3)), "the matrix is singular"),
        (lambda: tl.solve(np.zeros((3, 3)), np.ones(3), assume="sym"), "the matrix is singular"),
        (lambda: tl.cholesky(np.ones((2, 3))), "a is 2 x 3: the matrix must be square"),
        (lambda: tl.lu(np.ones(3)), "a has 1 dimensions"),
        (lambda: tl.solve(np.eye(3), np.ones(2)), "b has 2 rows, and a has 3"),
        (lambda: tl.solve(np.eye(3), np.ones((3, 1, 1))), "b has 3 dimensions"),
    ),
)
def test_what_is_wrong_with_a_matrix_is_numpys_error_and_ours(call, text):
    with pytest.raises(np.linalg.LinAlgError, match=text) as caught:
        call()
    assert isinstance(caught.value, troupe.TroupeError)
    # The shared runtime must still work after the error.
    assert near(tl.cholesky(4 * np.eye(100)), 2 * np.eye(100), 100)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    (
        (lambda: tl.cholesky(np.eye(2, dtype=np.complex128)), TypeError, "a is of type complex128"),
        (lambda: tl.cholesky(np.eye(2, dtype=np.float16)), TypeError, "float16"),
        (lambda: tl.lu(np.array([[None]])), TypeError, "object"),
        (lambda: tl.solve(np.eye(2), np.array(["1", "2"])), TypeError, "b is of type"),
        (lambda: tl.cholesky(np.eye(2, dtype=int), overwrite_a=True), ValueError, "float64 to overwrite, not one of int64"),
        (lambda: tl.cholesky([[1.0]], overwrite_a=True), ValueError, "to overwrite, not list"),
        (lambda: tl.qr(np.eye(2), "full"), ValueError, "mode is 'full'"),
        (lambda: tl.solve(np.eye(2), np.ones(2), assume="her"), ValueError, "assume is 'her'"),
        (lambda: tl.cholesky(np.eye(2), tile=2.5), TypeError, "tile is int, .* not 2.5"),
        (lambda: tl.lu(np.eye(2), tile=-1), ValueError, "tile=-1"),
        (lambda: tl.qr(np.eye(2), tile=1 << 70), ValueError, "tile=1180591620717411303424"),
    ),
)
def test_what_is_wrong_with_a_call_says_so(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_read_only_arrays_are_read_and_not_overwritten():
    a = definite(30)
    a.flags.writeable = False
    assert near(tl.cholesky(a), np.linalg.cholesky(a), 30)
    with pytest.raises(ValueError, match="a is read-only"):
        tl.cholesky(a, overwrite_a=True)


def test_tiles_of_any_width_and_a_runtime_of_ones_own():
    a = definite(200)
    with troupe.Runtime(cores=1) as runtime:
        for tile in (1, 17, np.int64(64), 1000):
            assert near(tl.cholesky(a, tile=tile, runtime=runtime), np.linalg.cholesky(a), 200)
        p, lower, upper = tl.lu(a, tile=33, runtime=runtime)
        assert near(p @ lower @ upper, a, 200, 10)
    with pytest.raises(troupe.TroupeError):
        tl.cholesky(a, runtime=runtime)


def test_arguments_are_what_tasks_before_have_written():
    @troupe.codelet("write")
    def fill(a):
        time.sleep(0.1)
        a[...] = 4 * np.eye(5)

    calls = (
        lambda a, rt: troupe.linalg.cholesky(a, runtime=rt)[0, 0] == 2,
        lambda a, rt: troupe.linalg.lu(a, runtime=rt)[2][0, 0] == 4,
        lambda a, rt: abs(troupe.linalg.qr(a, runtime=rt)[1][0, 0]) == 4,
        lambda a, rt: troupe.linalg.solve(a, np.ones(5), runtime=rt)[0] == 0.25,
    )
    with troupe.Runtime(cores=1) as rt:
        for call in calls:
            a = np.eye(5)
            fill(a)
            assert call(a, rt)


def test_threads_share_one_runtime_and_see_their_own_failures_only():
    good, bad = definite(150), -np.eye(150)
    wrong = []

    def work(matrix, fails):
        for _ in range(10):
            try:
                ok = near(tl.cholesky(matrix), np.linalg.cholesky(matrix), 150) and not fails
            except np.linalg.LinAlgError:
                ok = fails
            if not ok:
                wrong.append(matrix)

    threads = [threading.Thread(target=work, args=(bad, True) if i % 2 else (good, False)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@not_under_asan
def test_a_child_of_fork_has_a_runtime_of_its_own():
    tl.cholesky(definite(50))
    child = os.fork()
    if child == 0:
        a = 4 * np.eye(50)
        os._exit(0 if np.array_equal(tl.cholesky(a), 2 * np.eye(50)) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
