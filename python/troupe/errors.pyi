import concurrent.futures

class TroupeError(RuntimeError):
    code: str
    failures: list[BaseException]

class InvalidArgument(TroupeError, ValueError):
    code: str

class InvalidHandle(TroupeError):
    code: str

class ConflictingAccess(TroupeError, ValueError):
    code: str

class OverlappingHandles(TroupeError, ValueError):
    code: str

class SignatureMismatch(TroupeError, TypeError):
    code: str

class NoImplementation(TroupeError):
    code: str

class WaitInKernel(TroupeError):
    code: str

class Stopped(TroupeError):
    code: str

class KernelFailed(TroupeError):
    code: str

class Cancelled(TroupeError, concurrent.futures.CancelledError):
    code: str

class CallbackFailed(TroupeError):
    code: str

class PolicyFailed(TroupeError):
    code: str

class OutOfMemory(TroupeError, MemoryError):
    code: str

class TransferFailed(TroupeError):
    code: str

class DeviceLost(TroupeError):
    code: str

class PlatformError(TroupeError, OSError):
    code: str

class FileError(TroupeError, OSError):
    code: str

class BadInput(TroupeError, ValueError):
    code: str

class NumericalError(TroupeError, ArithmeticError):
    code: str

class ServiceLost(TroupeError, ConnectionError):
    code: str
