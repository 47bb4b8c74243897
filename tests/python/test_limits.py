"""Deadlines and stop tokens of tasks, calls and executors."""

import concurrent.futures
import datetime
import threading
import time

import numpy
import pytest

import troupe


@troupe.codelet("rw")
def fill(a, value=1.0):
    a[:] = value


@troupe.codelet("rw")
def until_cancelled(a, begun):
    begun.set()
    while not troupe.cancelled():
        time.sleep(0.001)


def wait_until_cancelled(begun):
    begun.set()
    give_up = time.monotonic() + 60
    while not troupe.cancelled():
        assert time.monotonic() < give_up
        time.sleep(0.001)
    return "told"


@pytest.fixture
def busy(rt):
    """Data that tasks cannot use while the gate is closed, and the gate."""
    a = numpy.zeros(1)
    data = rt.data(a)
    hold = data.acquire("rw")
    hold.__enter__()
    yield data
    hold.__exit__(None, None, None)
    try:
        rt.wait()
    except troupe.Cancelled:
        pass


def test_tasks_of_a_stopped_token_do_not_run(rt):
    token = troupe.StopToken()
    a, b = numpy.zeros(1), numpy.zeros(1)
    data = rt.data(a)
    with data.acquire("rw"):
        stopped = [fill(data, stop=token), rt.submit(fill, data, 2.0, stop=token)]
        other = rt.submit(fill, b)
        assert not token.stop_requested()
        assert token.request_stop() and not token.request_stop()
        assert token.stop_requested()
    for future in stopped:
        with pytest.raises(troupe.Cancelled, match="a stop was requested of its token"):
            future.result(timeout=60)
        assert future.cancelled()
    other.result(timeout=60)
    assert a[0] == 0 and b[0] == 1
    with pytest.raises(troupe.Cancelled):
        rt.wait()


@pytest.mark.parametrize("limit", ["stop", "deadline", "timedelta"])
def test_kernels_and_functions_that_run_learn_of_it(rt, limit):
    token = troupe.StopToken()
    option = {
        "stop": {"stop": token},
        "deadline": {"deadline": 0.3},
        "timedelta": {"deadline": datetime.timedelta(milliseconds=300)},
    }[limit]
    begun = [threading.Event(), threading.Event()]
    kernel = until_cancelled(numpy.zeros(1), begun[0], **option)
    call = rt.call(wait_until_cancelled, begun[1], **option)
    assert all(one.wait(60) for one in begun)
    token.request_stop()
    for future in (kernel, call):
        with pytest.raises(concurrent.futures.CancelledError, match="its kernel was told"):
            future.result(timeout=60)
    with pytest.raises(troupe.Cancelled):
        rt.wait()


@pytest.mark.parametrize("seconds", [0, 0.01, numpy.float32(0.01), numpy.int64(0), datetime.timedelta(0)])
def test_late_tasks_are_cancelled_before_they_begin(rt, busy, seconds):
    late = fill(busy, deadline=seconds)
    called = rt.call(int, after=late, deadline=60)
    first = rt.call(int, deadline=0)
    time.sleep(0.02)
    busy_until_here = not late.done()
    assert busy_until_here
    with pytest.raises(troupe.Cancelled, match="deadline"):
        first.result(timeout=60)
    assert not called.done()


def test_deadlines_that_are_far_do_nothing(rt):
    for seconds in (60, 1e9, 1e300, float("inf"), datetime.timedelta.max, None):
        assert rt.call(abs, -3, deadline=seconds).result(timeout=60) == 3
    a = numpy.zeros(1)
    fill(a, deadline=None, stop=None)
    rt.wait()
    assert a[0] == 1


def test_cancelled_calls_are_no_failures(rt):
    token = troupe.StopToken()
    token.request_stop()
    futures = [rt.call(abs, -1, deadline=0), rt.call(abs, -1, stop=token)]
    rt.wait()
    assert all(future.cancelled() for future in futures)


def test_calls_inside_of_a_call_have_its_limits(rt):
    token = troupe.StopToken()
    begun = threading.Event()
    seen = []

    def inner():
        seen.append(wait_until_cancelled(begun))

    def outer():
        try:
            rt.call(rt.call, inner).result().result()
        finally:
            seen.append(troupe.cancelled())

    future = rt.call(outer, stop=token)
    assert begun.wait(60)
    token.request_stop()
    with pytest.raises((troupe.Cancelled, concurrent.futures.CancelledError)):
        future.result(timeout=60)
    assert seen == ["told", True]
    late = rt.call(lambda: rt.call(wait_until_cancelled, threading.Event()).result(), deadline=0.1)
    with pytest.raises((troupe.Cancelled, concurrent.futures.CancelledError)):
        late.result(timeout=60)


def test_children_of_a_nested_task_have_its_limits(rt):
    token = troupe.StopToken()
    begun = threading.Event()

    @troupe.codelet("rw")
    def parent(a):
        until_cancelled(a, begun)

    future = parent(numpy.zeros(1), nested=True, stop=token)
    assert begun.wait(60)
    token.request_stop()
    with pytest.raises(troupe.Cancelled):
        future.result(timeout=60)
    with pytest.raises(troupe.TroupeError):
        rt.wait()


@pytest.mark.parametrize(
    "option, value, error, sentence",
    [
        ("deadline", -1, ValueError, "deadline=-1: give the seconds from now, 0 or more"),
        ("deadline", float("nan"), ValueError, "deadline=nan: give the seconds from now, 0 or more"),
        (
            "deadline",
            datetime.timedelta(seconds=-1),
            ValueError,
            "deadline=datetime.timedelta(days=-1, seconds=86399): give the seconds from now, 0 or more",
        ),
        ("deadline", "5", TypeError, "deadline is seconds from now (float) or a datetime.timedelta, not '5'"),
        ("deadline", True, TypeError, "deadline is seconds from now (float) or a datetime.timedelta, not True"),
        (
            "deadline",
            numpy.timedelta64(5, "s"),
            TypeError,
            "deadline is seconds from now (float) or a datetime.timedelta, not numpy.timedelta64(5,'s')",
        ),
        ("stop", 5, TypeError, "stop is a troupe.StopToken, not 5"),
        ("stop", troupe.StopToken, TypeError, "stop is a troupe.StopToken, not <class 'troupe._troupe.StopToken'>"),
    ],
)
def test_bad_values_are_refused(rt, option, value, error, sentence):
    for submit in (lambda **o: fill(numpy.zeros(1), **o), lambda **o: rt.call(int, **o)):
        with pytest.raises(error) as refused:
            submit(**{option: value})
        assert str(refused.value) == sentence


def test_parameters_of_a_function_with_these_names_are_its_own(rt):
    def between(start=0, stop=10, deadline=None):
        return start, stop, deadline

    assert rt.call(between, stop=3, deadline="soon").result(timeout=60) == (0, 3, "soon")


def test_recordings_take_neither(rt):
    a = numpy.zeros(1)
    with rt.record() as step:
        fill(a)
        for option in ({"deadline": 5}, {"stop": troupe.StopToken()}):
            with pytest.raises(troupe.InvalidArgument, match="'fill' has deadline= or stop=.*a recorded task cannot"):
                fill(a, **option)
    step.run().result(timeout=60)
    assert a[0] == 1


def test_deterministic_runs_take_tokens_only():
    token = troupe.StopToken()
    with troupe.Runtime(cores=1, deterministic=True) as rt:
        with pytest.raises(troupe.InvalidArgument, match="use stop="):
            rt.call(int, deadline=5)
        token.request_stop()
        assert rt.call(int, stop=token).exception() is not None


def test_tokens_outlive_and_are_shared():
    token = troupe.StopToken()
    with troupe.Runtime(cores=1) as one, troupe.Runtime(cores=1) as other:
        begun = [threading.Event(), threading.Event()]
        futures = [rt.call(wait_until_cancelled, event, stop=token) for rt, event in zip((one, other), begun)]
        assert all(event.wait(60) for event in begun)
        threading.Thread(target=token.request_stop).start()
        assert concurrent.futures.wait(futures, timeout=60).not_done == set()
        assert all(future.cancelled() for future in futures)
    assert repr(token) == "<troupe.StopToken, stop requested>" and repr(troupe.StopToken()) == "<troupe.StopToken>"


@pytest.mark.parametrize("shared", [False, True])
def test_functions_of_a_stopped_executor_are_cancelled(rt, shared):
    token = troupe.StopToken()
    with troupe.Executor(1, runtime=rt if shared else None, stop=token) as executor:
        begun = threading.Event()
        running = executor.submit(wait_until_cancelled, begun)
        assert begun.wait(60)
        waiting = [executor.submit(int) for _ in range(20)]
        token.request_stop()
        assert running.result(timeout=60) == "told"
        assert concurrent.futures.wait(waiting, timeout=60).not_done == set()
        assert all(future.cancelled() for future in waiting)
        later = executor.submit(int)
        with pytest.raises(concurrent.futures.CancelledError):
            later.result(timeout=60)
    with pytest.raises(TypeError, match="stop is a troupe.StopToken, not 3"):
        troupe.Executor(1, stop=3)


def test_functions_that_wait_for_a_stopped_executor_are_told():
    token = troupe.StopToken()
    with troupe.Executor(1, stop=token) as executor:

        def outer():
            inner = executor.submit(int, "5")
            token.request_stop()
            with pytest.raises(concurrent.futures.CancelledError):
                inner.result()
            return "went on"

        assert executor.submit(outer).result(timeout=60) == "went on"
