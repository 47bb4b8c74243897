"""Ctrl-C ends every wait of the main thread, and leaves a runtime that works."""

import contextlib
import os
import signal
import threading
import time

import numpy as np
import pytest

import troupe
import troupe.linalg

#: Seconds that the kernels and holds below take at most, if no test ends them.
LONGEST = 3
#: A wait that was interrupted has ended within this time.
SOON = 2


@contextlib.contextmanager
def interrupted():
    """The block waits, and an interrupt ends it."""
    timer = threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        yield
    assert time.monotonic() - begin < SOON
    timer.join()


class Embedded:
    """A runtime in this process, whose kernels wait until `go_on` is called."""

    def __init__(self):
        self.gate = threading.Event()
        self.runtime = troupe.Runtime(cores=1, oversubscribe=True)

        @troupe.codelet("rw")
        def stay(a):
            self.gate.wait(LONGEST)

        @troupe.codelet("rw")
        def add_one(a):
            a += 1

        self.stay = stay
        self.add_one = lambda a: self.runtime.submit(add_one, a)

    def make_busy(self, data):
        """From here on, until `go_on`, waits for these data have no end."""
        self.gate.clear()
        self.runtime.submit(self.stay, data)

    def go_on(self):
        self.gate.set()


class OnService(Embedded):
    """A runtime on a service. In place of a kernel, another thread keeps the data."""

    def __init__(self, folder):
        self.gate = threading.Event()
        self.runtime = troupe.connect(folder)
        self.threads = []
        self.one = np.ones((1, 1), order="F")
        self.minus_one = -self.one

    def add_one(self, a):
        # The kernel computes a -= (-1) * 1.
        self.runtime.submit(troupe.kernels["gemm_nn/double"], self.minus_one, self.one, a, 0)

    def make_busy(self, data):
        self.gate.clear()
        held = threading.Event()

        def hold():
            with data.acquire("rw"):
                held.set()
                self.gate.wait(LONGEST)

        self.threads.append(threading.Thread(target=hold))
        self.threads[-1].start()
        assert held.wait(LONGEST)

    def go_on(self):
        self.gate.set()
        for thread in self.threads:
            thread.join()
        self.threads.clear()


@pytest.fixture(params=["embedded", "service"])
def place(request):
    made = Embedded() if request.param == "embedded" else OnService(request.getfixturevalue("service"))
    yield made
    made.go_on()
    made.runtime.close()


def numbers(shape):
    return np.zeros(shape, order="F")


@pytest.mark.parametrize("mode", ["read", "write", "rw"])
def test_acquire(place, mode):
    a = numbers((1, 1))
    data = place.runtime.data(a)
    place.make_busy(data)
    with interrupted(), data.acquire(mode):
        pass
    place.add_one(data)  # nobody holds the data
    place.go_on()
    place.runtime.wait()
    assert a[0, 0] == 1
    with data.acquire("rw") as array:
        array += 1
    assert a[0, 0] == 2


def test_waits_for_data(place):
    a = numbers((1, 1))
    data = place.runtime.data(a)
    place.make_busy(data)
    place.add_one(data)
    with interrupted():
        data.wait()
    with interrupted():
        np.asarray(data)
    with interrupted():
        place.runtime.wait()
    place.go_on()
    data.wait()
    assert a[0, 0] == 1


def test_release(place):
    a = numbers((1, 1))
    data = place.runtime.data(a)
    place.make_busy(data)
    with interrupted():
        data.release()
    place.add_one(data)  # the data are registered as before
    place.go_on()
    data.release()
    assert a[0, 0] == 1
    with pytest.raises(troupe.InvalidHandle):
        data.wait()


def test_partition(place):
    a = numbers((2, 1))
    data = place.runtime.data(a)
    place.make_busy(data)
    with interrupted():
        data.partition(np.s_[:1], np.s_[1:])
    place.go_on()
    top, bottom = data.partition(np.s_[:1], np.s_[1:])  # they are not there yet
    place.add_one(bottom)
    place.runtime.wait()
    assert a.ravel().tolist() == [0, 1]


def test_repartition(place):
    a = numbers((3, 1))
    data = place.runtime.data(a)
    parts = data.partition(np.s_[:1], np.s_[1:2], np.s_[2:])
    place.make_busy(data)
    with interrupted():
        data.repartition(np.s_[:2])  # waits because the new part leaves some of the array out
    place.add_one(parts[1])  # the former parts stay
    place.go_on()
    place.runtime.wait()
    data.repartition(np.s_[:2])
    assert a.ravel().tolist() == [0, 1, 0]
    with pytest.raises(troupe.InvalidHandle):
        place.add_one(parts[1])


def test_set_reduction(place):
    a = numbers((1, 1))
    data = place.runtime.data(a)
    place.make_busy(data)
    with interrupted():
        data.set_reduction("sum")
    place.add_one(data)
    place.go_on()
    data.set_reduction("sum")
    place.runtime.wait()
    assert a[0, 0] == 1


def test_arrays_live_as_long_as_their_tasks():
    with troupe.Runtime(cores=1, oversubscribe=True) as rt:
        gate = threading.Event()
        seen = []

        @troupe.codelet("rw")
        def stay(a):
            gate.wait(LONGEST)
            seen.append(a.sum())

        data = rt.data(np.ones(100_000))
        stay(data)
        with interrupted():
            data.release()
        del data
        gate.set()
        rt.wait()
        assert seen == [100_000]


def test_an_array_that_was_reshaped():
    with troupe.Runtime(cores=1, oversubscribe=True) as rt:
        gate = threading.Event()

        @troupe.codelet("rw")
        def stay(a):
            gate.wait(LONGEST)

        a = np.zeros(6)
        stay(a)
        a.shape = (2, 3)
        with interrupted():
            stay(a)  # the array is registered anew when its task has ended
        gate.set()
        rt.wait()
        stay(a)


def test_dropped_data_of_a_service(service):
    with troupe.connect(service) as rt:
        a, b, c = (numbers((1000, 1000)) for _ in range(3))
        data = rt.data(c)
        for _ in range(400):
            rt.submit(troupe.kernels["gemm_nn/double"], a, b, data, 0)
        # The runtime forgets `c` after its last task, and another registration waits for that on a service.
        del data
        with interrupted():
            rt.data(np.zeros(1))
        rt.cancel()
        with pytest.raises(troupe.Cancelled):
            rt.wait()
        rt.data(c)


@pytest.mark.parametrize("by", ["block", "close"])
def test_the_end_of_a_runtime(place, by):
    a = numbers((1, 1))
    data = place.runtime.data(a)
    place.make_busy(data)
    place.add_one(data)
    # An interrupt cancels what has not begun, and the end of the runtime waits for the rest.
    goes_on = threading.Timer(0.6, place.go_on)
    goes_on.start()
    with interrupted():
        if by == "close":
            place.runtime.close()
        with place.runtime:
            pass
    assert place.runtime.closed
    assert a[0, 0] == 0
    goes_on.join()


@pytest.fixture
def one_core():
    with troupe.Runtime(cores=1, oversubscribe=True) as rt:
        yield rt


@pytest.fixture
def narrow():
    with troupe.Runtime(cores=1, oversubscribe=True, window=8) as rt:
        yield rt


def matrix():
    a = np.random.default_rng(3).standard_normal((300, 300))
    return a @ a.T + 300 * np.eye(300)


CALLS = {
    "cholesky": lambda a, rt, **options: troupe.linalg.cholesky(a, runtime=rt, **options),
    "lu": lambda a, rt, **options: troupe.linalg.lu(a, runtime=rt, **options),
    "qr": lambda a, rt, **options: troupe.linalg.qr(a, runtime=rt, **options),
    "solve": lambda a, rt, **options: troupe.linalg.solve(a, a[0], runtime=rt, **options),
}


@pytest.fixture
def interrupts_open():
    """A gate that the handler of the signal opens: what waits for it ends only if the handler runs during the wait."""
    gate = threading.Event()

    def handler(*_):
        gate.set()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handler)
    yield gate
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("place, name", [*(("one_core", name) for name in CALLS), ("narrow", "cholesky")])
def test_linear_algebra(place, name, interrupts_open, monkeypatch, request):
    rt = request.getfixturevalue(place)

    @troupe.codelet("rw")
    def stay(a):
        assert interrupts_open.wait(LONGEST)

    # The tasks of the factorization come behind a kernel that begins after the first wait of the call. In a narrow
    # window most of them wait to be submitted.
    finish = troupe.linalg._finish_tasks

    def finish_and_stay(runtime):
        finish(runtime)
        runtime.submit(stay, np.zeros(1))

    a = matrix()
    expected = CALLS[name](a, rt)
    with monkeypatch.context() as patch:
        patch.setattr(troupe.linalg, "_finish_tasks", finish_and_stay)
        for options in ({"tile": 32}, {"overwrite_a": True, "tile": 64}):
            interrupts_open.clear()
            with interrupted():
                CALLS[name](np.asfortranarray(a), rt, **options)
    # The runtime is as before: nothing fails afterwards.
    rt.wait()
    assert np.allclose(CALLS[name](a, rt), expected)


@pytest.mark.parametrize("name", CALLS)
def test_linear_algebra_behind_other_tasks(name, one_core):
    gate = threading.Event()

    @troupe.codelet("rw")
    def stay(a):
        gate.wait(LONGEST)

    stay(np.zeros(1))
    with interrupted():
        CALLS[name](matrix(), one_core)
    gate.set()
    CALLS[name](matrix(), one_core)


def test_linear_algebra_on_a_service(service):
    a = matrix()
    with troupe.connect(service) as rt:
        expected = troupe.linalg.cholesky(a, runtime=rt)

        def forever():
            while True:
                troupe.linalg.cholesky(a, tile=16, runtime=rt)

        for _ in range(3):
            with interrupted():
                forever()
            rt.wait()
        assert np.allclose(troupe.linalg.cholesky(a, runtime=rt), expected)
