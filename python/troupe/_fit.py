"""Loads the module in C++. If it cannot be loaded, or is of another version than these Python files, importing the
package fails with one sentence that says why and what to do."""

import importlib
import importlib.machinery
import sys
from pathlib import Path

from ._version import __version__

_FOLDER = Path(__file__).parent


def _reason(error):
    """Returns why the module could not be loaded."""
    if isinstance(error, ModuleNotFoundError) and error.name == f"{__package__}._troupe":
        found = sorted(path.name for path in _FOLDER.glob("_troupe*.so"))
        if not found:
            return f"Troupe {__version__} in {_FOLDER} is not complete: it has no module _troupe. Install it again"
        wanted = f"_troupe{importlib.machinery.EXTENSION_SUFFIXES[0]}"
        return (
            f"Troupe {__version__} in {_FOLDER} was built for another Python: it has {', '.join(found)}, but Python "
            f"{sys.version_info.major}.{sys.version_info.minor} needs {wanted}. Install Troupe for this Python"
        )
    if error.path is None:
        return str(error)  # The module was loaded, and itself says what is wrong.
    return (
        f"the module of Troupe {__version__} cannot be loaded: {error}. If a symbol is missing, libraries of another "
        "version of Troupe were found first: look at LD_LIBRARY_PATH. If a version of GLIBC or GLIBCXX is missing, "
        "this system is older than the one that Troupe was built on"
    )


try:
    _troupe = importlib.import_module("._troupe", __package__)
except ImportError as error:
    raise ImportError(_reason(error), name=error.name, path=error.path) from None

if _troupe.__version__ != __version__:
    raise ImportError(
        f"the Python files in {_FOLDER} are of Troupe {__version__}, but the module {_troupe.__file__} is of "
        f"{_troupe.__version__}: install both in the same version, and look at PYTHONPATH"
    )
