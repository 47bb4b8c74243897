"""Options, reports, traces and ends of runtimes."""

import json
import os
import signal
import threading
import time

import numpy
import pytest

import troupe


@troupe.codelet("rw")
def add(a, value):
    a += value


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"polcy": "heft"}, TypeError, "did you mean 'policy'"),
        ({"nothing_like_it": 1}, TypeError, "help"),
        ({"cores": "two"}, TypeError, "cores is int, not 'two'"),
        ({"cores": 1.5}, TypeError, "cores is int"),
        ({"cores": True}, TypeError, "cores is int"),
        ({"cores": 1 << 40}, ValueError, "too large"),
        ({"window": 0}, ValueError, "window: '0' is too small: give a whole number from 1 to"),
        ({"seed": -1}, ValueError, "seed: '-1' is negative"),
        ({"seed": 1 << 64}, ValueError, "too large"),
        ({"emulated_gpus": 300}, ValueError, "from 1 to 64"),
        ({"emulated_gpus": "2:colour=red"}, ValueError, "colour"),
        ({"lookahead": 1025}, troupe.InvalidArgument, "lookahead: '1025' is too large: give a whole number from 0 to 1024"),
        ({"gpu_lookahead": 2}, TypeError, "Runtime has no option 'gpu_lookahead'; it is called 'lookahead' now"),
        ({"core_lookahead": 1025}, troupe.InvalidArgument, "core_lookahead: '1025' is too large"),
        ({"issue_ahead": 1025}, troupe.InvalidArgument, "issue_ahead: '1025' is too large"),
        ({"policy": "\udcff"}, ValueError, "none of Unicode"),
        ({"bind": "no"}, TypeError, "bind is bool"),
        ({"spin": -1}, ValueError, "spin: '-1s' is negative"),
        ({"spin": float("nan")}, ValueError, "spin: 'nans' is no time"),
        ({"spin": "5 minutes"}, ValueError, "is no time: give a number and a unit"),
        ({"gpu_memory": "much"}, ValueError, "is no amount of memory: give a positive number and a unit, such as 512MiB"),
        ({"on_warning": 3}, TypeError, "callable"),
        ({"trace": "trace.txt"}, ValueError, "trace.txt"),
        ({"policy": "no-such-policy"}, troupe.InvalidArgument, "no-such-policy"),
        ({"cores": 100000}, troupe.TroupeError, "100000"),
        ({"eviction": "never"}, troupe.InvalidArgument, "never"),
    ],
)
def test_bad_options_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        troupe.Runtime(**options)


def test_options_have_an_effect():
    with troupe.Runtime(cores=1, policy="heft", window=4, seed=3, bind=False, spin=0.0, trace=False) as rt:
        assert rt.workers == 1 and rt.policy.startswith("heft") and "1 worker," in repr(rt)
        a = numpy.zeros(1)
        for _ in range(100):
            add(a, 1)
    assert a[0] == 100 and rt.closed


def test_numbers_and_truth_values_of_numpy_are_options():
    with troupe.Runtime(cores=numpy.int64(1), bind=numpy.False_, seed=(1 << 64) - 1) as rt:
        assert rt.workers == 1


def test_emulated_accelerators_and_the_users_folder_of_kernel_times(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with troupe.Runtime(cores=1, policy="heft", emulated_gpus="1:memory=1MiB", models="default") as rt:
        assert rt.workers == 2
        a = numpy.zeros((4, 4), order="F")
        for _ in range(4):
            troupe.kernels["fill_symmetric/double"](a, 0, 0, 7, 100.0)
    too_small = pytest.raises(troupe.TroupeError, match="memory of emulated GPU 0, which has 1048576")
    with too_small, troupe.Runtime(cores=1, emulated_gpus="1:memory=1MiB") as rt:
        big = numpy.zeros((1000, 1000), order="F")
        troupe.kernels["fill_symmetric/double"](big, 0, 0, 7, 100.0, devices="gpus")
    with troupe.Runtime(cores=1, policy="heft", models="none") as rt:
        add(numpy.zeros(1), 1)
    assert [entry.name for entry in tmp_path.iterdir()] == ["cache"]


def test_deterministic_runs():
    with troupe.Runtime(cores=3, deterministic=True, seed=5) as rt:
        a = numpy.zeros(1)
        futures = [add(a, 1) for _ in range(20)]
        futures[10].result()
        rt.wait()
        assert a[0] == 20


def test_reports(rt):
    a = numpy.zeros(1)
    for _ in range(50):
        add(a, 1)
    rt.wait()
    report = rt.report()
    assert report["submitted"] == report["ended"] == 50 == rt.progress()["ended"]
    assert sum(w["tasks"] for w in report["workers"]) == 50
    assert {m["actor"] for m in rt.metrics()} >= {"worker 0", "worker 1", "supervisor"}


def test_why_names_what_is_held(rt):
    data = rt.data(numpy.zeros(1), name="held")
    with data.acquire("rw"):
        add(data, 1, name="the waiting one")
        why = rt.why()
    assert "held" in str(why) and why["in_flight"] >= 1 and why["causes"]


def test_stalls_are_told():
    told, words = threading.Event(), []

    def note(text):
        words.append(text)
        told.set()

    with troupe.Runtime(cores=1, why_after=0.01, on_stall=note) as rt:
        data = rt.data(numpy.zeros(1), name="stuck")
        with data.acquire("rw"):
            add(data, 1)
            assert told.wait(10)
    assert "stuck" in words[0]


def test_traces(tmp_path):
    path = tmp_path / "trace.json"
    with troupe.Runtime(cores=1, trace=True) as rt:
        add(numpy.zeros(1), 1, name="traced")
        rt.wait()
        trace = rt.take_trace()
        trace.write(path)
        assert "add" in str(trace.analysis()) and len(trace) == 1
        assert len(rt.take_trace()) == 0
    assert any(e.get("args", {}).get("name") == "traced" for e in json.loads(path.read_text())["traceEvents"])
    with troupe.Runtime(cores=1) as rt:
        add(numpy.zeros(1), 1)
        rt.wait()
        nothing = rt.take_trace()
        for use in (nothing.analysis, lambda: nothing.write(path), lambda: nothing.draw(path)):
            with pytest.raises(troupe.InvalidArgument, match="nothing was traced: .*trace=True"):
                use()


def test_traces_are_written_at_the_end(tmp_path):
    # File names are bytes, and some of them are no valid text.
    for path in (tmp_path / "end.paje", os.fsencode(tmp_path / "end.json"), str(tmp_path / "\udcff.json")):
        with troupe.Runtime(cores=1, trace=path):
            add(numpy.zeros(1), 1)
        assert os.stat(path).st_size > 0


def test_runtimes_nest_and_the_innermost_is_meant():
    with troupe.Runtime(cores=1) as outer:
        with troupe.Runtime(cores=1) as inner:
            add(numpy.zeros(1), 1)
            inner.wait()
            assert inner.progress()["submitted"] == 1 and outer.progress()["submitted"] == 0
            data = outer.data(numpy.zeros(1))
            add(data, 1)
            with pytest.raises(troupe.SignatureMismatch, match="another runtime"):
                inner.submit(add, data, 1)
        assert outer.progress()["submitted"] == 1


def test_a_with_block_is_of_its_thread():
    both = threading.Barrier(2)
    submitted, refused = [], []

    def work():
        with troupe.Runtime(cores=1, oversubscribe=True) as rt:
            both.wait(10)
            add(numpy.zeros(1), 1)
            rt.wait()
            submitted.append(rt.progress()["submitted"])
            both.wait(10)
            if both.wait(10) == 0:
                other = threading.Thread(target=outside)
                other.start()
                other.join()
            both.wait(10)

    def outside():
        try:
            add(numpy.zeros(1), 1)
        except troupe.InvalidArgument as error:
            refused.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert submitted == [1, 1] and "say which one is meant" in refused[0]
    # If there is only one runtime, a thread without a runtime of its own uses this one.
    with troupe.Runtime(cores=1) as rt:
        t = threading.Thread(target=outside)
        t.start()
        t.join()
        assert rt.progress()["submitted"] == 1


def test_kernels_submit_while_the_block_ends():
    a = numpy.zeros(1)

    @troupe.codelet("read")
    def parent(x, depth):
        time.sleep(0.05)
        add(a, 1)
        if depth:
            parent(x, depth - 1)

    with troupe.Runtime(cores=1):
        parent(numpy.zeros(1), 2)
    assert a[0] == 3

    @troupe.codelet("read")
    def fail(x):
        raise ValueError("in the end")

    with pytest.raises(troupe.KernelFailed, match="in the end"), troupe.Runtime(cores=1):
        parent(numpy.zeros(1), 0)
        fail(numpy.zeros(1))
    assert a[0] == 4


def test_a_runtime_ends_while_other_threads_use_it():
    for _ in range(60):
        rt = troupe.Runtime(cores=1, window=16, bind=False)
        ends = []

        def use():
            try:
                while True:
                    rt.submit(add, numpy.zeros(1), 1)
                    del_me = rt.data(numpy.zeros(1))
                    del del_me
            except troupe.TroupeError as error:
                ends.append(error)

        threads = [threading.Thread(target=use) for _ in range(3)]
        for t in threads:
            t.start()
        time.sleep(0.005)
        try:
            rt.close()
        except troupe.TroupeError:
            pass
        for t in threads:
            t.join()
        assert len(ends) == 3 and all(isinstance(e, troupe.Stopped) for e in ends), ends


def test_what_has_ended_says_so():
    with troupe.Runtime(cores=1) as rt:
        data = rt.data(numpy.zeros(1))
    for use in (rt.wait, rt.why, lambda: rt.data(numpy.zeros(1)), lambda: add(data, 1), rt.__enter__):
        with pytest.raises(troupe.Stopped, match="has ended"):
            use()
    rt.close()
    data.release()


def test_submissions_wait_where_the_window_is_full(rt):
    with troupe.Runtime(cores=1, window=8) as small:
        a = numpy.zeros(1)
        for _ in range(500):
            small.submit(add, a, 1)
        small.wait()
        assert a[0] == 500


def test_several_threads_submit(rt):
    arrays = [numpy.zeros(1) for _ in range(4)]

    def submit(a):
        for _ in range(200):
            rt.submit(add, a, 1)

    threads = [threading.Thread(target=submit, args=(a,)) for a in arrays]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    rt.wait()
    assert [a[0] for a in arrays] == [200] * 4


def test_a_wait_can_be_interrupted(rt):
    gate = threading.Event()

    @troupe.codelet("rw")
    def stay(a):
        gate.wait(10)

    future = stay(numpy.zeros(1))
    for wait in (rt.wait, future.result):
        timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            wait()
        assert time.monotonic() - begin < 5
        timer.join()
    gate.set()
    rt.wait()
