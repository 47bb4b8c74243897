"""The service of this node, which runs the tasks of all programs that connect (docs/service.md)."""

import os
import sys

from . import _troupe

__all__ = ["connect", "plugin_codelet"]


def connect(folder=None, name=None):
    """Returns a `Runtime` whose tasks run in the service of this node. The program itself has no workers then.

    `folder`: the folder of the service's sockets; None: `$TROUPE_SOCKET_FOLDER`, or if that is not set, the folder in
    which `troupe serve` makes the sockets. `name`: the program's name in `troupe jobs`; None: the name of its script.

    The service finds kernels by their names. It has the kernels of `troupe.kernels`, of `troupe.linalg` and of its
    plug-ins. A submission of any other kernel, such as a kernel in Python, is refused (`NoImplementation`). Data that
    the runtime allocates lie in memory that the service shares; other arrays are copied to the service and back. Raises
    `FileError` if there is no service, and `PlatformError` if this user may not use it.
    """
    _require_service()
    if name is None:
        name = os.path.basename(sys.argv[0] if sys.argv else "") or "python"
    return _troupe.connect(b"" if folder is None else os.fsencode(os.path.abspath(folder)), str(name))


def plugin_codelet(name, *parameters):
    """Returns the kernel with this name in one of the service's plug-ins (docs/plugins.md).

    `parameters`: the modes of the kernel's arrays ("read", "write", "rw", "commute", "reduce"), then the types of its
    numbers: `plugin_codelet("scale", "rw", "double")`. Arrays are in Fortran order. The service refuses tasks whose
    arguments do not match the kernel.
    """
    _require_service()
    return _troupe._plugin_codelet(name, list(parameters))


def _require_service():
    if not hasattr(_troupe, "connect"):
        raise NotImplementedError("this Troupe was built without its service (CMake: TROUPE_SERVICE)")
