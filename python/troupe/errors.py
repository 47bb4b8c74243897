"""The exceptions of this package. Every error of the runtime is a `TroupeError`, with a subclass for each error code.
Many of these classes are also subclasses of the exception that Python itself raises for such an error, such as
`ValueError`."""

import concurrent.futures


class TroupeError(RuntimeError):
    """A failure in the runtime. `code` is the name of the error in the manual and in JSON. `failures` is a list of the
    exceptions that kernels in Python have raised; the first exception is also the `__cause__`."""

    code = "unknown"
    failures: list

    def __init__(self, *args):
        super().__init__(*args)
        self.failures = []


class InvalidArgument(TroupeError, ValueError):
    """An option or argument has a value that cannot be used; the message names the option or argument."""

    code = "invalid_argument"


class InvalidHandle(TroupeError):
    """Data were used after they were released, or belong to another runtime."""

    code = "invalid_handle"


class ConflictingAccess(TroupeError, ValueError):
    """One task names the same data twice, with modes that exclude one another."""

    code = "conflicting_access"


class OverlappingHandles(TroupeError, ValueError):
    """Data share memory with other data, or the blocks of a partition overlap or leave the bounds of the data."""

    code = "overlapping_handles"


class SignatureMismatch(TroupeError, TypeError):
    """The number or types of a task's arrays, or its other arguments, do not match the parameters of its kernel."""

    code = "signature_mismatch"


class NoImplementation(TroupeError):
    """No worker of this runtime has a device that the kernel can run on."""

    code = "no_implementation"


class WaitInKernel(TroupeError):
    """A kernel waited for the runtime that runs it; such a wait could never end."""

    code = "wait_in_kernel"


class Stopped(TroupeError):
    """The runtime has stopped or is about to stop, and accepts no more tasks."""

    code = "stopped"


class KernelFailed(TroupeError):
    """A kernel raised an exception, which is the `__cause__`."""

    code = "kernel_failed"


class Cancelled(TroupeError, concurrent.futures.CancelledError):
    """A task did not run, or not to its end: a task that it depends on failed, or the task itself was cancelled."""

    code = "cancelled"


class CallbackFailed(TroupeError):
    """A function that the runtime calls when a task has ended raised an exception."""

    code = "callback_failed"


class PolicyFailed(TroupeError):
    """A placing policy failed. The tasks were placed on the least loaded workers."""

    code = "policy_failed"


class OutOfMemory(TroupeError, MemoryError):
    """Memory could not be allocated; the message gives the requested size."""

    code = "out_of_memory"


class TransferFailed(TroupeError):
    """Data could not be copied between memories."""

    code = "transfer_failed"


class DeviceLost(TroupeError):
    """A device stopped working; data that were only in its memory are lost."""

    code = "device_lost"


class PlatformError(TroupeError, OSError):
    """The machine could not be inspected, or does not have something that the program requested, such as a GPU."""

    code = "platform"


class FileError(TroupeError, OSError):
    """A file could not be read or written."""

    code = "io"


class BadInput(TroupeError, ValueError):
    """An input does not have the expected form."""

    code = "bad_input"


class NumericalError(TroupeError, ArithmeticError):
    """A factorization broke down: the matrix is not positive definite, or it is exactly singular."""

    code = "numerical"


class ServiceLost(TroupeError, ConnectionError):
    """The service of this node is not running, or has ended the connection."""

    code = "service_lost"


_by_code = {c.code: c for c in list(globals().values()) if isinstance(c, type) and issubclass(c, TroupeError)}


# Messages of the runtime name what the program can do in the words of C++. Longer texts come
# first.
_IN_PYTHON = {
    "(HostAccess::give_back, or the end of its scope; troupe_hold_free in C)": "(the end of its 'with' block)",
    "(HostAccess::give_back, or the end of its scope)": "(the end of its 'with' block)",
    "RecordedGraph::run": "Recording.run",
    "Runtime::halos": "Data.halos",
    "Runtime::wait": "Runtime.wait",
    "RuntimeOptions::threads.regroup": "regroup=True",
    "TaskOptions::devices": "devices=",
    "TaskOptions::nested": "nested=True",
    "TaskOptions::stop": "stop=",
    "TaskOptions::weak": "weak=",
    "ThreadOptions::regroup": "regroup=True",
}


def exception_of(code, message):
    """Returns an exception of the class for `code`, or a plain `TroupeError` if the code is unknown."""
    if "::" in message:
        for name, in_python in _IN_PYTHON.items():
            message = message.replace(name, in_python)
    return _by_code.get(code, TroupeError)(message)


__all__ = [c.__name__ for c in _by_code.values()]
