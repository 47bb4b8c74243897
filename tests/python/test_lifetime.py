"""Nothing crashes, hangs or leaks: in any order of object deletion, at any end of the process, and after a fork."""

import concurrent.futures
import gc
import sys
import threading
import weakref

import numpy
import pytest

import troupe
from conftest import not_under_asan


@troupe.codelet("rw")
def add(a, value):
    a += value


def test_objects_go_in_any_order():
    for order in range(6):
        rt = troupe.Runtime(cores=1)
        a = numpy.zeros(10)
        b = numpy.zeros(1)
        things = {"runtime": rt, "data": rt.data(a)}
        things["future"] = rt.submit(add, things["data"], 1)
        things["recording"] = rt.record(lambda submit=rt.submit: submit(add, b, 1))
        things["run"] = things["recording"].run()
        del rt
        names = sorted(things)
        for name in names[order % 5 :] + names[: order % 5]:
            del things[name]
            gc.collect()
        assert (a[0], b[0]) == (1, 1)


def test_hundreds_of_starts_and_ends():
    a = numpy.zeros(1)
    for _ in range(200):
        with troupe.Runtime(cores=1, bind=False):
            add(a, 1)
    assert a[0] == 200


def test_nothing_leaks():
    class Marked:
        pass

    def round_of_tasks():
        with troupe.Runtime(cores=1) as rt:
            argument = Marked()
            kept = rt.data(numpy.zeros(100))
            part = kept.partition(numpy.s_[:50])[0]
            futures = [add(kept, 1), add(part, 1), add(numpy.zeros(10), 1)]

            @troupe.codelet("rw")
            def local(a, what):
                local  # The function refers to its own codelet, which makes a cycle of references.
                raise ValueError(what)

            futures.append(local(numpy.zeros(1), argument))
            graph = rt.record(lambda: add(kept, 1))
            graph.run()
            with pytest.raises(troupe.KernelFailed):
                rt.wait()
            futures[0].add_done_callback(lambda f: None)
            return weakref.ref(argument), weakref.ref(kept), weakref.ref(local)

    references = [round_of_tasks() for _ in range(30)]
    # Python keeps some memory of freed objects, but this memory stops growing after a while. A leak grows in every
    # batch.
    grown = []
    for _ in range(10):
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(100):
            round_of_tasks()
        gc.collect()
        grown.append(sys.getallocatedblocks() - before)
        # One leaked object in each round would make 100 blocks.
        if grown[-1] < 50:
            break
    assert grown[-1] < 50, f"blocks of memory that 100 rounds left behind, again and again: {grown}"
    gc.collect()
    assert [r() for three in references for r in three] == [None] * len(references) * 3


def test_threads_that_end_leave_no_state_behind(run_program):
    done = run_program(
        """
import numpy, troupe, sys
@troupe.codelet("rw")
def add(a): a += 1
import resource
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
a = numpy.zeros(1)
for i in range(250):
    with troupe.Runtime(cores=1, bind=False): add(a)
    if i == 80: begin = peak()
print(peak() - begin)
"""
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 8000  # The limit is in KiB.


PROGRAM = """
import numpy, troupe, sys, threading, time, os
@troupe.codelet("rw")
def work(a, s=0.0):
    time.sleep(s)
    a += 1
a = numpy.zeros(1)
"""


LOST = "tasks that had not begun were cancelled when the program ended"


@pytest.mark.parametrize(
    "rest",
    [
        "rt = troupe.Runtime(cores=1)\nfor _ in range(1000): rt.submit(work, a, 0.01)",
        "rt = troupe.Runtime(cores=1)\nrt.submit(work, a, 0.2)\nsys.exit(0)",
        "rt = troupe.Runtime(cores=2, oversubscribe=True)\n"
        "[rt.submit(work, numpy.zeros(1), 0.05) for _ in range(50)]\ndel rt, a",
        "rt = troupe.Runtime(cores=1)\nf = rt.submit(work, a, 0.1)\nf.add_done_callback(lambda f: print(f.state))",
        "rt = troupe.Runtime(cores=1)\nd = rt.data(a)\nh = d.acquire('rw')\nh.__enter__()\nrt.submit(work, d)\nh.__exit__()",
        "t = threading.Thread(target=lambda: [rt.submit(work, a, 0.001) for _ in range(100)])\n"
        "rt = troupe.Runtime(cores=1)\nt.start()",
        "rt = troupe.Runtime(cores=1)\ng = rt.record(lambda: rt.submit(work, a))\n[g.run() for _ in range(100)]",
        "with troupe.Runtime(cores=1):\n    work(a, 0.1)\n    sys.exit(0)",
        "rt = troupe.Runtime(cores=1)\nrt.submit(work, a, 0.1)\nos._exit(0)",
    ],
)
def test_the_interpreter_may_end_in_the_middle_of_tasks(run_program, rest):
    done = run_program(PROGRAM + rest, timeout=30)
    assert done.returncode == 0
    # The speed of the workers determines which tasks have begun. The other tasks are cancelled, and one line must say
    # so.
    assert done.stderr == "" or (
        "with " not in rest and "os._exit" not in rest and len(done.stderr.splitlines()) == 1 and LOST in done.stderr
    ), done.stderr


def test_tasks_that_the_end_of_the_interpreter_cancels_are_a_warning(run_program):
    left = "rt = troupe.Runtime(cores=1)\nf = rt.submit(work, a, 0.3)\nrt.submit(work, a)\n"
    done = run_program(PROGRAM + left, timeout=30)
    assert done.returncode == 0 and LOST in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    for ending in ("rt.wait()", "f.result(); rt.close()", "rt.close(cancel=True)"):
        done = run_program(PROGRAM + left + ending, timeout=30)
        assert (done.returncode, done.stderr) == (0, ""), ending


def test_failures_that_nobody_has_looked_at_are_a_warning(run_program):
    done = run_program(
        PROGRAM
        + """
@troupe.codelet("rw")
def bad(a): raise ValueError("disk on fire")
rt = troupe.Runtime(cores=1)
f = rt.submit(bad, a)
while not f.done(): time.sleep(0.01)
""",
        timeout=30,
    )
    assert done.returncode == 0
    assert "had not asked what became of its tasks" in done.stderr and "disk on fire" in done.stderr, done.stderr
    # Python must not show the source line that causes the warning, because it belongs to the package itself.
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_callbacks_are_called_and_their_thread_ends_before_the_interpreter(run_program):
    done = run_program(
        """
import atexit, threading
atexit.register(lambda: print([thread.name for thread in threading.enumerate()]))  # runs after those of troupe
"""
        + PROGRAM
        + """
begun = threading.Event()
@troupe.codelet("rw")
def begin(a):
    begun.set()
    time.sleep(0.1)
rt = troupe.Runtime(cores=1)
rt.submit(begin, a).add_done_callback(lambda f: print("called"))
begun.wait()
""",
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "called\n['MainThread']\n"


def test_a_kernel_that_never_ends_does_not_keep_the_interpreter(run_program):
    done = run_program(
        PROGRAM
        + '''
@troupe.codelet("rw")
def spin(a):
    while True: pass
rt = troupe.Runtime(cores=1)
rt.submit(spin, a)
''',
        timeout=30,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kernel", ["spin", "sleep"])
def test_interrupts_leave_a_block_whose_kernel_does_not_end(run_program, kernel):
    done = run_program(
        PROGRAM
        + f"""
import ctypes, signal
@troupe.codelet("rw")
def spin(a):
    while True: time.sleep(0.01)
sleep = troupe.c_codelet(ctypes.CDLL(None).pause, "read void*")
def interrupt():
    for _ in range(2):
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    with troupe.Runtime(cores=1) as rt:
        {kernel}(a)
        rt.wait()
except KeyboardInterrupt:
    print("left", rt.closed, flush=True)
""",
        timeout=40,
    )
    assert (done.returncode, done.stdout) == (0, f"left {kernel == 'spin'}\n"), done.stderr


@pytest.mark.parametrize(
    "work", ["work(numpy.zeros(1)); rt.wait()", "work(numpy.zeros(1))", "work(numpy.zeros(1)).result()", "rt.data(a).wait()"]
)
def test_daemon_threads_do_not_disturb_the_end(run_program, work):
    for _ in range(3):
        done = run_program(
            PROGRAM
            + f"""
def run():
    with troupe.Runtime(cores=1) as rt:
        while True: {work}
threading.excepthook = lambda *error: None
threading.Thread(target=run, daemon=True).start()
time.sleep(0.1)
""",
            timeout=30,
        )
        assert (done.returncode, done.stderr) == (0, "")


@not_under_asan
def test_a_forked_process_says_what_is_wrong_and_ends(run_program):
    done = run_program(
        PROGRAM
        + """
rt = troupe.Runtime(cores=1)
d = rt.data(numpy.zeros(1))
f = rt.submit(work, d, 0.1)
f.add_done_callback(lambda f: None)
pid = os.fork()
if pid == 0:
    try:
        rt.submit(work, a)
    except RuntimeError as error:
        print(error)
    for use in (f.result, lambda: f.add_done_callback(print)):
        try:
            use()
        except RuntimeError as error:
            print("refused", flush=True)
    del d, f
    with troupe.Runtime(cores=1) as own:
        own.submit(work, a).result()
    print("own", a[0], flush=True)
    sys.exit(0)
print("child", os.waitpid(pid, 0)[1], flush=True)
rt.wait()
""",
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    assert "forked" in done.stdout and done.stdout.count("refused") == 2 and "own 1.0" in done.stdout and "child 0" in done.stdout


@not_under_asan
def test_multiprocessing_by_fork(run_program):
    done = run_program(
        PROGRAM
        + """
import multiprocessing
rt = troupe.Runtime(cores=1)
data = rt.data(a)
rt.submit(work, data).result()
def own(value):
    b = numpy.full(1, float(value))
    with troupe.Runtime(cores=1): work(b)
    return b[0]
def parents(use):
    try:
        {"submit": lambda: rt.submit(work, numpy.zeros(1)), "data": lambda: work(data), "wait": rt.wait,
         "acquire": lambda: data.acquire().__enter__(), "close": rt.close}[use]()
    except RuntimeError as error: return "forked" in str(error)
context = multiprocessing.get_context("fork")
with context.Pool(2) as pool:
    print(pool.map(own, range(4)), pool.map(parents, ["submit", "data", "wait", "acquire", "close"]))
with context.Pool(1) as pool: print(pool.apply(own, (10,)))
rt.submit(work, data).result()
print(a[0])
""",
        timeout=60,
    )
    # Closing the parent's runtime must not affect the runtime of the child.
    expected = "[1.0, 2.0, 3.0, 4.0] [True, True, True, True, None]\n11.0\n2.0\n"
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


def test_versions_that_do_not_go_together_are_refused():
    from troupe import _troupe

    _troupe._check_versions("1.2.3", "1.2.3", ["/a/libtroupe.so.1"])
    with pytest.raises(ImportError, match="package is of Troupe 1.2.3, but the library that was loaded is of 1.2.2"):
        _troupe._check_versions("1.2.3", "1.2.2", ["/a/libtroupe.so.1"])
    with pytest.raises(ImportError, match="two copies"):
        _troupe._check_versions("1.2.3", "1.2.3", ["/a/libtroupe.so.1", "/b/libtroupe.so.1"])


def test_kernels_may_drop_the_last_reference(rt):
    gate = threading.Event()
    holder = {"data": rt.data(numpy.zeros(5))}
    reference = weakref.ref(holder["data"].array)

    @troupe.codelet("rw")
    def drop(a):
        gate.wait(10)
        holder.clear()
        gc.collect()

    drop(numpy.zeros(1))
    add(holder["data"], 1)
    gate.set()
    rt.wait()
    rt.wait()
    gc.collect()
    assert reference() is None


def test_memory_around_reductions_must_not_be_kept(rt):
    kept = []

    @troupe.codelet("reduce")
    def keep(into):
        kept.append(into)

    @troupe.codelet("reduce")
    def give(into):
        return into[:1]

    @troupe.codelet("reduce")
    def fail(into):
        into += 1
        raise ValueError(into[:1])

    failures = []
    for kernel in (keep, give, fail):
        total = rt.data(numpy.zeros(100000), reduction="sum")
        kernel(total)
        with pytest.raises(troupe.KernelFailed, match="keep a copy" if kernel is not fail else "ValueError") as caught:
            rt.wait()
        failures.append(caught.value.__cause__)
    del total
    rt.wait()
    rt.wait()
    other = [numpy.full(100000, 7.0) for _ in range(5)]
    # The kept arrays must have memory of their own.
    assert kept[0][0] == 0 and failures[-1].args[0][0] == 1 and len(other) == 5
    frame = failures[-1].__traceback__
    assert frame.tb_frame.f_locals["into"][-1] == 1


def test_functions_of_reductions_must_not_keep_their_arguments(rt):
    kept = []

    def begin(partial):
        partial[...] = 0

    def combine(into, other):
        into += other
        kept.append(other[:1])

    @troupe.codelet("reduce")
    def accumulate(into):
        into += 1

    data = rt.data(numpy.zeros(100000), reduction=(begin, combine))
    for _ in range(10):
        accumulate(data)
    with pytest.raises(troupe.TroupeError, match="keep a copy"):
        rt.wait()
    del data
    rt.wait()
    other = [numpy.full(100000, 7e77) for _ in range(5)]
    assert kept and all(0 < view[0] <= 10 for view in kept) and len(other) == 5


def test_a_thread_that_holds_data_is_told_that_it_waits_for_itself():
    a = numpy.zeros(1)
    with troupe.Runtime(cores=1) as rt:
        data = rt.data(a, name="a")
        with data.acquire("rw"):
            future = rt.submit(add, data, 1)
            for wait in (future.result, future.exception, future.wait, rt.wait, data.wait):
                with pytest.raises(troupe.InvalidArgument, match="would never end.*'a' in mode read_write"):
                    wait()
            with pytest.raises(concurrent.futures.TimeoutError):
                future.result(timeout=0.05)
            assert not future.done()
        assert future.result() is None
        with data.acquire("rw"):
            assert rt.submit(add, numpy.zeros(1), 1).result() is None
    assert a[0] == 1
