"""Data and recordings in cycles are collected, but not while tasks use them."""

import gc
import threading
import weakref

import numpy
import pytest

import troupe


class Array(numpy.ndarray):
    """An array with attributes, which can refer to anything."""


class Thing:
    pass


def array(n=3):
    return numpy.zeros(n).view(Array)


@troupe.codelet("rw")
def add_one(a):
    a += 1


@troupe.codelet("read")
def look(a):
    return a.sum()


@pytest.fixture(autouse=True)
def without_the_collector():
    """Only the tests themselves collect, so that they know when."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def record_itself(rt, array):
    """A recording whose kernel refers to the recording and to its data. Returns the recording and a weak reference that
    tells when the kernel is gone."""
    thing = Thing()
    thing.data = rt.data(array)

    @troupe.codelet("rw")
    def kernel(a):
        a += 1
        return thing

    with rt.record() as recording:
        kernel(thing.data)
    thing.recording = recording
    return recording, weakref.ref(thing)


def test_a_recording_that_its_kernel_refers_to_is_collected(rt):
    a = numpy.zeros(3)
    recording, gone = record_itself(rt, a)
    futures = [recording.run(), recording.run()]
    rt.wait()
    assert futures[1].done() and a[0] == 2
    del recording
    assert gone() is not None
    gc.collect()
    assert gone() is None
    # The registration of the array has ended with it.
    rt.data(a[1:])


def test_a_recording_with_itself_as_an_argument_is_collected(rt):
    thing = Thing()
    gone = weakref.ref(thing)

    @troupe.codelet("rw")
    def kernel(a, *rest, **more):
        a += len(rest) + len(more)

    a = numpy.zeros(3)
    with rt.record() as recording:
        kernel(a, recording, thing, again=recording)
    recording.run().result(timeout=60)
    assert a[0] == 3
    del recording, thing
    gc.collect()
    assert gone() is None


def test_a_recording_is_not_collected_while_it_runs(rt):
    a = numpy.zeros(3)
    gate, begun = threading.Event(), threading.Event()

    def run_twice():
        thing = Thing()

        @troupe.codelet("rw")
        def kernel(a):
            begun.set()
            assert gate.wait(60)
            a += 1
            assert thing.recording.tasks == 2

        with rt.record() as thing.recording:
            kernel(a)
            kernel(a)
        thing.recording.run()
        return weakref.ref(thing), thing.recording.run()

    gone, future = run_twice()
    assert begun.wait(60)
    for _ in range(3):
        gc.collect()
        assert gone() is not None
    gate.set()
    future.result(timeout=60)
    rt.wait()
    assert a[0] == 4
    gc.collect()
    assert gone() is None


def test_a_recording_that_somebody_refers_to_is_not_collected(rt):
    a = numpy.zeros(3)
    recording, gone = record_itself(rt, a)
    gc.collect()
    assert gone() is not None
    recording.run().result(timeout=60)
    assert a[0] == 1 and recording.tasks == 1


def test_futures_of_runs_keep_no_recording(rt):
    recording, gone = record_itself(rt, numpy.zeros(3))
    kept = recording.run()
    gone().futures = [kept]
    kept.result(timeout=60)
    del recording
    gc.collect()
    assert gone() is None and kept.state == "succeeded"


def test_failures_of_runs_are_told_after_the_recording_has_gone(rt):
    def record():
        @troupe.codelet("rw")
        def kernel(a):
            raise ValueError("too small")

        with rt.record() as recording:
            kernel(numpy.zeros(3))
        return recording.run()

    future = record()
    with pytest.raises(troupe.KernelFailed, match="too small") as caught:
        future.result(timeout=60)
    assert type(caught.value.__cause__) is ValueError
    with pytest.raises(troupe.KernelFailed):
        rt.wait()


@pytest.mark.parametrize("read", [False, True])
def test_data_that_their_array_refers_to_are_collected(rt, read):
    a = array()
    memory = a.base
    gone = weakref.ref(a)
    a.own = rt.data(a)
    add_one(a.own)
    if read:
        look(a.own).result(timeout=60)
    rt.wait()
    del a
    assert gone() is not None
    gc.collect()
    rt.wait()  # the runtime keeps the array until its registration has ended
    assert gone() is None
    assert memory[0] == 1
    rt.data(memory[1:])


def test_arrays_that_refer_to_their_recording_are_collected(rt):
    a = array()
    gone = weakref.ref(a)
    data = rt.data(a)
    with rt.record() as recording:
        add_one(data)
        look(data)
    recording.run().result(timeout=60)
    a.recording = recording
    del a, data
    gc.collect()
    assert gone() is not None
    del recording
    gc.collect()
    rt.wait()
    assert gone() is None


def test_data_are_not_collected_while_tasks_use_them(rt):
    a = array()
    memory = a.base
    a.own = rt.data(a)
    gone = weakref.ref(a)
    gate, begun = threading.Event(), threading.Event()

    @troupe.codelet("rw")
    def kernel(a):
        begun.set()
        assert gate.wait(60)
        a += 1
        assert a.own.array is a

    future = kernel(a.own)
    following = troupe.kernels["dscal"](a.own, 3.0) if "dscal" in troupe.kernels else None
    del a
    assert begun.wait(60)
    gc.collect()
    assert gone() is not None and gone().own.shape == (3,)
    gate.set()
    future.result(timeout=60)
    rt.wait()
    assert memory[0] == (1 if following is None else 3)
    gc.collect()
    rt.wait()
    assert gone() is None


def test_data_outlive_a_collection_where_kernels_of_c_use_them():
    """A kernel in C has no reference to the data's object, so the runtime keeps the memory by itself."""
    import ctypes

    gate, begun = threading.Event(), threading.Event()
    kind = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), ctypes.c_int64)

    @kind
    def in_c(values, n):
        begun.set()
        gate.wait(60)
        for i in range(n):
            values[i] += 1

    kernel = troupe.c_codelet(in_c, "rw double*, size")
    with troupe.Runtime(cores=1) as rt:
        a = array(1000)
        memory = a.base
        a.own = rt.data(a)
        kernel(a.own)
        assert begun.wait(60)
        del a
        gc.collect()
        gate.set()
        rt.wait()
        assert (memory == 1).all()
        rt.data(memory)


def test_collections_beside_running_recordings_lose_nothing(rt):
    """Collects while runs begin and end in other threads."""
    a = numpy.zeros(1)
    recording, gone = record_itself(rt, a)
    over = threading.Event()

    def collect():
        while not over.is_set():
            gc.collect()

    thread = threading.Thread(target=collect)
    thread.start()
    try:
        for _ in range(300):
            recording.run()
        rt.wait()
    finally:
        over.set()
        thread.join()
    assert a[0] == 300
    del recording
    gc.collect()
    assert gone() is None


def test_many_cycles_of_several_threads_are_collected(rt):
    """Collects very often, while threads make cycles of recordings, data, futures and calls."""
    recording = threading.Lock()
    made = []

    def make(i):
        thing = Thing()
        thing.data = rt.data(numpy.zeros(10))

        @troupe.codelet("rw")
        def kernel(a, *rest):
            a += 1
            return thing

        with recording:
            with rt.record() as thing.recording:
                kernel(thing.data, thing)
                add_one(thing.data)
                look(thing.data)
        thing.futures = [thing.recording.run() for _ in range(i % 3)] + [kernel(thing.data)] * (i % 2)
        thing.call = rt.call(lambda: thing)
        if i % 5 == 0:
            thing.call.result(timeout=60)
        made.append(weakref.ref(thing))

    before = gc.get_threshold()
    gc.set_threshold(50, 2, 2)
    gc.enable()
    try:
        threads = [threading.Thread(target=lambda: [make(i) for i in range(60)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.set_threshold(*before)
        gc.disable()
    rt.wait()
    gc.collect()
    rt.wait()
    gc.collect()
    assert len(made) == 240 and not any(gone() for gone in made)
