"""Messages say what to do, in Python's words, where a new user makes a mistake."""

import ctypes
import signal
import subprocess
import sys
import time

import numpy
import pytest

import troupe


@troupe.codelet("read", "write")
def copy(a, b):
    b[:] = a


@troupe.codelet("rw")
def add_one(a):
    a += 1


def message_of(error, function):
    with pytest.raises(error) as refused:
        function()
    return str(refused.value)


@pytest.mark.parametrize("wrong", [[1.0, 2.0], 3.0, None, range(3)])
def test_what_is_no_array(rt, wrong):
    text = message_of(troupe.SignatureMismatch, lambda: copy(wrong, numpy.zeros(2)))
    assert f"not {type(wrong)!r}: make a numpy array of it first" in text


@pytest.mark.parametrize(
    "array, rule",
    [
        (numpy.zeros(8)[::-1], "the stride of an array of one dimension is a multiple of an element's size (8 bytes), above 0"),
        (numpy.zeros((4, 4))[::2, ::2], "the first or last stride must be the size of an element (8 bytes)"),
        (numpy.zeros((4, 4))[::-1], "no stride may be below that"),
        (numpy.zeros((2, 3, 4, 5))[:, 1:], "arrays of more than three dimensions must have no gaps"),
    ],
)
def test_arrays_with_gaps(rt, array, rule):
    text = message_of(ValueError, lambda: add_one(array))
    assert rule in text and "has to be copied back" in text


def test_one_array_for_two_parameters(rt):
    a = numpy.zeros((4, 2))
    text = message_of(troupe.ConflictingAccess, lambda: copy(a, a))
    assert text.startswith("codelet 'copy': arguments 0 and 1 share elements (the array of shape (4, 2)), and the kernel")
    assert "modes read and write" in text and "handle" not in text
    data = rt.data(numpy.zeros(4), name="x")
    part = data.partition(numpy.s_[:2], numpy.s_[2:])[1]
    assert "('x[1]')" in message_of(troupe.ConflictingAccess, lambda: copy(part, data))
    with rt.record():
        assert "arguments 0 and 1" in message_of(troupe.ConflictingAccess, lambda: copy(a, a))
    rt.wait()


def test_data_that_a_recording_does_not_use(rt):
    a, other = numpy.zeros(4), numpy.zeros(4)
    with rt.record() as step:
        add_one(a)
    data = rt.data(other, name="other")
    text = message_of(troupe.InvalidArgument, lambda: step.run(rebind={data: numpy.zeros(4)}))
    assert text.startswith("'other' is to be exchanged, but no task of the recording uses it")
    step.run(rebind=[(a, other)]).result(timeout=60)
    assert other[0] == 1 and a[0] == 0


def test_arrays_that_cannot_stand_for_others(rt):
    a = numpy.zeros(4)
    with rt.record() as step:
        add_one(a)
    for other in (numpy.zeros(5), numpy.zeros(4, numpy.int64), numpy.zeros((2, 2))):
        text = message_of(troupe.InvalidArgument, lambda: step.run(rebind=[(a, other)]))
        assert text.endswith("cannot stand for the array of shape (4,): shape, order and dtype must be the same")


def test_arguments_of_recordings(rt):
    text = message_of(TypeError, lambda: rt.record("step"))
    assert text.startswith("record takes the function") and text.endswith("not 'step': a name is given by name=")
    with rt.record() as step:
        add_one(numpy.zeros(1))
    for wrong in (5, [numpy.zeros((3, 1))]):
        assert message_of(TypeError, lambda: step.run(rebind=wrong)) == "rebind is a dictionary, or pairs: (recorded, now)"


def test_recordings_of_arrays_that_were_resized_do_not_run(rt):
    a, other = numpy.zeros(4), numpy.zeros(4)
    with rt.record() as step:
        add_one(a)
    a.resize(400_000, refcheck=False)
    text = message_of(troupe.InvalidHandle, step.run)
    assert text.startswith("a recording is run that uses") and "its memory was freed or moved" in text


def test_data_of_kernels_of_c_in_a_recording_may_be_exchanged(rt):
    kind = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), ctypes.c_int64)

    @kind
    def in_c(values, n):
        values[0] += n

    kernel = troupe.c_codelet(in_c, "rw double*, size")
    a, other = numpy.zeros(4), numpy.zeros(4)
    with rt.record() as step:
        kernel(a)
    step.run(rebind=[(a, other)]).result(timeout=60)
    assert other[0] == 4 and a[0] == 0


def test_options_of_tasks_are_called_as_in_python(rt):
    a = numpy.zeros(2)
    text = message_of(troupe.InvalidArgument, lambda: add_one(numpy.zeros(3), weak=[("rw", a)]))
    assert "say nested=True, too" in text

    @troupe.codelet("rw")
    def waits(a):
        rt.wait()

    text = message_of(troupe.WaitInKernel, lambda: waits(a).result(timeout=60))
    assert "a task with nested=True" in text and "::" not in text
    with pytest.raises(troupe.WaitInKernel):
        rt.wait()

    @troupe.codelet("rw")
    def foreign(a):
        add_one(numpy.ones(2)[:1])
        add_one(other)

    other = rt.data(numpy.zeros(2))
    with pytest.raises(troupe.InvalidArgument, match="or to weak= if only its children") as refused:
        foreign(numpy.zeros(2), nested=True).result(timeout=60)
    assert "::" not in str(refused.value)
    with pytest.raises(troupe.InvalidArgument):
        rt.wait()


def test_options_of_a_runtime_have_names():
    assert message_of(TypeError, lambda: troupe.Runtime(2)) == (
        "the options of a Runtime have names, as in troupe.Runtime(cores=2)"
    )


def test_timeouts_are_seconds(rt):
    future = rt.call(int)
    assert message_of(TypeError, lambda: future.result(timeout="1")) == "timeout is seconds (float) or None, not '1'"
    assert future.result(timeout=numpy.float32(60)) == 0 and future.exception(timeout=60) is None


def test_calls_that_the_end_of_the_interpreter_cancels_are_a_warning(run_program):
    left = """
import time, troupe
rt = troupe.Runtime(cores=1)
first = rt.call(time.sleep, 0.3)
second = rt.call(time.sleep, 0)
"""
    done = run_program(left, timeout=30)
    assert done.returncode == 0 and len(done.stderr.splitlines()) == 1, done.stderr
    assert "tasks that had not begun were cancelled when the program ended" in done.stderr
    for ending in ("rt.wait()", "second.result()", "rt.close(cancel=True)", "second.cancel(); first.result()"):
        done = run_program(left + ending, timeout=30)
        assert (done.returncode, done.stderr) == (0, ""), ending


ENDLESS = """
import sys, time, troupe
def endless():
    print("begun", flush=True)
    while True:
        pass
with troupe.Runtime(cores=1) as rt:
    rt.call(endless)
    {}
"""


@pytest.mark.parametrize("then", ["rt.wait()", "pass", "time.sleep(0.5); raise KeyboardInterrupt"])
def test_after_an_interrupt_the_user_hears_of_kernels_that_run_on(then):
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS.format(then)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "begun\n"
        if "raise" not in then:
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
        line = process.stderr.readline()
        assert "waits for kernels that still run" in line and "Ctrl-C ends" in line, line
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT
    finally:
        process.kill()
        process.communicate()


def test_an_exception_that_leaves_a_block_says_nothing_where_kernels_end(run_program):
    done = run_program(
        """
import time, troupe
with troupe.Runtime(cores=1) as rt:
    rt.call(time.sleep, 0.2)
    time.sleep(0.1)
    raise SystemExit(3)
"""
    )
    assert (done.returncode, done.stderr) == (3, "")
