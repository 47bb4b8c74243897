"""`troupe.Executor` does what executors of concurrent.futures do."""

import asyncio
import concurrent.futures
import gc
import operator
import threading
import time
import weakref

import pytest

import troupe
from conftest import not_under_asan


@pytest.fixture
def executor():
    with troupe.Executor(2) as executor:
        yield executor


def fail(what):
    raise ValueError(what)


def test_submit_and_map(executor):
    future = executor.submit(pow, 2, exp=10)
    assert isinstance(future, concurrent.futures.Future) and future.result(timeout=10) == 1024
    error = executor.submit(fail, "mine").exception()
    assert type(error) is ValueError and error.args == ("mine",) and error.__cause__ is None
    assert list(executor.map(operator.add, range(10), range(100))) == list(range(0, 20, 2))
    results = executor.map(fail, ["first"])
    with pytest.raises(ValueError, match="first"):
        next(results)


@pytest.mark.parametrize("chunksize", [1, 3, 100])
def test_map_in_chunks(executor, chunksize):
    assert list(executor.map(abs, range(-10, 0), chunksize=chunksize)) == list(range(10, 0, -1))
    assert list(executor.map(abs, [], chunksize=chunksize)) == []
    with pytest.raises(ValueError, match="chunksize must be >= 1"):
        executor.map(abs, [1], chunksize=0)
    gate = threading.Event()
    with pytest.raises(concurrent.futures.TimeoutError):
        list(executor.map(gate.wait, [10], timeout=0.01, chunksize=chunksize))
    gate.set()


@pytest.mark.parametrize("shared", [False, True])
def test_never_more_than_max_workers_at_once(rt, shared):
    lock, now, most = threading.Lock(), 0, 0

    def work(_):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.001)
        with lock:
            now -= 1

    for workers in (1, 2):
        now = most = 0
        with troupe.Executor(workers, runtime=rt) if shared else troupe.Executor(workers) as executor:
            list(executor.map(work, range(40)))
        assert most == workers


def test_begins_functions_in_the_order_of_submission():
    order = []
    with troupe.Executor(1) as executor:
        for i in range(100):
            executor.submit(order.append, i)
    assert order == list(range(100))


def test_a_runtime_of_the_programs_own_outlives_it(rt):
    with troupe.Executor(runtime=rt) as executor:
        futures = [executor.submit(pow, 2, i) for i in range(100)]
        futures.append(executor.submit(fail, "of its own"))
    assert all(f.done() for f in futures) and not rt.closed
    assert rt.call(int).result() == 0
    rt.wait()  # failures are the business of those who have the futures


def test_refusals_after_the_end(rt):
    executor = troupe.Executor(1)
    executor.shutdown()
    executor.shutdown()
    with pytest.raises(RuntimeError, match="cannot schedule new futures after shutdown"):
        executor.submit(int)
    with pytest.raises(RuntimeError, match="cannot schedule new futures after shutdown"):
        executor.map(int, [1])
    executor = troupe.Executor(runtime=rt)
    rt.close()
    with pytest.raises(RuntimeError, match="the runtime has ended"):
        executor.submit(int)
    executor.shutdown()
    with pytest.raises(troupe.Stopped):
        troupe.Executor(runtime=rt)


def test_refusals(rt):
    for use, kind, why in (
        (lambda: troupe.Executor(0), ValueError, "max_workers must be greater than 0"),
        (lambda: troupe.Executor(2.5), TypeError, "max_workers is int or None, not 2.5"),
        (lambda: troupe.Executor(initializer=3), TypeError, "initializer must be a callable"),
        (lambda: troupe.Executor(thread_name_prefix=3), TypeError, "thread_name_prefix must be a string"),
        (lambda: troupe.Executor(runtime=3), TypeError, "a troupe.Runtime is needed"),
        (lambda: troupe.Executor(runtime=rt, policy="eager"), TypeError, "policy: options of a runtime"),
        (lambda: troupe.Executor(1, deterministic=True), troupe.InvalidArgument, "deterministic=True"),
        (lambda: troupe.Executor(runtime=rt).submit(3), TypeError, "3 cannot be called"),
    ):
        with pytest.raises(kind, match=why):
            use()


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_its_functions_may_wait_for_others_of_it(workers):
    with troupe.Executor(workers) as executor:

        def fibonacci(n):
            if n < 2:
                return n
            first, second = executor.submit(fibonacci, n - 1), executor.submit(fibonacci, n - 2)
            return first.result(timeout=60) + second.result()

        assert executor.submit(fibonacci, 12).result(timeout=60) == 144
        assert executor.submit(lambda: sum(executor.map(fibonacci, range(8)))).result(timeout=60) == 33


def test_a_function_that_was_waited_for_runs_once():
    runs = []
    with troupe.Executor(2) as executor:
        for _ in range(200):
            inner = []
            outer = executor.submit(lambda: inner[0].result())
            inner.append(executor.submit(runs.append, 1))
            outer.cancel()
        executor.submit(lambda: [executor.submit(runs.append, 1).result() for _ in range(100)]).result(timeout=60)
    assert len(runs) == 300


def test_never_more_than_max_workers_at_once_where_functions_wait():
    now, most = [], []
    with troupe.Runtime(cores=3, oversubscribe=True) as rt, troupe.Executor(1, runtime=rt) as executor:

        def leaf():
            now.append(1)
            most.append(len(now))
            time.sleep(1e-4)
            now.pop()

        def outer():
            for future in [executor.submit(leaf) for _ in range(5)]:
                future.result()

        for future in [executor.submit(outer) for _ in range(10)]:
            future.result(timeout=60)
    assert len(most) == 50 and set(most) == {1}


def test_a_failure_that_a_function_handles_is_no_failure_of_it():
    def fails():
        raise KeyError("mine")

    with troupe.Executor(1) as executor:

        def handles():
            return type(executor.submit(fails).exception()).__name__

        assert executor.submit(handles).result(timeout=60) == "KeyError"
        with pytest.raises(KeyError, match="mine"):
            executor.submit(lambda: executor.submit(fails).result()).result(timeout=60)


def test_functions_may_call_and_handle_the_failure(executor):
    rt = executor._pool.runtime

    def handles():
        with pytest.raises(ZeroDivisionError):
            rt.call(divmod, 1, 0).result()
        return rt.call(divmod, 7, 2).result()

    assert executor.submit(handles).result(timeout=60) == (3, 1)
    told = threading.Event()
    rt.call(abs, -1).add_done_callback(lambda _: told.set())  # the thread of callbacks goes on
    assert told.wait(60)


def test_a_poll_in_a_function_calls_nothing():
    with troupe.Executor(1) as executor:

        def poll():
            with pytest.raises(concurrent.futures.TimeoutError):
                executor.submit(time.sleep, 0).result(timeout=0)

        executor.submit(poll).result(timeout=60)


def test_waits_that_would_never_end_are_refused(executor):
    begun = threading.Event()
    mine = []

    def waits_for_itself():
        begun.wait(10)
        return mine[0].result()

    mine.append(executor.submit(waits_for_itself))
    begun.set()
    with pytest.raises(troupe.WaitInKernel, match="its own end"):
        mine[0].result(timeout=10)
    with pytest.raises(troupe.WaitInKernel):
        executor.submit(executor.shutdown).result(timeout=10)
    for cores in (1, 2):
        with troupe.Runtime(cores=cores, oversubscribe=True) as rt, troupe.Executor(1, runtime=rt) as executor:

            def call():
                return rt.call(lambda: executor.submit(time.sleep, 1e-3).result()).result()

            with pytest.raises(troupe.WaitInKernel, match="same executor"):
                executor.submit(call).result(timeout=10)
    with troupe.Runtime(cores=2, oversubscribe=True) as rt:
        with troupe.Executor(1, runtime=rt) as one, troupe.Executor(1, runtime=rt) as other:
            gate = threading.Event()
            waited = one.submit(gate.wait, 10)
            for wait in (other.submit, rt.call):
                with pytest.raises(troupe.WaitInKernel, match="same executor"):
                    wait(waited.result).result(timeout=10)
            gate.set()


def test_its_functions_may_submit():
    with troupe.Executor(1) as executor:
        assert executor.submit(lambda: executor.submit(int, "5")).result(timeout=10).result(timeout=10) == 5
        executor.submit(lambda: [executor.submit(int) for _ in range(100)])


@pytest.mark.parametrize("shared", [False, True])
def test_shutdown_cancels_what_has_not_begun(rt, shared):
    executor = troupe.Executor(1, runtime=rt if shared else None)
    gate, begun = threading.Event(), threading.Event()
    first = executor.submit(lambda: (begun.set(), gate.wait(10)))
    assert begun.wait(10)
    others = [executor.submit(int) for _ in range(10)]
    executor.shutdown(wait=False, cancel_futures=True)
    assert all(f.cancelled() for f in others) and not first.done()
    gate.set()
    executor.shutdown()
    assert first.result(timeout=0)


def test_a_shutdown_that_does_not_wait_loses_nothing():
    executor = troupe.Executor(1)
    gate = threading.Event()
    futures = [executor.submit(gate.wait, 10) for _ in range(5)]
    executor.shutdown(wait=False)
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(int)
    gate.set()
    assert all(f.result(timeout=10) for f in futures)
    executor.shutdown()


def test_functions_of_a_forgotten_executor_still_run():
    executor = troupe.Executor(1)
    gone = weakref.ref(executor)
    gate = threading.Event()
    futures = [executor.submit(gate.wait, 10) for _ in range(5)]
    del executor
    gc.collect()
    assert gone() is None
    gate.set()
    assert all(f.result(timeout=10) for f in futures)


@pytest.mark.parametrize("cancel", ["cancel", "close"])
def test_futures_end_with_the_tasks_of_their_runtime(cancel):
    rt = troupe.Runtime(cores=1)
    executor = troupe.Executor(runtime=rt)
    gate, begun = threading.Event(), threading.Event()
    blocker = rt.call(lambda: (begun.set(), gate.wait(10)))
    assert begun.wait(10)
    futures = [executor.submit(int) for _ in range(10)]
    if cancel == "cancel":
        rt.cancel()
        gate.set()
    else:
        threading.Timer(0.1, gate.set).start()
        rt.close(cancel=True)
    assert concurrent.futures.wait(futures, timeout=10).not_done == set()
    assert all(f.cancelled() for f in futures) and blocker.done()
    executor.shutdown()
    rt.close()


def test_initializers():
    seen, lock = [], threading.Lock()
    here = threading.local()

    def prepare(value):
        here.value = value
        with lock:
            seen.append(threading.get_ident())

    with troupe.Executor(2, initializer=prepare, initargs=(7,)) as executor:
        assert set(executor.map(lambda _: here.value, range(50))) == {7}
    assert len(seen) == len(set(seen)) <= 2


def test_threads_get_names():
    with troupe.Executor(2, thread_name_prefix="counting") as executor:
        names = set(executor.map(lambda _: threading.current_thread().name, range(50)))
    assert names <= {"counting_0", "counting_1"}
    seen = []
    with troupe.Executor(1, thread_name_prefix="one", initializer=seen.append, initargs=(3,)) as executor:
        assert executor.submit(lambda: threading.current_thread().name).result() == "one_0"
    assert seen == [3]


def test_an_initializer_that_fails_breaks_the_executor(caplog):
    with troupe.Executor(1, initializer=fail, initargs=("at first",)) as executor:
        gate = threading.Event()
        for future in [executor.submit(gate.wait, 10) for _ in range(1)]:
            with pytest.raises(concurrent.futures.BrokenExecutor, match="initializer failed"):
                future.result(timeout=10)
        with pytest.raises(concurrent.futures.BrokenExecutor, match="initializer failed"):
            executor.submit(int)
    assert "at first" in caplog.text


def test_wait_callbacks_and_asyncio(executor):
    gate, told = threading.Event(), []
    slow, fast = executor.submit(gate.wait, 10), executor.submit(int)
    done, pending = concurrent.futures.wait([slow, fast], return_when="FIRST_COMPLETED", timeout=10)
    assert done == {fast} and pending == {slow}
    slow.add_done_callback(told.append)
    gate.set()
    assert list(concurrent.futures.as_completed([slow], timeout=10)) == [slow]

    async def program():
        loop = asyncio.get_running_loop()
        loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(1))
        results = await asyncio.gather(*(loop.run_in_executor(executor, pow, 2, i) for i in range(5)))
        return results, await asyncio.wrap_future(executor.submit(int, "3"))

    assert asyncio.run(program()) == ([1, 2, 4, 8, 16], 3)
    assert told == [slow]


def test_arguments_are_not_kept(executor):
    class Anything:
        pass

    thing = Anything()
    gone = weakref.ref(thing)
    future = executor.submit(id, thing)
    future.result()
    failed = executor.submit(fail, thing)
    assert failed.exception() is not None
    del thing, future, failed
    deadline = time.monotonic() + 10
    while gone() is not None and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert gone() is None


def test_a_failure_keeps_nothing_alive_when_its_future_is_forgotten(executor):
    class Kept:
        pass

    def hold_and_fail(seen):
        kept = Kept()
        seen.append(weakref.ref(kept))
        raise ValueError("on purpose")

    seen = []
    gc.disable()  # the collector of cycles must not be needed
    try:
        future = executor.submit(hold_and_fail, seen)
        with pytest.raises(ValueError, match="on purpose"):
            future.result()
        executor.submit(int).result()
        del future
        until = time.monotonic() + 5
        while seen[0]() is not None and time.monotonic() < until:
            time.sleep(0.01)
        assert seen[0]() is None
    finally:
        gc.enable()


def test_arguments_are_not_kept_while_later_functions_run():
    class Anything:
        pass

    with troupe.Executor(1) as executor:
        gate, hold = threading.Event(), threading.Event()
        executor.submit(hold.wait, 10)
        thing = Anything()
        gone = weakref.ref(thing)
        executor.submit(lambda x: x, thing)
        executor.submit(gate.wait, 10)
        del thing
        hold.set()
        deadline = time.monotonic() + 5
        while gone() is not None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert gone() is None
        gate.set()


@pytest.mark.parametrize("left", ["", "executor.shutdown(wait=False)", "del executor"])
def test_the_end_of_the_program_waits_for_its_functions(run_program, left):
    done = run_program(
        f"""
import time, troupe
def work(i):
    time.sleep(0.05)
    print(i, flush=True)
executor = troupe.Executor(1)
for i in range(5):
    executor.submit(work, i)
{left}
"""
    )
    assert (done.returncode, done.stdout) == (0, "0\n1\n2\n3\n4\n"), done.stderr


def test_an_interrupt_ends_a_wait(run_program):
    done = run_program(
        """
import os, signal, threading, time, troupe
gate = threading.Event()
begin = time.monotonic()
try:
    with troupe.Executor(1) as executor:
        futures = [executor.submit(gate.wait, 3) for _ in range(20)]
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begin < 20, futures[-1].cancelled(), all(f.done() for f in futures))
"""
    )
    assert done.stdout == "interrupted True True True\n", done.stderr


@not_under_asan
def test_a_forked_process_is_refused(run_program):
    done = run_program(
        """
import os, troupe
executor = troupe.Executor(1)
executor.submit(int).result()
pid = os.fork()
if pid == 0:
    try:
        executor.submit(int)
    except RuntimeError as error:
        print(error, flush=True)
    with troupe.Executor(1) as own:
        print("own", own.submit(int, "5").result(), flush=True)
    raise SystemExit(0)
print("child", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    )
    assert "forked" in done.stdout and "own 5" in done.stdout and "child 0" in done.stdout, done.stderr


def test_scipy_and_dask_take_it(executor):
    tried = []
    try:
        import scipy.optimize

        found = scipy.optimize.brute(lambda x: (x[0] - 1) ** 2, ((0, 2),), Ns=9, workers=executor.map, finish=None)
        assert found == 1
        tried.append("scipy")
    except ImportError:
        pass
    try:
        import dask

        assert dask.compute(dask.delayed(sum)([dask.delayed(pow)(2, i) for i in range(5)]), scheduler=executor) == (31,)
        tried.append("dask")
    except ImportError:
        pass
    if not tried:
        pytest.skip("neither scipy nor dask is installed")
