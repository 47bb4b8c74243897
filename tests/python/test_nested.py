"""Nested tasks: kernels and functions that submit tasks and wait for them."""

import concurrent.futures
import threading

import numpy
import pytest

import troupe


@pytest.fixture(params=[1, 2, 3])
def runtime(request):
    with troupe.Runtime(cores=request.param, oversubscribe=True) as runtime:
        yield runtime


@troupe.codelet("rw")
def increment(x):
    x += 1


@troupe.codelet("r")
def pass_gate(x, gate):
    gate.wait(10)


@troupe.codelet("rw")
def increment_parts(x, runtime):
    for part in runtime.data(x).partition(numpy.s_[:1], numpy.s_[1:]):
        increment(part)


@troupe.codelet("rw")
def increment_array(x, runtime):
    increment(x)


@pytest.mark.parametrize("kernel", [increment_parts, increment_array])
@pytest.mark.parametrize("divisions", [1, 2])
def test_a_kernel_finds_its_own_data_after_its_array_was_divided_anew(runtime, kernel, divisions):
    array = numpy.zeros(6)
    data = runtime.data(array)
    parts = data.partition(numpy.s_[:3], numpy.s_[3:])
    gate = threading.Event()
    pass_gate(parts[0], gate)
    kernel(parts[0], runtime, nested=True)
    del parts
    parts = [data.repartition(numpy.s_[:3], numpy.s_[3:]) for _ in range(divisions)]
    increment(parts[-1][0])
    gate.set()
    runtime.wait()
    assert list(array) == [2, 2, 2, 0, 0, 0]


def test_a_release_waits_for_a_nested_task_that_finds_its_data(runtime):
    array = numpy.zeros(6)
    data = runtime.data(array)
    gate = threading.Event()
    pass_gate(data, gate)
    increment_parts(data, runtime, nested=True)
    increment_array(data, runtime, nested=True)
    threading.Timer(0.05, gate.set).start()
    data.release()
    assert list(array) == [2] * 6
    runtime.wait()


@pytest.mark.parametrize("policy", ["lws", "eager"])
def test_a_kernel_on_an_emulated_gpu_submits_a_kernel_on_its_array(policy):
    for _ in range(10):
        with troupe.Runtime(cores=1, emulated_gpus=1, policy=policy) as runtime:
            array = numpy.zeros(4)
            increment_array(array, runtime)
            runtime.wait()
            assert list(array) == [1] * 4


class Unusual(Exception):
    pass


def fail(*_):
    raise Unusual("mine")


def test_calls_recur(runtime):
    def fibonacci(n):
        if n < 2:
            return n
        first = runtime.call(fibonacci, n - 1)
        second = runtime.call(fibonacci, n - 2)
        return first.result() + second.result(timeout=60)

    assert runtime.call(fibonacci, 12).result(timeout=60) == 144


def test_calls_take_futures_of_calls_inside(runtime):
    def outer():
        return runtime.call(sum, runtime.call(lambda: [1, 2, 3])).result()

    assert runtime.call(outer).result(timeout=60) == 6


def test_long_chains_of_calls(runtime):
    ends = []

    def step(n):
        if n == 0:
            ends.append(0)
        else:
            runtime.call(step, n - 1)

    runtime.call(step, 5000).result(timeout=60)
    assert ends == [0]  # a call ends after the calls that it has made


def test_kernels_work_on_parts(runtime):
    @troupe.codelet("rw")
    def sort(x):
        if len(x) < 100:
            x.sort()
            return
        half = len(x) // 2
        x.partition(half)
        for part in runtime.data(x).partition(numpy.s_[:half], numpy.s_[half:]):
            sort(part, nested=True)

    x = numpy.random.default_rng(1).random(5000)
    expected = numpy.sort(x)
    runtime.submit(sort, x, nested=True).result(timeout=60)
    assert (x == expected).all()


def total_of(runtime):
    """A kernel that sums an array by nested tasks on halves, for which it waits."""

    @troupe.codelet("rw")
    def total(x):
        if len(x) <= 10:
            return x.sum()
        half = len(x) // 2
        parts = runtime.data(x).partition(numpy.s_[:half], numpy.s_[half:])
        return sum(future.result() for future in [total(part, nested=True) for part in parts])

    return total


def test_kernels_wait_for_results(runtime):
    total = total_of(runtime)
    x = numpy.arange(1000.0)
    assert total(x, nested=True).result(timeout=60) == x.sum()


def test_traces_know_the_parents():
    with troupe.Runtime(cores=2, oversubscribe=True, trace=True) as runtime:

        @troupe.codelet("rw")
        def outer(x):
            increment(x, name="child")
            runtime.wait()

        outer(numpy.zeros(3), nested=True, name="parent").result(timeout=60)
        increment(numpy.zeros(3), name="stranger")
        runtime.wait()
        trace = runtime.take_trace()
    names = [task[1] for task in trace.tasks]
    parents = {name: parent for name, parent in zip(names, trace.parents)}
    assert parents == {"parent": None, "child": names.index("parent"), "stranger": None}
    assert trace.analysis()["nested"]["inside"] == 1
    assert "1 task in 1 nested task" in str(trace.analysis())


def test_kernels_wait_for_all_children_and_for_data(runtime):
    seen = []

    @troupe.codelet("rw")
    def outer(x):
        data = runtime.data(x)
        for _ in range(3):
            increment(data)
        with data.acquire("rw") as array:
            seen.append(array[0])
            array += 10
        increment(data)
        runtime.wait()
        seen.append(x[0])
        increment(x)
        data.wait()
        seen.append(numpy.asarray(data)[0])

    x = numpy.zeros(3)
    outer(x, nested=True)
    increment(x)
    runtime.wait()
    assert seen == [3, 14, 15] and x[0] == 16


def test_kernels_use_temporaries(runtime):
    @troupe.codelet("write")
    def outer(x):
        temporary = numpy.full(4, 5.0)
        increment(temporary)
        increment(temporary)
        runtime.wait()
        x[:] = temporary

    x = numpy.zeros(4)
    outer(x, nested=True).result(timeout=60)
    assert (x == 7).all()


def test_recordings_have_nested_tasks(runtime):
    x = numpy.zeros(8)
    runs = []
    halves = runtime.data(x).partition(numpy.s_[:4], numpy.s_[4:])

    @troupe.codelet("rw")
    def on_halves(x):
        runs.append(len(x))
        for half in halves:
            increment(half)

    step = runtime.record(lambda: (increment(x), on_halves(x, nested=True)))
    assert runs == []
    step.run()
    step.run()
    runtime.wait()
    assert runs == [8, 8]
    assert x.tolist() == [4.0] * 8


def test_weak_data_are_for_the_children(runtime):
    x, y = numpy.zeros(2), numpy.ones(2)

    @troupe.codelet("read", "rw")
    def add(a, b):
        b += a

    def outer():
        add(y, x)
        increment(x)
        runtime.wait()
        return x[0]

    named = runtime.data(y, name="y")
    assert runtime.call(outer, nested=True, weak=[("rw", x), ("read", named)]).result(timeout=60) == 2
    increment(x)
    runtime.wait()
    assert x[0] == 3


def test_functions_submit_kernels_of_the_program_where_they_name_no_data(runtime):
    x = numpy.zeros(2)

    def outer():
        runtime.call(abs, -1).result()
        increment(x)
        return increment(numpy.zeros(4))

    runtime.call(outer).result(timeout=60).result(timeout=60)
    runtime.wait()
    assert x[0] == 1

    def waits():
        gate = threading.Event()
        blocks = troupe.codelet("rw", name="blocks")(lambda a: gate.wait(10))
        try:
            blocks(x).result()
        finally:
            gate.set()

    with pytest.raises(troupe.WaitInKernel, match="does not belong to it"):
        runtime.call(waits).result(timeout=60)


def test_a_call_fails_with_those_that_it_made(runtime):
    def asks(depth):
        if depth == 0:
            fail()
        return runtime.call(asks, depth - 1).result()

    def forgets():
        runtime.call(fail)
        return 1

    def handles():
        with pytest.raises(Unusual):
            runtime.call(fail).result()
        return 1

    def waits():
        runtime.call(fail)
        with pytest.raises(troupe.KernelFailed, match="mine") as caught:
            runtime.wait()
        assert isinstance(caught.value.__cause__, Unusual)

    for call in (lambda: runtime.call(asks, 4), *(lambda f=f: runtime.call(f) for f in (forgets, handles, waits))):
        with pytest.raises(Unusual, match="mine"):
            call().result(timeout=60)
    runtime.wait()  # all have been told


def test_a_failure_inside_that_nobody_asks_for_is_reported_once(runtime):
    def asks(depth):
        return fail() if depth == 0 else runtime.call(asks, depth - 1).result()

    def forgets():
        runtime.call(asks, 2)

    for function, arguments in ((asks, (3,)), (forgets, ())):
        runtime.call(function, *arguments)
        with pytest.raises(troupe.KernelFailed, match="mine") as caught:
            runtime.wait()
        assert [type(failure) for failure in caught.value.failures] == [Unusual]
        runtime.wait()


def test_calls_inside_of_a_cancelled_call_are_cancelled(runtime):
    begun, gate = threading.Event(), threading.Event()

    def outer():
        inner = runtime.call(abs, -1, after=runtime.call(gate.wait, 60))
        begun.set()
        return inner.result()

    future = runtime.call(outer)
    assert begun.wait(60)
    future.cancel()
    gate.set()
    with pytest.raises((troupe.Cancelled, concurrent.futures.CancelledError)):
        future.result(timeout=60)
    runtime.wait()


def test_a_nested_task_fails_with_its_children(runtime):
    @troupe.codelet("rw")
    def outer(x):
        inner(x)

    inner = troupe.codelet("rw", name="inner")(fail)
    x = numpy.zeros(1)
    future = outer(x, nested=True)
    with pytest.raises(troupe.KernelFailed, match="mine") as caught:
        future.result(timeout=60)
    assert isinstance(caught.value.__cause__, Unusual)
    with pytest.raises(troupe.KernelFailed, match="mine"):
        runtime.wait()


def test_limits_of_time_in_kernels(runtime):
    def outer():
        inner = runtime.call(lambda: 3)
        if not inner.done():
            with pytest.raises(concurrent.futures.TimeoutError):
                inner.result(timeout=0)
        return inner.result(timeout=1e-9)

    assert runtime.call(outer).result(timeout=60) == 3


def test_refusals(rt):
    x, y = numpy.zeros(2), numpy.zeros(2)
    y.flags.writeable = False
    form = "pairs of a mode and an array or data"
    for use, kind, why in (
        (lambda: increment(x, nested=1), TypeError, "nested is True or False, not 1"),
        (lambda: increment(x, weak=[("rw", numpy.zeros(1))]), troupe.InvalidArgument, "nested"),
        (lambda: increment(x, nested=True, weak=y), TypeError, form),
        (lambda: increment(x, nested=True, weak=[y]), TypeError, form),
        (lambda: increment(x, nested=True, weak=[(y, "rw")]), TypeError, form),
        (lambda: increment(x, nested=True, weak=[("rw", 3)]), TypeError, "arrays or data"),
        (lambda: increment(x, nested=True, weak=[("to", y)]), ValueError, "'to' is no access mode"),
        (lambda: increment(x, nested=True, weak=[("rw", y)]), troupe.InvalidArgument, "read-only"),
        (lambda: increment(x, nested=True, weak=[("commute", numpy.zeros(1))]), troupe.InvalidArgument, "read_write"),
        (lambda: increment(x, nestd=True), troupe.SignatureMismatch, "nested"),
    ):
        with pytest.raises(kind, match=why):
            use()


def test_kernels_are_refused_what_would_never_end(rt):
    x, y = numpy.zeros(2), rt.data(numpy.zeros(2), name="y")
    gate = threading.Event()
    stranger = rt.call(gate.wait, 10)
    refused = []

    @troupe.codelet("rw")
    def outer(a):
        for use in (lambda: increment(y), stranger.result, rt.close, lambda: stranger.result(timeout=5)):
            try:
                use()
            except troupe.TroupeError as error:
                refused.append(type(error))

    outer(x, nested=True).result(timeout=60)
    gate.set()
    assert refused == [troupe.InvalidArgument] + 3 * [troupe.WaitInKernel]

    @troupe.codelet("rw")
    def plain(a):
        rt.wait()

    with pytest.raises(troupe.WaitInKernel, match="nested"):
        plain(x).result(timeout=60)
    with pytest.raises(troupe.WaitInKernel):
        rt.wait()


def test_one_thread(run_program):
    program = """
import troupe
with troupe.Runtime(deterministic=True) as rt:
    def fibonacci(n):
        return n if n < 2 else rt.call(fibonacci, n - 1).result() + rt.call(fibonacci, n - 2).result()
    print(rt.call(fibonacci, 10).result())
"""
    done = run_program(program)
    assert done.stdout == "55\n", done.stderr


def test_nested_kernels_and_calls_run_on_cores_beside_emulated_accelerators():
    @troupe.codelet("rw")
    def add(x, by):
        x += by

    @troupe.codelet("rw")
    def add_twice(x, by):
        add(x, by)
        add(x, by)

    def fibonacci(rt, n):
        if n < 2:
            return n
        first = rt.call(fibonacci, rt, n - 1)
        return fibonacci(rt, n - 2) + first.result()

    x = numpy.zeros(5)
    with troupe.Runtime(cores=2, emulated_gpus=1, oversubscribe=True) as rt:
        for _ in range(20):
            rt.submit(add_twice, x, 1, nested=True)
        assert rt.call(fibonacci, rt, 10).result() == 55
        rt.wait()
    assert x.tolist() == [40] * 5


@pytest.mark.parametrize("accelerators", [1, 2])
def test_a_kernel_waits_for_children_on_its_own_data_beside_accelerators(accelerators):
    with troupe.Runtime(cores=2, oversubscribe=True, emulated_gpus=accelerators) as runtime:
        total = total_of(runtime)
        x = numpy.arange(100.0)
        for _ in range(3):
            assert total(x, nested=True).result() == x.sum()
            increment(x)
            runtime.wait()


def test_functions_of_two_runtimes_wait_for_one_another():
    """A function that waits for another runtime lets other tasks use its core."""
    with troupe.Runtime(cores=1) as one, troupe.Runtime(cores=1) as other:

        def there_and_back(depth):
            if depth == 0:
                return "back"
            runtime = one if depth % 2 == 0 else other
            return runtime.call(there_and_back, depth - 1).result()

        assert one.call(there_and_back, 7).result(timeout=60) == "back"

        def fails():
            raise ValueError("elsewhere")

        def waits():
            with pytest.raises(ValueError, match="elsewhere"):
                other.call(lambda: one.call(fails).result()).result()
            return "caught"

        assert one.call(waits).result(timeout=60) == "caught"
        a = numpy.zeros(3)

        @troupe.codelet("rw")
        def add_one(x):
            x += one.call(int, "1").result()

        step = other.record(lambda: other.submit(add_one, a))
        assert one.call(lambda: step.run().result()).result(timeout=60) is None
        assert a[0] == 1
