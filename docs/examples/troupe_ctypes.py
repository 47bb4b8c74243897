#!/usr/bin/env python3
"""y <- y + 2 x by kernels that come with Troupe, from Python's standard library.

LD_LIBRARY_PATH names the folder of libtroupe_c.so where it is not installed in a usual place.
"""
import array
import ctypes
import sys

DOUBLE = 1    # troupe_type
READ_WRITE = 2  # troupe_mode
DECLARED = 5  # troupe_mode: as the codelet says


class Handle(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_uint64), ("id", ctypes.c_uint64)]


class Access(ctypes.Structure):
    _fields_ = [("handle", Handle), ("mode", ctypes.c_int)]


class Value(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("value", ctypes.c_void_p)]


troupe = ctypes.CDLL("libtroupe_c.so")
troupe.troupe_error_message.restype = ctypes.c_char_p
troupe.troupe_data_handle.restype = Handle
troupe.troupe_data_handle.argtypes = [ctypes.c_void_p]
troupe.troupe_kernel_data.restype = ctypes.c_void_p
troupe.troupe_kernel_data.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.POINTER(ctypes.c_int64)]
troupe.troupe_kernel_fail.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
troupe.troupe_kernel_fail.restype = None
for name in ("troupe_data_free", "troupe_codelet_free", "troupe_runtime_free"):
    getattr(troupe, name).argtypes = [ctypes.c_void_p]
troupe.troupe_codelet_free.restype = None


def check(error):
    if error != 0:
        raise RuntimeError(troupe.troupe_error_message().decode())


def codelet(name):
    result = ctypes.c_void_p()
    check(troupe.troupe_codelet_find(name.encode(), ctypes.byref(result)))
    return result


KERNEL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


def kernel(function):
    """A function of (context) as a kernel. What it raises is the task's failure: ctypes by itself prints it and returns
    0, which would be success."""
    @KERNEL
    def guarded(context, _):
        try:
            function(context)
        except BaseException as error:
            troupe.troupe_kernel_fail(context, repr(error).encode())
        return 0
    return guarded


def block(context, index):
    """The elements of a running task's data, which is a vector of doubles."""
    rows = ctypes.c_int64()
    data = troupe.troupe_kernel_data(context, index, ctypes.byref(rows), None, None)
    return (ctypes.c_double * rows.value).from_address(data)


def define(name, modes, function):
    """A codelet of a kernel; the caller keeps `function` alive."""
    result = ctypes.c_void_p()
    check(troupe.troupe_codelet_define(name.encode(), (ctypes.c_int * len(modes))(*modes),
                                       ctypes.c_size_t(len(modes)), None, ctypes.c_size_t(0), function, None, None,
                                       ctypes.byref(result)))
    return result


def submit(runtime, kernel, data, argument=None):
    accesses = (Access * len(data))(*[Access(troupe.troupe_data_handle(one), DECLARED) for one in data])
    number = ctypes.c_double(argument or 0)
    value = Value(DOUBLE, ctypes.cast(ctypes.byref(number), ctypes.c_void_p))
    check(troupe.troupe_submit(runtime, kernel, accesses, ctypes.c_size_t(len(data)), ctypes.byref(value),
                               ctypes.c_size_t(argument is not None), None, None))


@kernel
def halve(context):
    x = block(context, 0)
    for i in range(len(x)):
        x[i] /= 2


def main():
    runtime = ctypes.c_void_p()
    if "--connect" in sys.argv[1:]:
        check(troupe.troupe_connect(None, b"ctypes", ctypes.byref(runtime)))
    else:
        check(troupe.troupe_start(0, None, ctypes.byref(runtime)))

    n = 1000
    y = array.array("d", [1.0] * n)
    buffer = (ctypes.c_double * n).from_buffer(y)  # lives as long as the registration
    one, size = ctypes.c_int64(1), ctypes.c_int64(n)
    dx, dy = ctypes.c_void_p(), ctypes.c_void_p()
    check(troupe.troupe_allocate(runtime, DOUBLE, size, one, b"x", ctypes.byref(dx)))
    check(troupe.troupe_register(runtime, DOUBLE, buffer, size, one, size, b"y", ctypes.byref(dy)))

    fill, axpy = codelet("fill/double"), codelet("axpy/double")
    submit(runtime, fill, [dx], 3.0)
    submit(runtime, axpy, [dx, dy], 2.0)
    in_python = []
    if "--connect" not in sys.argv[1:]:  # a service has no kernels of this program
        in_python = [define("halve", [READ_WRITE], halve)]
        submit(runtime, in_python[0], [dy])
    check(troupe.troupe_wait(runtime))
    print(y[0], y[n - 1])

    troupe.troupe_data_free(dx)
    troupe.troupe_data_free(dy)
    for one in [fill, axpy] + in_python:
        troupe.troupe_codelet_free(one)
    troupe.troupe_runtime_free(runtime)


if __name__ == "__main__":
    main()
