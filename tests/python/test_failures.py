"""If a kernel raises an exception, the program's wait raises an error with this exception and its traceback."""

import traceback

import numpy
import pytest

import troupe


class Unusual(Exception):
    pass


@troupe.codelet("rw")
def fail(a, what):
    raise Unusual(what)


@troupe.codelet("rw")
def touch(a):
    a += 1


def test_wait_raises_with_the_exception_of_the_kernel(rt):
    fail(numpy.zeros(1), "boom", name="the first")
    with pytest.raises(troupe.KernelFailed) as caught:
        rt.wait()
    error = caught.value
    assert "'the first'" in str(error) and "codelet fail" in str(error) and "Unusual: boom" in str(error)
    assert error.code == "kernel_failed"
    cause = error.__cause__
    assert type(cause) is Unusual and cause.args == ("boom",) and error.failures == [cause]
    assert traceback.extract_tb(cause.__traceback__)[-1].line == "raise Unusual(what)"
    rt.wait()


def test_what_depends_on_a_failure_is_cancelled(rt):
    a = numpy.zeros(1)
    fail(a, "boom")
    after = touch(a)
    with pytest.raises(troupe.KernelFailed, match="1 task was cancelled"):
        rt.wait()
    assert after.cancelled() and a[0] == 0
    with pytest.raises(troupe.Cancelled):
        after.result()


def test_a_flood_of_failures_is_counted(rt):
    for i in range(1000):
        fail(numpy.zeros(1), str(i))
    with pytest.raises(troupe.KernelFailed, match="and 992 more") as caught:
        rt.wait()
    assert len(caught.value.failures) == 1000


def test_the_end_of_the_block_raises():
    with pytest.raises(troupe.KernelFailed, match="boom"):
        with troupe.Runtime(cores=1):
            fail(numpy.zeros(1), "boom")


def test_the_end_of_the_block_does_not_raise_what_a_future_has_raised():
    with troupe.Runtime(cores=1):
        future = fail(numpy.zeros(1), "boom")
        with pytest.raises(troupe.KernelFailed, match="boom"):
            future.result()
    with troupe.Runtime(cores=1):
        a = numpy.zeros(1)
        future = fail(a, "boom")
        touch(a)
        assert isinstance(future.exception().__cause__, Unusual)


def nested_failure(rt, a):
    @troupe.codelet("rw")
    def outer(x):
        fail(x, "boom")

    outer(a, nested=True)


def failing_run(rt, a):
    data = rt.data(a)
    with rt.record() as recorded:
        fail(data, "boom")
    recorded.run()


@pytest.mark.parametrize("failing", [lambda rt, a: fail(a, "boom"), nested_failure, failing_run])
def test_the_end_of_the_block_raises_what_cancelled_others(failing):
    for _ in range(20):
        with pytest.raises(troupe.KernelFailed, match="boom"):
            with troupe.Runtime(cores=1) as rt:
                a = numpy.zeros(1)
                failing(rt, a)
                touch(a)


def test_the_end_of_the_block_raises_a_cancellation_beside_what_a_future_has_raised():
    with pytest.raises(troupe.TroupeError, match="1 task was cancelled"):
        with troupe.Runtime(cores=1) as rt:
            a = numpy.zeros(1)
            with rt.data(a).acquire("rw"):
                held = touch(a)
                held.cancel()
            assert fail(numpy.zeros(1), "boom").exception() is not None


def test_an_exception_of_a_future_that_leaves_the_block_is_no_warning(run_program):
    done = run_program(
        """
import numpy, troupe
@troupe.codelet("rw")
def bad(a): raise ValueError("boom")
try:
    with troupe.Runtime(cores=1) as rt:
        bad(numpy.zeros(1)).result()
except troupe.KernelFailed as error:
    print(repr(error.__cause__))
"""
    )
    assert (done.stdout, done.stderr) == ("ValueError('boom')\n", "")


def test_the_end_of_the_block_raises_all_where_one_failure_is_new():
    with pytest.raises(troupe.KernelFailed, match="2 tasks failed.*known.*new"):
        with troupe.Runtime(cores=1):
            known = fail(numpy.zeros(1), "known")
            fail(numpy.zeros(1), "new")
            assert known.exception() is not None


def test_a_wait_raises_what_a_future_has_raised(rt):
    future = fail(numpy.zeros(1), "boom")
    assert future.exception() is not None
    with pytest.raises(troupe.KernelFailed, match="boom"):
        rt.wait()


def test_an_exception_in_the_block_goes_on_and_cancels():
    a = numpy.zeros(1)
    with pytest.raises(Unusual, match="mine"):
        with troupe.Runtime(cores=1) as rt:
            with rt.data(a).acquire("rw"):
                touch(a)
                raise Unusual("mine")
    assert rt.closed


def test_errors_of_the_runtime_inside_of_kernels_keep_their_code(rt):
    @troupe.codelet("rw")
    def wait(a):
        rt.wait()

    wait(numpy.zeros(1))
    with pytest.raises(troupe.WaitInKernel):
        rt.wait()


def test_cancelled_tasks_do_not_run(rt):
    a, data = numpy.zeros(1), None
    data = rt.data(a)
    with data.acquire("rw"):
        future = touch(data)
        rt.cancel()
    with pytest.raises(troupe.Cancelled, match="cancelled all tasks"):
        rt.wait()
    assert future.cancelled() and a[0] == 0


def test_an_exception_that_cannot_be_printed(rt):
    class Dumb(Exception):
        def __str__(self):
            raise ValueError

    @troupe.codelet("rw")
    def raise_dumb(a):
        raise Dumb()

    raise_dumb(numpy.zeros(1))
    with pytest.raises(troupe.KernelFailed, match="Dumb"):
        rt.wait()


def test_base_exceptions_are_failures_too(rt):
    @troupe.codelet("rw")
    def leave(a):
        raise SystemExit(3)

    leave(numpy.zeros(1))
    with pytest.raises(troupe.KernelFailed) as caught:
        rt.wait()
    assert isinstance(caught.value.__cause__, SystemExit)
