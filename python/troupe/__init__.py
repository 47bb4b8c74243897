"""Troupe: tasks on numpy arrays, ordered by the data that they use, on all cores and accelerators of this machine.

    import numpy, troupe

    @troupe.codelet("read", "rw")
    def axpy(x, y, alpha):
        y += alpha * x

    x, y = numpy.ones(1000), numpy.zeros(1000)
    with troupe.Runtime() as rt:
        axpy(x, y, 3.0)
"""

from . import errors, linalg, simulation
from ._troupe import Codelet, Data, Recording, Runtime, Trace, __version__, cancelled, kernels
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
