"""What can go wrong. Every exception of this package that tells of the runtime is a `TroupeError`; there is a subclass
for each code, which also is the usual exception of Python for such a mistake."""

import concurrent.futures


class TroupeError(RuntimeError):
    """A failure in the runtime. `code` is its name as the manual and JSON have it. `failures` holds the exceptions that
    kernels in Python have raised, the first of which is `__cause__`, too."""

    code = "unknown"
    failures: list

    def __init__(self, *args):
        super().__init__(*args)
        self.failures = []


class InvalidArgument(TroupeError, ValueError):
    """An option or argument has a value that cannot be used; the message names it."""

    code = "invalid_argument"


class InvalidHandle(TroupeError):
    """Data were used after they were released, or belong to another runtime."""

    code = "invalid_handle"


class ConflictingAccess(TroupeError, ValueError):
    """One task names the same data twice, with modes that exclude one another."""

    code = "conflicting_access"


class OverlappingHandles(TroupeError, ValueError):
    """Data share memory with others, or blocks overlap or leave the bounds of the whole."""

    code = "overlapping_handles"


class SignatureMismatch(TroupeError, TypeError):
    """A task passes another number of arrays, other types or arguments than its kernel takes."""

    code = "signature_mismatch"


class NoImplementation(TroupeError):
    """No worker of this runtime has a device that the kernel can run on."""

    code = "no_implementation"


class WaitInKernel(TroupeError):
    """A kernel waited for the runtime that runs it, which could never end."""

    code = "wait_in_kernel"


class Stopped(TroupeError):
    """The runtime has stopped, or is about to, and takes no more tasks."""

    code = "stopped"


class KernelFailed(TroupeError):
    """A kernel raised an exception, which is the `__cause__`."""

    code = "kernel_failed"


class Cancelled(TroupeError, concurrent.futures.CancelledError):
    """A task did not run: something that it needed failed, or it was cancelled."""

    code = "cancelled"


class CallbackFailed(TroupeError):
    """What was to be called at a task's end raised an exception."""

    code = "callback_failed"


class PolicyFailed(TroupeError):
    """A placing policy failed. The tasks were placed on the least loaded workers."""

    code = "policy_failed"


class OutOfMemory(TroupeError, MemoryError):
    """Memory could not be allocated; the message says how much was asked for."""

    code = "out_of_memory"


class TransferFailed(TroupeError):
    """Data could not be copied between memories."""

    code = "transfer_failed"


class DeviceLost(TroupeError):
    """A device stopped working; what only its memory held is lost."""

    code = "device_lost"


class PlatformError(TroupeError, OSError):
    """The machine could not be inspected, or has less than was asked for."""

    code = "platform"


class FileError(TroupeError, OSError):
    """A file could not be read or written."""

    code = "io"


class BadInput(TroupeError, ValueError):
    """An input does not have the form that was expected."""

    code = "bad_input"


class NumericalError(TroupeError, ArithmeticError):
    """A factorization broke down: not positive definite, or exactly singular."""

    code = "numerical"


class ServiceLost(TroupeError, ConnectionError):
    """The service of this node is not there, or has ended the connection."""

    code = "service_lost"


_by_code = {c.code: c for c in list(globals().values()) if isinstance(c, type) and issubclass(c, TroupeError)}


def exception_of(code, message):
    """An exception of the class for a code."""
    return _by_code.get(code, TroupeError)(message)


__all__ = [c.__name__ for c in _by_code.values()]
