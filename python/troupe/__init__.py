"""Troupe: tasks on numpy arrays, ordered by the data that they use, on all cores and accelerators of this machine.

    import numpy, troupe

    @troupe.codelet("read", "rw")
    def axpy(x, y, alpha):
        y += alpha * x

    x, y = numpy.ones(1000), numpy.zeros(1000)
    with troupe.Runtime() as rt:
        axpy(x, y, 3.0)
"""

import importlib

# _fit comes first, because it says what is wrong if the module cannot be loaded.
from . import _fit  # noqa: F401
from . import errors, simulation
from ._troupe import Codelet, Data, Recording, Runtime, StopToken, Trace, __version__, cancelled, kernels
from .codelets import Commute, Read, ReadWrite, Reduce, Write, c_codelet, codelet
from .errors import *  # noqa: F403
from .executor import Executor
from .futures import Future
from .joblib_backend import register_joblib
from .service import connect, plugin_codelet
from .simulation import Simulation

__all__ = [
    "Codelet",
    "Commute",
    "Data",
    "Executor",
    "Future",
    "Read",
    "ReadWrite",
    "Recording",
    "Reduce",
    "Runtime",
    "Simulation",
    "StopToken",
    "Trace",
    "Write",
    "__version__",
    "c_codelet",
    "cancelled",
    "codelet",
    "connect",
    "kernels",
    "linalg",
    "plugin_codelet",
    "register_joblib",
    "simulation",
] + errors.__all__


def __getattr__(name):
    # `linalg` needs numpy. It is loaded at its first use, so that a program without numpy can import the package.
    if name == "linalg":
        return importlib.import_module(".linalg", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), "linalg"})
