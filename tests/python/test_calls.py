"""`Runtime.call` runs plain functions on workers, and gives their results and exceptions as they are."""

import asyncio
import concurrent.futures
import contextlib
import functools
import gc
import threading
import time
import traceback
import weakref

import numpy
import pytest

import troupe
from conftest import not_under_asan


class Unusual(Exception):
    pass


def fail(what):
    raise Unusual(what)


def add(a, b=0, *rest, **named):
    return a + b + sum(rest) + sum(named.values())


class Anything:
    pass


def test_results_are_the_functions_own(rt):
    thing = Anything()
    assert rt.call(lambda x: x, thing).result() is thing
    assert rt.call(add, 1, 2, 3, four=4).result() == 10
    assert rt.call(add, 1, b=5).result(timeout=10) == 6
    assert rt.call(lambda: None).result() is None
    assert rt.call(dict, [(1, 2)]).result() == {1: 2}
    assert rt.call(functools.partial(add, 1), 2).result() == 3
    assert rt.call(thing.__class__).result().__class__ is Anything
    assert rt.call(lambda *many: many, *range(50)).result() == tuple(range(50))
    assert rt.call(threading.get_ident).result() != threading.get_ident()


def test_exceptions_are_the_functions_own(rt):
    error = Unusual("mine")

    def throw():
        raise error

    future = rt.call(throw)
    with pytest.raises(Unusual) as caught:
        future.result()
    assert caught.value is error and error.__cause__ is None and future.exception() is error
    assert traceback.extract_tb(error.__traceback__)[-1].line == "raise error"
    assert future.state == "failed" and future.done() and not future.cancelled()
    with pytest.raises(SystemExit):
        rt.call(exit, 3).result()


def test_a_wait_raises_what_nobody_has_asked_for(rt):
    asked, forgotten = rt.call(fail, "asked"), rt.call(fail, "forgotten", name="the second")
    assert isinstance(asked.exception(), Unusual)
    with pytest.raises(troupe.KernelFailed, match="'the second' .*Unusual: forgotten") as caught:
        rt.wait()
    assert caught.value.__cause__ is forgotten.exception() and caught.value.failures == [forgotten.exception()]
    rt.wait()
    for i in range(3):
        rt.call(fail, i)
    with pytest.raises(troupe.KernelFailed, match="3 calls failed.* and 2 more") as caught:
        rt.wait()
    assert sorted(e.args[0] for e in caught.value.failures) == [0, 1, 2]


def test_the_end_of_the_block_raises_what_nobody_has_asked_for():
    with pytest.raises(troupe.KernelFailed, match="Unusual: forgotten"):
        with troupe.Runtime(cores=1) as rt:
            rt.call(fail, "forgotten")
    with troupe.Runtime(cores=1) as rt:
        with pytest.raises(Unusual):
            rt.call(fail, "asked").result()


def test_exceptions_of_calls_and_kernels_are_raised_together(rt):
    @troupe.codelet("rw")
    def kernel(a):
        raise ValueError("of the kernel")

    rt.submit(kernel, numpy.zeros(1))
    rt.call(fail, "of the call")
    with pytest.raises(troupe.KernelFailed) as caught:
        rt.wait()
    assert sorted(map(str, caught.value.failures)) == ["of the call", "of the kernel"]
    rt.wait()


def test_results_of_calls_are_arguments_of_others(rt):
    gate = threading.Event()

    def late(value):
        gate.wait(10)
        return value

    first = rt.call(late, 3)
    second = rt.call(add, first, b=rt.call(late, 4))
    third = rt.call(add, second, first)
    assert not third.done()
    gate.set()
    assert third.result(timeout=10) == 10 and second.result() == 7
    assert rt.call(add, third, third, third=third).result() == 30

    @troupe.codelet("read")
    def total(a):
        return a.sum()

    assert rt.call(add, rt.submit(total, numpy.ones(5)), 1).result() == 6
    value = rt.call(int, 1)
    for _ in range(2000):
        value = rt.call(add, value, 1)
    assert value.result(timeout=60) == 2001


def test_a_failed_argument_is_the_exception_of_those_who_need_it(rt):
    gate = threading.Event()

    def throw():
        gate.wait(10)
        raise Unusual("first")

    called = []
    first = rt.call(throw)
    second = rt.call(called.append, first)
    third = rt.call(lambda a, b: called.append(a), rt.call(int), b=second)
    gate.set()
    for future in (third, second, first, rt.call(called.append, first)):
        with pytest.raises(Unusual, match="first") as caught:
            future.result(timeout=10)
        assert caught.value is first.exception()
    assert not called and third.cancelled() and first.state == "failed"
    rt.wait()

    @troupe.codelet("rw")
    def kernel(a):
        raise ValueError("of a kernel")

    with pytest.raises(troupe.KernelFailed, match="of a kernel"):
        rt.call(called.append, rt.submit(kernel, numpy.zeros(1))).result()
    with pytest.raises(troupe.KernelFailed):
        rt.wait()


def test_asking_for_a_later_call_asks_for_the_first(rt):
    second = rt.call(add, rt.call(fail, "first"), 1)
    with pytest.raises(Unusual):
        second.result()
    rt.wait()


def test_options_are_those_of_submit(rt):
    gate, order = threading.Event(), []
    first = rt.call(lambda: (gate.wait(10), order.append("first")))
    second = rt.call(order.append, "second", after=first, priority=3, name="after it", devices="cores")
    third = rt.call(order.append, "third", after=[first, second])
    gate.set()
    third.result(timeout=10)
    assert order == ["first", "second", "third"]
    with pytest.raises(troupe.Cancelled, match="was to run after"):
        rt.call(order.append, "never", after=rt.call(fail, "before")).result()
    for options, kind, why in (
        ({"after": 5}, TypeError, "iterable"),
        ({"after": [5]}, TypeError, "after is a future"),
        ({"priority": "high"}, TypeError, "priority is int"),
        ({"devices": "gpus"}, troupe.TroupeError, "gpus|GPU|device"),
    ):
        with pytest.raises(kind, match=why):
            rt.call(order.append, "never", **options)
    with pytest.raises(troupe.KernelFailed, match="before"):
        rt.wait()
    assert order == ["first", "second", "third"]


def test_a_keyword_that_the_function_names_is_the_functions(rt):
    def named(name, *, after=None, **rest):
        return name, after, rest

    assert rt.call(named, name="mine", after=3, priority=2).result() == ("mine", 3, {})
    assert rt.call(named, "mine", other=4).result() == ("mine", None, {"other": 4})


def test_tasks_have_the_names_of_the_functions():
    with troupe.Runtime(cores=1, trace=True) as rt:
        rt.call(add, 1)
        rt.call(add, 1, name="special")
        rt.call(functools.partial(add, 1))
        rt.wait()
        names = [(codelet, name) for codelet, name, *_ in rt.take_trace().tasks]
    assert names[0][0] == "add" and names[1] == ("add", "special") and names[2][0] == "functools.partial"


def test_calls_may_call_and_wait_for_these_only(rt):
    assert rt.call(lambda: rt.call(add, 1, 2)).result().result(timeout=10) == 3
    assert rt.call(lambda: rt.call(add, 1, 2).result()).result(timeout=10) == 3
    gate = threading.Event()
    stranger = rt.call(gate.wait, 10)
    with pytest.raises(troupe.WaitInKernel, match="does not belong to it"):
        rt.call(stranger.result).result(timeout=10)
    with pytest.raises(troupe.WaitInKernel, match="tried to end the runtime"):
        rt.call(rt.close).result(timeout=10)
    gate.set()
    assert stranger.result(timeout=10)


def test_a_call_is_told_that_it_cannot_ask_for_a_run(rt):
    x = numpy.zeros(3)

    @troupe.codelet("rw")
    def increment(a):
        a += 1

    run = rt.record(lambda: increment(x)).run()
    while x[0] == 0:
        time.sleep(0.001)
    time.sleep(0.1)  # until the run has ended; nothing that asks the runtime may be called here
    with pytest.raises(troupe.WaitInKernel, match="a run of a recording"):
        rt.call(run.result).result(timeout=10)
    assert run.result(timeout=10) is None and x[0] == 1


def test_what_cannot_be_called_is_refused(rt):
    kernel = troupe.codelet("read")(lambda a: None)
    for use, why in (
        (lambda: rt.call(), "call takes a function first"),
        (lambda: rt.call(5), "5 cannot be called"),
        (lambda: rt.call(kernel, numpy.zeros(1)), "is a codelet: use submit"),
    ):
        with pytest.raises(TypeError, match=why):
            use()
    with pytest.raises(TypeError, match="positional argument"):
        rt.call(add).result()
    with pytest.raises(troupe.InvalidArgument, match="a recording cannot keep a call"):
        rt.record(lambda: rt.call(add, 1))
    with pytest.raises(troupe.InvalidArgument, match="a recording"):
        rt.call(add, rt.record(lambda: None).run())
    with troupe.Runtime(cores=1) as other:
        with pytest.raises(troupe.InvalidArgument, match="future of another runtime"):
            rt.call(add, other.call(add, 1))


def test_a_call_after_the_end_is_refused():
    with troupe.Runtime(cores=1) as rt:
        kept = rt.call(add, 1, 2)
    with pytest.raises(troupe.Stopped, match="the runtime has ended"):
        rt.call(add, 1)
    assert kept.result() == 3


def test_timeouts(rt):
    gate = threading.Event()
    future = rt.call(gate.wait, 10)
    for timeout in (0.01, 0, -1):
        with pytest.raises(concurrent.futures.TimeoutError, match=f"has not ended within {timeout} s"):
            future.result(timeout=timeout)
    with pytest.raises(TypeError):
        future.result(timeout="soon")
    gate.set()
    assert future.result(timeout=10) is True and future.result(timeout=-1) is True


def test_calls_can_be_cancelled():
    with troupe.Runtime(cores=1) as rt:
        gate, begun = threading.Event(), threading.Event()
        first = rt.call(lambda: (begun.set(), gate.wait(10)))
        assert begun.wait(10)
        second = rt.call(add, 1)
        third = rt.call(add, second)
        assert second.cancel()
        gate.set()
        for future in (second, third):
            with pytest.raises(concurrent.futures.CancelledError):
                future.result(timeout=10)
        assert first.result() and not first.cancel()


def test_futures_of_calls_work_with_asyncio_and_concurrent_futures(rt):
    async def program():
        assert await rt.call(add, 1, 2) == 3
        with pytest.raises(Unusual):
            await rt.call(fail, "awaited")
        return await asyncio.gather(*(asyncio.wrap_future(rt.call(add, i)) for i in range(5)))

    assert asyncio.run(program()) == [0, 1, 2, 3, 4]
    futures = [rt.call(add, i) for i in range(5)]
    assert sorted(f.result() for f in concurrent.futures.as_completed(futures, timeout=10)) == [0, 1, 2, 3, 4]


def test_arguments_and_results_are_not_kept(rt):
    thing = Anything()
    gone = weakref.ref(thing)
    future = rt.call(lambda x: x, thing)
    assert future.result() is thing
    del thing, future
    rt.wait()
    gc.collect()
    assert gone() is None
    thing = Anything()
    gone = weakref.ref(thing)

    def throw(x):
        raise Unusual(x)

    with pytest.raises(Unusual):
        rt.call(throw, thing).result()
    del thing
    gc.collect()
    rt.wait()
    assert gone() is None


@pytest.mark.parametrize("asks", ["result", "exception", "await"])
def test_a_failure_does_not_keep_the_frame_that_asked(rt, asks):
    def work():
        thing = Anything()
        future = rt.call(fail, "no")
        if asks == "exception":
            error = future.exception()
            error.thing = thing
            error.future = future
        else:
            with contextlib.suppress(Unusual):
                future.result() if asks == "result" else asyncio.run(awaits(future))
        return weakref.ref(thing)

    async def awaits(future):
        await future

    check_gone([work() for _ in range(10)])


def test_a_result_that_refers_to_its_future_is_collected(rt):
    def work():
        holder = [Anything()]
        future = rt.call(lambda: holder)
        assert future.result() is holder
        holder.append(future)
        return weakref.ref(holder[0])

    check_gone([work() for _ in range(10)])


def check_gone(references):
    end = time.monotonic() + 10
    while any(one() is not None for one in references) and time.monotonic() < end:
        gc.collect()
        time.sleep(0.01)
    assert [one() for one in references] == [None] * len(references)


@troupe.codelet("rw")
def increment(x):
    x += 1


def test_a_kernel_in_a_call_takes_an_array_whose_data_were_dropped(rt):
    array = numpy.zeros(3)
    rt.data(array)
    rt.data(array).partition(numpy.s_[:1], numpy.s_[1:])
    rt.call(lambda: increment(array)).result()
    rt.wait()
    assert list(array) == [1, 1, 1]


def test_many_calls(rt):
    futures = [rt.call(add, i, 1) for i in range(20000)]
    assert [f.result() for f in futures] == list(range(1, 20001))


def test_many_threads_call(rt):
    def program(results, base):
        value = rt.call(int, base)
        for i in range(300):
            value = rt.call(add, value, 1)
            if i % 50 == 0:
                value.result()
        results.append(value.result())
        try:
            rt.call(fail, base).result()
        except Unusual as error:
            results.append(-error.args[0])

    results = []
    threads = [threading.Thread(target=program, args=(results, base)) for base in (1000, 2000, 3000, 4000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [-4000, -3000, -2000, -1000, 1300, 2300, 3300, 4300]
    rt.wait()


def test_calls_in_one_thread_that_waits():
    with troupe.Runtime(deterministic=True) as rt:
        assert rt.call(add, rt.call(add, 1, 2), 3).result() == 6
        with pytest.raises(Unusual):
            rt.call(fail, "there").result()


def test_numpy_computes_in_one_thread_there(run_program):
    done = run_program(
        """
import ctypes, numpy, threading, troupe
names = {line.split()[-1] for line in open("/proc/self/maps") if "openblas" in line}
found = [ctypes.CDLL(name) for name in names]
found = [one for one in found if hasattr(one, "openblas_set_num_threads")]
if not found:
    raise SystemExit("skipped: numpy's BLAS library is not OpenBLAS, or one of its own")
threads = found[0].openblas_get_num_threads
found[0].openblas_set_num_threads(2)
before = threads()
with troupe.Runtime(cores=2, oversubscribe=True) as rt:
    gate, begun = threading.Event(), threading.Event()
    first = rt.call(lambda: (begun.set(), gate.wait(10), threads())[-1])
    begun.wait(10)
    print(rt.call(threads).result())
    found[0].openblas_set_num_threads(2)  # what the program sets is not for the next call
    print(rt.call(threads).result())
    gate.set()
    print(first.result(), before == threads())
    found[0].openblas_set_num_threads(2)
    kernel = troupe.codelet("read")(lambda x: threads())
    a = numpy.zeros(1)
    print(rt.submit(kernel, a).result(), rt.submit(kernel, a, nested=True).result(), threads())
"""
    )
    if "skipped" in done.stderr:
        pytest.skip(done.stderr)
    assert done.stdout == "1\n1\n1 True\n1 1 2\n", done.stderr


def test_an_interrupt_ends_a_wait(run_program):
    done = run_program(
        """
import os, signal, threading, time, troupe
rt = troupe.Runtime(cores=1)
gate = threading.Event()
future = rt.call(gate.wait, 30)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    future.result()
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begin < 10)
gate.set()
print(future.result())
rt.close()
"""
    )
    assert done.stdout == "interrupted True\nTrue\n", done.stderr


@not_under_asan
def test_a_forked_process_is_refused(run_program):
    done = run_program(
        """
import os, troupe
rt = troupe.Runtime(cores=1)
rt.call(int).result()
pid = os.fork()
if pid == 0:
    try:
        rt.call(int)
    except RuntimeError as error:
        print(error, flush=True)
    with troupe.Runtime(cores=1) as own:
        print(own.call(int, "5").result(), flush=True)
    os._exit(0)
os.waitpid(pid, 0)
rt.close()
"""
    )
    assert "forked" in done.stdout and "5" in done.stdout, done.stderr
