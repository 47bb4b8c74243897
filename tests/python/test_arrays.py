"""Arrays as data: their shapes, orders and types in kernels, their parts, accesses by the program, and invalid
arrays."""

import array
import ctypes
import gc
import threading
import time
import weakref

import numpy
import pytest

import troupe

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "complex64", "complex128", "S5", "datetime64[s]", ">f8", [("x", "f4"), ("n", "i8")],
]  # fmt: skip


@troupe.codelet("read", "write", name="copy")
def copy(source, target):
    assert source.shape == target.shape and source.dtype == target.dtype
    target[...] = source


@troupe.codelet("rw", "read")
def describe(a, keys, into):
    into.append((a.shape, a.strides, a.dtype, a.flags.writeable, keys.flags.writeable))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_element_type_is_copied(rt, dtype):
    source = numpy.arange(12).astype("i8").view("u1")[:60].repeat(16)[: 12 * numpy.dtype(dtype).itemsize].copy()
    source = (source % 2).view(dtype) if dtype == "bool" else source.view(dtype)
    target = numpy.zeros_like(source)
    copy(source, target)
    rt.wait()
    assert source.tobytes() == target.tobytes()


@pytest.mark.parametrize(
    "make",
    [
        lambda: numpy.array(3.0),
        lambda: numpy.zeros(7),
        lambda: numpy.zeros(0),
        lambda: numpy.zeros((0, 4)),
        lambda: numpy.zeros((3, 5)),
        lambda: numpy.zeros((3, 5), order="F"),
        lambda: numpy.zeros((1, 5)),
        lambda: numpy.zeros((5, 1)),
        lambda: numpy.zeros((2, 3, 4)),
        lambda: numpy.zeros((2, 3, 4), order="F"),
        lambda: numpy.zeros((2, 3, 4))[:, 1:, 1:3],
        lambda: numpy.zeros((2, 3, 4), order="F")[1:, ::2],
        lambda: numpy.zeros((2, 1, 4))[:, :, ::-1][:0],
        lambda: numpy.zeros((2, 3, 4, 5)),
        lambda: numpy.zeros((6, 8))[1:4, 2:7],
        lambda: numpy.zeros((6, 8), order="F")[1:4, 2:7],
        lambda: numpy.zeros((6, 8))[:, 3],
        lambda: numpy.zeros((6, 8), order="F")[3, :],
        lambda: numpy.zeros((6, 8)).T,
        lambda: numpy.zeros((6, 8))[:, 3:4],
    ],
)
def test_kernels_see_the_array_as_it_is(rt, make):
    a, seen = make(), []
    describe(a, numpy.zeros(1), seen)
    rt.wait()
    assert seen == [(a.shape, a.strides, a.dtype, True, False)]


@pytest.mark.parametrize(
    "bad, error, words",
    [
        (numpy.zeros((4, 4))[::2, ::2], ValueError, "is not contiguous"),
        (numpy.zeros(8)[::-1], ValueError, "is not contiguous"),
        (numpy.zeros((2, 3, 4))[:, :, ::2], ValueError, "is not contiguous"),
        (numpy.zeros((2, 3, 4)).transpose(1, 0, 2), ValueError, "is not contiguous"),
        (numpy.zeros((2, 3, 4, 5))[:, 1:], ValueError, "is not contiguous"),
        (numpy.array([object()]), TypeError, "objects of Python"),
        (numpy.zeros(2, dtype=[("o", "O")]), TypeError, "objects of Python"),
        ([1.0, 2.0], TypeError, "buffer protocol"),
        (b"bytes", TypeError, "buffer protocol"),
        (None, TypeError, "buffer protocol"),
    ],
)
def test_bad_arrays_are_refused(rt, bad, error, words):
    with pytest.raises(error, match=words):
        rt.data(bad, name="bad")


def test_arrays_that_overlap_are_refused_with_the_remedy(rt):
    a = numpy.zeros(10)
    keep = rt.data(a, name="a")
    with pytest.raises(troupe.OverlappingHandles, match="partition"):
        rt.data(a[5:])
    assert keep.name == "a"
    with pytest.raises(ValueError, match="share memory"):
        copy(a[:5], a[5:])


def test_the_same_memory_is_the_same_data(rt):
    a = numpy.zeros(4)
    add(a, 1.0)
    rt.wait()
    data = rt.data(a, name="a")
    assert data.name == "a" and rt.data(a) is data and rt.data(a[:]) is data
    top, bottom = data.partition(numpy.s_[:2], numpy.s_[2:])
    add(a, 1.0)
    add(top, 10.0)
    add(a[2:], 100.0)  # This array is a part of the data.
    add(a[:2], 10.0)
    add(data, 1.0)
    rt.wait()
    assert a.tolist() == [23, 23, 103, 103]
    data.release()
    add(a, 1.0)  # This registers the array once more.
    assert rt.data(a) is not data
    rt.wait()
    assert a.tolist() == [24, 24, 104, 104]


def test_a_bare_array_is_in_nobodys_way_once_its_tasks_have_ended(rt):
    a = numpy.zeros(10)
    add(a[:5], 1.0)
    rt.wait()
    add(a[3:], 1.0)
    rt.wait()
    whole = rt.data(a)
    add(whole, 1.0)
    rt.wait()
    assert a.tolist() == [2, 2, 2, 3, 3, 2, 2, 2, 2, 2]
    with pytest.raises(troupe.OverlappingHandles, match="partition"):
        rt.data(a[5:])
    add(numpy.zeros(1), 1.0)
    with pytest.raises(troupe.OverlappingHandles):
        copy(numpy.zeros(5), a[5:])


def test_numpy_sees_data_once_their_tasks_have_ended(rt):
    @troupe.codelet("rw")
    def slow(a):
        time.sleep(0.05)
        a += 1

    a = numpy.zeros(3)
    data = rt.data(a, name="a")
    slow(data)
    seen = numpy.asarray(data)
    assert seen.tolist() == [1, 1, 1] and numpy.shares_memory(seen, a) and not seen.flags.writeable
    slow(data)
    copied = numpy.array(data)
    assert copied.tolist() == [2, 2, 2] and not numpy.shares_memory(copied, a) and copied.flags.writeable
    slow(data)
    assert numpy.asarray(data, "f4").dtype == "f4" and numpy.sum(data) == 9
    with pytest.raises(ValueError, match="copy=False"):
        data.__array__(dtype="f4", copy=False)

    @troupe.codelet("write")
    def fail(a):
        raise ArithmeticError

    fail(data)
    with pytest.raises(troupe.TroupeError):
        numpy.asarray(data)
    with pytest.raises(troupe.KernelFailed):
        rt.wait()


def test_what_the_program_writes_into_allocated_memory_is_content(rt):
    # The runtime cannot see these writes, so it never refuses to read memory that it has allocated itself.
    data, out = rt.allocate(3), numpy.zeros(3)
    data.array[:] = [1, 2, 3]
    copy(data, out)
    rt.wait()
    assert out.tolist() == [1, 2, 3] and numpy.asarray(data).tolist() == [1, 2, 3]
    nobody_wrote = rt.allocate(3)
    copy(nobody_wrote, out)
    rt.wait()
    with nobody_wrote.acquire("read") as array:
        assert array.shape == (3,)


def test_a_read_only_array_can_be_read_alone(rt):
    a, b = numpy.ones(3), numpy.zeros(3)
    a.flags.writeable = False
    copy(a, b)
    with pytest.raises(troupe.InvalidArgument, match="argument 1 .* is read-only"):
        copy(b, a)
    rt.wait()
    assert b.tolist() == [1, 1, 1]


def test_kernels_cannot_write_what_they_read(rt):
    @troupe.codelet("read")
    def write(a):
        a[0] = 1

    write(numpy.zeros(3))
    with pytest.raises(troupe.KernelFailed, match="read-only"):
        rt.wait()


def test_other_buffers_are_arrays_too(rt):
    a, b = array.array("d", [1, 2, 3]), bytearray(24)
    copy(rt.data(a), rt.data(numpy.frombuffer(b)))
    rt.wait()
    assert numpy.frombuffer(b).tolist() == [1, 2, 3]


def test_an_array_in_use_cannot_be_resized(rt):
    a = numpy.zeros(4)
    data = rt.data(a)
    with pytest.raises(ValueError):
        a.resize(8)
    a.resize(100000, refcheck=False)
    with pytest.raises(troupe.InvalidHandle, match="must not be resized"):
        copy(data, numpy.zeros(4))
    data.release()


@troupe.codelet("read", "rw", name="note")
def note(read, written, into):
    into.append((read.shape, read.dtype, written.shape, written.strides, written.dtype, written.flags.writeable))
    written.ravel("K")[0] += 1


@ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), *[ctypes.c_int64] * 2, ctypes.POINTER(ctypes.c_double))
def row_sums(a, rows, cols, sums):
    for i in range(rows):
        sums[i] = sum(a[i * cols + j] for j in range(cols))


@pytest.mark.parametrize("waits", [True, False], ids=["after a wait", "at once"])
def test_an_array_whose_shape_is_changed_in_place_is_registered_anew(rt, waits):
    kernel = troupe.c_codelet(row_sums, "read double*, rows, cols, write double*")
    a, two, three, six = numpy.arange(6.0).reshape(2, 3), numpy.zeros(2), numpy.zeros(3), numpy.zeros(6)
    for shape, sums in (((2, 3), two), ((3, 2), three), ((6,), six), ((2, 3), two)):
        a.shape = shape
        sums[...] = 0
        kernel(a, sums)
        if waits:
            rt.wait()
    rt.wait()
    assert two.tolist() == [3, 12] and three.tolist() == [1, 5, 9] and six.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_kernel_of_python_sees_the_form_that_an_array_had_at_the_call(rt):
    seen, gate = [], threading.Event()

    @troupe.codelet("rw")
    def hold(a):
        gate.wait(10)

    a, b = numpy.zeros((2, 3)), numpy.zeros((2, 3))
    hold(a)
    first = note(b, a, seen)
    a.shape = (3, 2)
    b.dtype = "int64"
    opener = threading.Timer(0.1, gate.set)
    opener.start()
    second = note(b, a, seen)  # Waits for the first use of both.
    rt.wait()
    opener.join()
    assert first.done() and second.done()
    a.dtype = "float32"
    note(b, a, seen)
    rt.wait()
    assert seen == [
        ((2, 3), "float64", (2, 3), (24, 8), "float64", True),
        ((2, 3), "int64", (3, 2), (16, 8), "float64", True),
        ((2, 3), "int64", (3, 4), (16, 4), "float32", True),
    ]
    a.dtype = "float64"
    assert a[0, 0] != 0 and (a.ravel()[1:] == 0).all()


def test_a_failure_does_not_keep_an_array_from_being_registered_anew():
    seen = []

    @troupe.codelet("rw")
    def fail(a):
        raise ValueError("on purpose")

    a, b = numpy.zeros((2, 3)), numpy.zeros(1)
    with pytest.raises(troupe.KernelFailed, match="on purpose"):
        with troupe.Runtime(cores=1) as rt:
            fail(a)
            a.shape = (3, 2)
            note(b, a, seen)
            rt.wait()
    assert seen == [((1,), "float64", (3, 2), (16, 8), "float64", True)]


def test_data_whose_array_is_changed_in_place_are_refused(rt):
    seen = []
    a, b = numpy.zeros((2, 4)), numpy.zeros((2, 4))
    data = rt.data(a, name="x")
    note(b, data, seen)
    rt.wait()
    for change in (lambda: setattr(a, "shape", (4, 2)), lambda: setattr(a, "dtype", "float32")):
        shape, dtype = a.shape, a.dtype
        change()
        for use in (
            lambda: note(b, data, seen),
            lambda: data.partition(numpy.s_[:1], numpy.s_[1:]),
            lambda: data.halos(numpy.s_[:1]),
        ):
            with pytest.raises(troupe.InvalidHandle, match="'x'.*shape, strides or dtype were changed"):
                use()
        with pytest.raises(troupe.OverlappingHandles):
            rt.data(a)
        a.dtype, a.shape = dtype, shape
        note(b, data, seen)
        rt.wait()
    a.shape = (4, 2)
    data.release()
    assert rt.data(a).partition(numpy.s_[:3], numpy.s_[3:])[0].shape == (3, 2)
    note(b, a, seen)
    rt.wait()
    assert [now[2] for now in seen] == [(2, 4), (2, 4), (2, 4), (4, 2)]


def test_a_recording_has_the_form_that_its_arrays_had(rt):
    seen = []
    a, b = numpy.zeros((2, 3)), numpy.zeros((2, 3))
    with rt.record() as graph:
        note(b, a, seen)
    a.shape = b.shape = (3, 2)
    graph.run()
    rt.wait()
    assert seen == [((2, 3), "float64", (2, 3), (24, 8), "float64", True)] and a[0, 0] == 1
    with pytest.raises(troupe.InvalidHandle, match=r"shape \(3, 2\).*were changed while .* a recording"):
        note(b, a, seen)
    del graph
    gc.collect()
    note(b, a, seen)
    rt.wait()
    assert seen[1][2] == (3, 2)


def test_an_array_is_not_registered_anew_in_a_kernel(rt):
    seen, a, b = [], numpy.zeros((2, 3)), numpy.zeros(1)

    @troupe.codelet("rw")
    def change(x):
        a.shape = (3, 2)
        note(b, a, seen)

    change(a)
    with pytest.raises(troupe.InvalidHandle, match="were changed while a kernel"):
        rt.wait()


def test_partition_orders_tasks_on_parts_and_the_whole(rt):
    for order in "CF":
        a = numpy.zeros((6, 8), order=order)
        whole = rt.data(a, name="a")
        parts = whole.partition(numpy.s_[:3, :4], numpy.s_[3:, :4], numpy.s_[:, 4:])
        for i, part in enumerate(parts):
            add(part, i + 1.0)
        add(whole, 10.0)
        rt.wait()
        expected = numpy.full((6, 8), 13.0)
        expected[:3, :4], expected[3:, :4] = 11, 12
        assert (a == expected).all()
        assert parts[1].shape == (3, 4) and parts[1].name == "a[1]"


def test_arrays_of_three_dimensions_are_divided_into_boxes(rt):
    for order in "CF":
        a = numpy.zeros((6, 5, 4), order=order)
        whole = rt.data(a, name="a")
        index = (numpy.s_[:3, :, :2], numpy.s_[:3, :, 2:], numpy.s_[3:, ::2], numpy.s_[3:, 1::2])
        parts = whole.partition(*index)
        expected = numpy.zeros((6, 5, 4))
        for i, part in enumerate(parts):
            assert part.shape == a[index[i]].shape
            add(part, i + 1.0)
            expected[index[i]] += i + 1.0
        add(whole, 10.0)
        around = whole.halos(numpy.s_[2:4, 2:3, 1:2], rim=(1, 0, 2))[0]
        seen = []
        look(around, seen)
        rt.wait()
        assert (a == expected + 10).all()
        assert (seen[0] == a[1:5, 2:3]).all() and a[1:5, 2:3][around.inside].shape == (2, 1, 1)
        halves = whole.repartition(numpy.s_[:, :2], numpy.s_[:, 2:])
        add(halves[1], 5.0)
        rt.wait()
        assert (a[:, :2] == expected[:, :2] + 10).all() and (a[:, 2:] == expected[:, 2:] + 15).all()
        with pytest.raises(troupe.OverlappingHandles, match="overlaps another part"):
            whole.partition(numpy.s_[:1])
        innermost = numpy.s_[:, :, ::2] if order == "C" else numpy.s_[::2]
        with pytest.raises(ValueError, match="side by side"):
            whole.partition(innermost)


@troupe.codelet("read")
def look(a, into):
    into.append(a.copy())


def test_reductions_over_three_dimensions_have_all_elements(rt):
    total = numpy.ones((2, 3, 4))
    whole = rt.data(total, reduction="sum")
    twice = rt.data(numpy.ones((3, 4, 2), order="F")[:, 1:], reduction=(zero, join))
    for rounds in (1, 2):  # the second time partial results begin with old content
        for _ in range(7):
            add_to(whole, 1.0)
            add_to(twice, 2.0)
        rt.wait()
        assert (total == 1 + 7 * rounds).all() and (twice.array == 1 + 14 * rounds).all()


def zero(partial):
    partial[...] = 0


def join(into, other):
    into += other


@troupe.codelet("reduce")
def add_to(a, value):
    a += value


@troupe.codelet("rw")
def add(a, value):
    a += value


@pytest.mark.parametrize(
    "index, words",
    [
        (numpy.s_[:, ::2], "step 1"),
        (numpy.s_[::-1, :], "step 1"),
        (numpy.s_[1, :], "i:i\\+1"),
        (numpy.s_[:, :, :], "too many dimensions"),
    ],
)
def test_bad_parts_are_refused(rt, index, words):
    with pytest.raises(ValueError, match=words):
        rt.data(numpy.zeros((4, 4))).partition(index)


def test_parts_that_overlap_are_refused(rt):
    with pytest.raises(troupe.OverlappingHandles):
        rt.data(numpy.zeros(4)).partition(numpy.s_[:3], numpy.s_[2:])


def test_arrays_of_many_dimensions_are_divided_in_the_outermost(rt):
    a = numpy.zeros((4, 2, 3, 2))
    data = rt.data(a)
    first, second = data.partition(numpy.s_[:1], numpy.s_[1:])
    add(second, 2.0)
    rt.wait()
    assert (a[0] == 0).all() and (a[1:] == 2).all() and second.shape == (3, 2, 3, 2)
    with pytest.raises(ValueError, match="outermost"):
        rt.data(numpy.zeros((4, 2, 3, 2))).partition(numpy.s_[:, :1])


def test_acquire_waits_and_keeps_tasks_waiting(rt):
    a = numpy.zeros(3)
    data = rt.data(a)
    add(data, 1.0)
    with data.acquire("rw") as held:
        assert held is a and held.tolist() == [1, 1, 1]
        future = add(data, 1.0)
        held *= 10
        assert not future.done()
    rt.wait()
    assert a.tolist() == [11, 11, 11]
    with data.acquire() as held, pytest.raises(ValueError):
        held[0] = 1
    with pytest.raises(ValueError, match="did you mean 'read'"):
        data.acquire("raed")


def test_memory_of_the_runtime(rt):
    data = rt.allocate((3, 4), "float32", "F", name="mine")
    assert data.array.flags.f_contiguous and data.array.dtype == "f4" and data.order == "F"

    @troupe.codelet("write")
    def fill(a):
        a[...] = 7

    fill(data)
    rt.wait()
    assert (data.array == 7).all()
    assert rt.allocate(numpy.int64(5)).shape == rt.allocate([numpy.int8(5)]).shape == (5,)
    with pytest.raises(MemoryError):
        rt.allocate(1 << 60)
    with pytest.raises(TypeError, match="shape is int or several of them, not 2.5"):
        rt.allocate(2.5)
    with pytest.raises(TypeError, match="shape is int or several of them"):
        rt.allocate((2, 2.5))
    with pytest.raises(ValueError):
        rt.allocate((-1,))


@pytest.mark.parametrize("name, expected", [("sum", 4950), ("min", 0), ("max", 99), ("prod", 0)])
@pytest.mark.parametrize("dtype", ["float64", "int64", "uint8"])
def test_named_reductions(rt, name, expected, dtype):
    combine = {"sum": numpy.add, "min": numpy.minimum, "max": numpy.maximum, "prod": numpy.multiply}[name]
    if dtype == "uint8" and name == "sum":
        expected %= 256
    start = {"sum": 0, "min": 200, "max": 0, "prod": 1}[name]
    total = numpy.array([start], dtype=dtype)
    data = rt.data(total, reduction=name)

    @troupe.codelet("reduce")
    def accumulate(into, value):
        combine(into, numpy.array([value], dtype=dtype), out=into)

    for i in range(100):
        accumulate(data, i)
    rt.wait()
    assert total[0] == expected


def test_a_reduction_by_functions_of_python(rt):
    longest = numpy.array(["a"], dtype="U20")

    def begin(partial):
        partial[...] = ""

    def combine(into, other):
        if len(other[0]) > len(into[0]):
            into[...] = other

    data = rt.data(longest, reduction=(begin, combine))

    @troupe.codelet("reduce")
    def take(into, word):
        combine(into, numpy.array([word]))

    for word in ["bb", "ccccc", "ddd"] * 5:
        take(data, word)
    rt.wait()
    assert longest[0] == "ccccc"
    with pytest.raises(ValueError, match="did you mean 'sum'"):
        data.set_reduction("summ")
    with pytest.raises(TypeError, match="two functions"):
        data.set_reduction("sum")


def test_data_are_forgotten_when_nobody_has_them(rt):
    a = numpy.zeros(1000)
    reference = weakref.ref(a)
    data = rt.data(a)
    add(data, 1.0)
    del data, a
    rt.wait()
    rt.wait()
    gc.collect()
    assert reference() is None


def test_bare_arrays_are_forgotten_at_the_next_wait(rt):
    references = []
    for _ in range(50):
        a = numpy.zeros(10)
        add(a, 1.0)
        references.append(weakref.ref(a))
        whole = numpy.zeros((4, 5))
        copy(whole.reshape(20)[:10], a)
        references.append(weakref.ref(whole))
    del a, whole
    rt.wait()
    rt.wait()
    assert [r() for r in references] == [None] * 100


def test_bare_arrays_are_forgotten_without_a_wait(rt):
    references = []
    for _ in range(1000):
        a = numpy.zeros(10)
        add(a, 1.0).result()
        references.append(weakref.ref(a))
    assert sum(r() is not None for r in references) < 200
    del a
    # Views that no longer exist must not prevent new registrations.
    a = numpy.zeros(10)
    for part in range(5):
        add(a[part:], 1.0).result()
    add(a, 1.0)

    @troupe.codelet("rw")
    def fail(a):
        raise ValueError

    reference = weakref.ref(b := numpy.zeros(3))
    fail(numpy.zeros(1))
    add(b, 1.0)
    del b
    with pytest.raises(troupe.KernelFailed):
        rt.wait()
    rt.data(numpy.zeros(1))
    assert reference() is None


def test_the_same_elements_are_the_same_data(rt):
    a = numpy.zeros((4, 4))
    for _ in range(3):
        add(a[1:3], 1.0)
        add(a[3:], 1.0)
    rt.wait()
    assert a[:, 0].tolist() == [0, 3, 3, 3]


def test_released_data_are_refused(rt):
    data = rt.data(numpy.zeros(3), name="gone")
    data.release()
    data.release()
    with pytest.raises(troupe.InvalidHandle, match="'gone'"):
        add(data, 1.0)
    with pytest.raises(troupe.InvalidHandle):
        data.acquire().__enter__()


def neighbours(x):
    """The sum of each element and of those above, below, left and right of it, as far as the array goes."""
    result = x.copy()
    result[1:] += x[:-1]
    result[:-1] += x[1:]
    result[:, 1:] += x[:, :-1]
    result[:, :-1] += x[:, 1:]
    return result


@pytest.mark.parametrize("order", ["C", "F"])
def test_halos_are_parts_with_their_rims(order):
    grids = [numpy.array(numpy.arange(63.0).reshape(9, 7), order=order), numpy.zeros((9, 7), order=order)]
    expected = grids[0].copy()
    blocks = [numpy.s_[i : i + 4, j : j + 3] for i in range(0, 9, 4) for j in range(0, 7, 3)]

    @troupe.codelet("read", "write")
    def step(old, new, inside):
        new[:] = neighbours(old)[inside] % 1000

    with troupe.Runtime(cores=2) as rt:
        data = [rt.data(grid, name="grid") for grid in grids]
        parts = [one.partition(blocks) for one in data]
        halos = [one.halos(blocks, rim=1) for one in data]
        assert [halo.shape for halo in halos[0]][:3] == [(5, 4), (5, 5), (5, 2)]
        assert halos[0][4].inside == (slice(1, 5, 1), slice(1, 4, 1))
        assert parts[0][0].inside is None
        for turn in range(6):
            for old, new in zip(halos[turn % 2], parts[1 - turn % 2]):
                step(old, new, old.inside)
            expected = neighbours(expected) % 1000
        rt.wait()
        assert numpy.array_equal(grids[0], expected)
        with halos[0][0].acquire() as array:
            assert not array.flags.writeable
        with pytest.raises(troupe.InvalidArgument, match="is read-only"):
            troupe.codelet("rw")(lambda x: None)(halos[0][0])
        with pytest.raises(ValueError, match="negative"):
            data[0].halos(blocks, rim=-1)
        with pytest.raises(ValueError, match="3 numbers for an array of 2 dimensions"):
            data[0].halos(blocks, rim=(1, 2, 3))
        for wrong in (1.5, 2**70, "1", (1, None)):
            with pytest.raises(TypeError, match="a rim is a whole number of elements, or a tuple of these, not"):
                data[0].halos(blocks, rim=wrong)
        wide = data[0].halos(numpy.s_[4:8], rim=(2, 0))[0]
        assert wide.shape == (7, 7) and wide.inside == (slice(2, 6, 1), slice(0, 7, 1))


def test_parts_are_replaced_while_tasks_use_them():
    add = troupe.codelet("rw", name="add")(lambda x: x.__iadd__(1))
    x = numpy.zeros(12)
    with troupe.Runtime(cores=2) as rt:
        data = rt.data(x)
        parts = data.partition(numpy.s_[:6], numpy.s_[6:])
        for part in parts:
            add(part)
        for at in (3, 9, 4):
            former, parts = parts, data.repartition(numpy.s_[:at], numpy.s_[at:])
            for part in parts:
                add(part)
        with pytest.raises(troupe.InvalidHandle):
            add(former[0])
        rt.wait()
    assert (x == 4).all()


def test_threads_use_the_same_elements():
    @troupe.codelet("rw")
    def add(a):
        a += 1

    x = numpy.zeros(5)
    done = [0] * 3
    with troupe.Runtime(cores=2, oversubscribe=True) as rt:

        def work(thread):
            for i in range(200):
                if i % 5 == 4:
                    rt.wait()
                else:
                    rt.submit(add, x[...])  # another array object each time
                    done[thread] += 1

        threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        rt.wait()
    assert done == [160] * 3
    assert x.tolist() == [480] * 5


def test_another_shape_of_the_same_elements_comes_behind_the_tasks_on_them():
    @troupe.codelet("rw")
    def add(a):
        time.sleep(0.02)
        a += 1

    a = numpy.zeros((2, 3))
    with troupe.Runtime(cores=1, oversubscribe=True) as rt:
        for form in (a, a.T, a.reshape(6), a):
            rt.submit(add, form)
        rt.wait()
    assert a.tolist() == [[4, 4, 4], [4, 4, 4]]
