"""Factorizations and solutions beside numpy's, for every order of elements and both precisions."""

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
    """Whether two arrays are equal but for rounding in so many steps."""
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
    # The runtime that all share is as good as before.
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
