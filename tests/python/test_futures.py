"""Futures work like those of concurrent.futures and asyncio."""

import asyncio
import concurrent.futures
import sys
import threading
import time

import numpy
import pytest

import troupe


@troupe.codelet("rw")
def after(a, gate, result):
    if gate is not None:
        gate.wait(10)
    if isinstance(result, Exception):
        raise result
    return result


def test_results_and_exceptions(rt):
    good, bad = after(numpy.zeros(1), None, 42), after(numpy.zeros(1), None, ValueError("bad"))
    assert good.result() == 42 and good.exception() is None and good.done() and not good.cancelled()
    with pytest.raises(troupe.KernelFailed, match="ValueError: bad") as caught:
        bad.result()
    assert type(caught.value.__cause__) is ValueError
    assert isinstance(bad.exception(), troupe.KernelFailed) and bad.state == "failed"
    with pytest.raises(troupe.KernelFailed):
        rt.wait()
    with pytest.raises(troupe.KernelFailed, match="ValueError: bad"):
        bad.wait()


def test_timeouts(rt):
    gate = threading.Event()
    future = after(numpy.zeros(1), gate, 1)
    begin = time.monotonic()
    with pytest.raises(concurrent.futures.TimeoutError, match="0.05 s"):
        future.result(timeout=0.05)
    assert time.monotonic() - begin < 5 and not future.done()
    gate.set()
    assert future.result(timeout=10) == 1


def test_callbacks(rt):
    gate, told = threading.Event(), []
    future = after(numpy.zeros(1), gate, 1)
    future.add_done_callback(lambda f: told.append((f is future, f.done())))
    future.add_done_callback(lambda f: 1 / 0)
    future.add_done_callback(lambda f: told.append("second"))
    gate.set()
    deadline = time.monotonic() + 10
    while len(told) < 2 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert told == [(True, True), "second"]
    future.add_done_callback(lambda f: told.append("at once"))
    assert told[-1] == "at once"


def test_callbacks_may_raise_anything(rt):
    gate, told = threading.Event(), threading.Event()

    @troupe.codelet("rw")
    def stay(a):
        gate.wait(10)

    future = stay(numpy.zeros(1))
    future.add_done_callback(lambda f: sys.exit(1))
    future.add_done_callback(lambda f: told.set())
    gate.set()
    assert told.wait(10)


def test_wait_and_as_completed_of_concurrent_futures(rt):
    gate = threading.Event()
    slow, fast = after(numpy.zeros(1), gate, "slow"), after(numpy.zeros(1), None, "fast")
    done, pending = concurrent.futures.wait([slow, fast], return_when="FIRST_COMPLETED", timeout=10)
    assert done == {fast} and pending == {slow}
    gate.set()
    assert sorted(f.result() for f in concurrent.futures.as_completed([slow, fast], timeout=10)) == ["fast", "slow"]


def test_asyncio(rt):
    async def program():
        gate = threading.Event()
        futures = [after(numpy.zeros(1), gate, i) for i in range(5)]
        asyncio.get_running_loop().call_later(0.01, gate.set)
        results = [await f for f in futures]
        wrapped = await asyncio.wrap_future(after(numpy.zeros(1), None, "wrapped"))
        with pytest.raises(troupe.KernelFailed, match="bad"):
            await after(numpy.zeros(1), None, ValueError("bad"))
        with pytest.raises(asyncio.TimeoutError):
            gate.clear()
            await asyncio.wait_for(asyncio.wrap_future(after(numpy.zeros(1), gate, 0)), 0.01)
        gate.set()
        return results, wrapped

    assert asyncio.run(program()) == ([0, 1, 2, 3, 4], "wrapped")
    with pytest.raises(troupe.TroupeError):
        rt.wait()


def test_a_task_can_be_cancelled(rt):
    a = numpy.zeros(1)
    data = rt.data(a)
    with data.acquire("rw"):
        future = after(data, None, 1)
        assert future.cancel()
    with pytest.raises(concurrent.futures.CancelledError):
        future.result(timeout=10)
    assert future.cancelled() and future.cancel()
    with pytest.raises(troupe.Cancelled):
        rt.wait()


def test_a_kernel_that_runs_learns_that_it_was_cancelled(rt):
    running = threading.Event()

    @troupe.codelet("rw")
    def asks(a):
        running.set()
        while not troupe.cancelled():
            time.sleep(0.001)
        return "half"

    assert not troupe.cancelled()
    future = asks(numpy.zeros(1))
    assert running.wait(10)
    assert future.cancel()
    with pytest.raises(troupe.Cancelled, match="its kernel was told"):
        future.result(timeout=10)
    assert future.cancelled()
    with pytest.raises(troupe.Cancelled):
        rt.wait()
    assert after(numpy.zeros(1), None, 5).result(timeout=10) == 5


def test_futures_outlive_their_runtime():
    with troupe.Runtime(cores=1) as rt:
        future = after(numpy.zeros(1), None, "kept")
        run = rt.record(lambda: after(numpy.zeros(1), None, 0)).run()
    assert future.result() == "kept" and run.result() is None and "succeeded" in repr(future)


def test_recordings(rt):
    a, b = numpy.zeros(4), numpy.zeros(4)
    added = numpy.ones(4)

    @troupe.codelet("rw", "read")
    def add(into, what, factor):
        into += factor * what

    with rt.record(name="twice") as graph:
        recorded = add(a, added, 1.0)
        add(a, added, 2.0, after=recorded)
    assert graph.tasks == 2 and a[0] == 0
    with pytest.raises(troupe.InvalidArgument, match="ask what run returns"):
        recorded.result()
    for _ in range(10):
        run = graph.run()
    assert run.result(timeout=10) is None and a[0] == 30
    data = rt.data(b)
    graph.run(rebind=[(a, data)]).result()
    rt.wait()
    assert a[0] == 30 and b[0] == 3
    with pytest.raises(troupe.InvalidArgument, match="shape, order and dtype"):
        graph.run(rebind=[(a, numpy.zeros((2, 2)))])
    del graph, run
    rt.wait()


def test_kernels_get_the_arrays_that_stand_for_others(rt):
    @troupe.codelet("rw")
    def take(a):
        a += 1
        return a[:1]

    a, b = numpy.zeros(3), numpy.zeros(3)
    parts = rt.data(numpy.zeros(6)).partition(numpy.s_[:3], numpy.s_[3:])
    graph = rt.record(lambda: take(a))
    for other in (b, *parts):
        graph.run(rebind=[(a, other)]).result()
    graph.run(rebind=[(a, numpy.zeros(3))])
    rt.wait()
    assert b[0] == 1 and parts[0].array[0] == 1 and parts[1].array[0] == 1 and a[0] == 0


def test_what_a_recording_writes_cannot_be_read_only(rt):
    import ctypes

    copy = troupe.c_codelet(ctypes.CDLL(None).memcpy, "write void*, read void*, uint64", name="memcpy")

    @troupe.codelet("write", "read")
    def take(into, what):
        into[...] = what

    a, b, kept = numpy.zeros(4), numpy.ones(4), bytes(32)
    fixed = numpy.frombuffer(kept)
    for submit in (lambda: copy(a, b, 32), lambda: take(a, b)):
        graph = rt.record(submit)
        with pytest.raises(troupe.InvalidArgument, match="read-only, and the recording writes it"):
            graph.run(rebind=[(a, fixed)])
        graph.run(rebind=[(b, fixed)]).result()
        assert a[0] == 0 and kept == bytes(32)
        rt.wait()


def test_one_thread_records_at_a_time(rt):
    seen = []

    def record():
        try:
            with rt.record():
                pass
        except troupe.InvalidArgument as error:
            seen.append(str(error))

    with rt.record():
        other = threading.Thread(target=record)
        other.start()
        other.join()
        with pytest.raises(troupe.InvalidArgument, match="a recording inside of another"), rt.record():
            pass
    assert len(seen) == 1 and "another thread records" in seen[0]
    record()
    assert len(seen) == 1


def test_a_recording_of_a_function(rt):
    a = numpy.zeros(1)
    graph = rt.record(lambda: after(a, None, None))
    told = threading.Event()
    graph.run().add_done_callback(lambda f: told.set())
    assert told.wait(10)
    with pytest.raises(ZeroDivisionError):
        rt.record(lambda: 1 / 0)
    with pytest.raises(troupe.InvalidArgument, match="inside of another"):
        rt.record(lambda: rt.record(lambda: None))
    with pytest.raises(troupe.InvalidArgument, match="has not ended"):
        rt.record().run()


def test_a_recording_that_fails(rt):
    a = numpy.zeros(1)
    graph = rt.record(lambda: after(a, None, ValueError("inside")))
    with pytest.raises(troupe.KernelFailed, match="inside") as caught:
        graph.run().result()
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(troupe.KernelFailed):
        rt.wait()


def test_runs_of_a_recording_tell_their_own_exceptions(rt):
    @troupe.codelet("rw")
    def fail(a):
        raise ValueError(f"value {a[0]:.0f}")

    @troupe.codelet("write")
    def put(a, value):
        a[...] = value

    a, runs = numpy.zeros(1), []
    graph = rt.record(lambda: fail(a))
    for value in (1, 2):
        put(a, value)
        runs.append(graph.run())
        assert runs[-1].exception() is not None
    assert [str(run.exception().__cause__) for run in runs] == ["value 1", "value 2"]
    with pytest.raises(troupe.TroupeError):
        rt.wait()


def test_a_recording_of_functions_of_c(rt):
    import ctypes

    copy = troupe.c_codelet(ctypes.CDLL(None).memcpy, "write void*, read void*, uint64", name="memcpy")
    a, b = numpy.zeros(4), numpy.ones(4)
    with rt.record() as graph:
        copy(a, b, 32)
    b[:] = 5
    graph.run()
    rt.wait()
    assert a[0] == 5


def test_no_private_step_of_a_wait_loses_a_failure():
    """Where tasks run in the thread that waits, the wait itself counts a failure as told. So it gives the failure, too."""

    @troupe.codelet("rw")
    def fails(a):
        raise ValueError("mine")

    with pytest.raises(troupe.KernelFailed, match="mine"):
        with troupe.Runtime(cores=1, deterministic=True) as rt:
            future = fails(numpy.zeros(1))
            waited_for = fails(numpy.zeros(1))
            private = {name for name in dir(type(future)) if name.startswith("_") and not name.startswith("__")}
            assert private == {"_cancel", "_condition", "_key", "_outcome", "_runs_in_wait", "_state", "_waiters", "_watch"} | {
                name for name in private if name.startswith("_pybind11")
            }
            failure, value = waited_for._outcome()
            assert type(failure.__cause__) is ValueError and value is None
            rt.data(numpy.zeros(1)).wait()
            assert future.state in ("failed", "pending")


def test_waits_with_a_timeout_run_the_tasks_of_deterministic_runs():
    """In these runs tasks run in the waiting thread and nowhere else, so a wait that only looks at the clock is in vain."""

    async def program():
        return await rt.call(abs, -4), await after(numpy.zeros(1), None, 5)

    with troupe.Runtime(cores=1, deterministic=True) as rt:
        future = rt.call(abs, -3)
        with pytest.raises(concurrent.futures.TimeoutError):
            future.result(timeout=0)
        assert future.result(timeout=60) == 3 and rt.call(abs, -2).exception(timeout=60) is None
        assert asyncio.run(program()) == (4, 5)
