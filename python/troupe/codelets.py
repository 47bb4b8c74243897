"""Makes kernels from a program's functions in Python, in C, or compiled by Numba."""

import inspect
import types
import typing
import weakref

from . import _troupe

_MODES = ("read", "write", "rw", "commute", "reduce")


class _Mode:
    def __init__(self, word):
        self.word = word

    def __repr__(self):
        return f"troupe.{self.word.capitalize()}"


Read = _Mode("read")
Write = _Mode("write")
ReadWrite = _Mode("rw")
Commute = _Mode("commute")
Reduce = _Mode("reduce")


def _mode_of_annotation(annotation):
    if isinstance(annotation, _Mode):
        return annotation.word
    if typing.get_origin(annotation) is typing.Annotated:
        for note in typing.get_args(annotation)[1:]:
            if isinstance(note, _Mode):
                return note.word
    if isinstance(annotation, str):  # from __future__ import annotations
        names = {"Read": "read", "Write": "write", "ReadWrite": "rw", "Commute": "commute", "Reduce": "reduce"}
        return names.get(annotation.rsplit(".", 1)[-1])
    return None


def codelet(*modes, name=None):
    """Makes a kernel from a function. `@codelet("read", "write")` gives the modes in which the function accesses its
    first parameters, which are arrays; `@codelet` alone takes the modes from annotations:

        @troupe.codelet
        def axpy(x: Read, y: ReadWrite, alpha): y += alpha * x

    Modes are read, write, rw (read and write), commute (read and write, in any order), and reduce. If the last mode
    begins with '*', all further arrays have it. The function cannot write arrays of mode read. Arguments after the
    arrays are passed unchanged. The function runs in a thread of the runtime; one kernel in Python runs at a time.
    """
    if len(modes) == 1 and callable(modes[0]):
        return _of_annotations(modes[0], name)
    for mode in modes:
        if not isinstance(mode, str):
            raise TypeError(f"access modes are texts, such as 'read', not {mode!r}")
    if not modes:
        return lambda function: _of_annotations(function, name)
    return lambda function: _make(function, name, list(modes))


def _parameters(function):
    if not callable(function):
        raise TypeError(f"a kernel is a function, not {function!r}")
    try:
        return list(inspect.signature(function).parameters.values())
    except ValueError:  # a builtin function without a known signature
        return None


def _parameters_by_name(function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a builtin function without a known signature
        return frozenset()
    return frozenset(p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))


# The parameters of functions that were called with options, because looking at a signature takes longer than a short call.
_by_name = weakref.WeakKeyDictionary()


def _has_parameter(function, name):
    """Returns True if the function has a parameter with this name, which can be passed by name."""
    # Other objects that can be called may be equal to one another, and have different parameters.
    if not isinstance(function, (types.FunctionType, types.BuiltinFunctionType)):
        return name in _parameters_by_name(function)
    names = _by_name.get(function)
    if names is None:
        names = _by_name[function] = _parameters_by_name(function)
    return name in names


def _of_annotations(function, name):
    modes = []
    for parameter in _parameters(function) or []:
        mode = _mode_of_annotation(parameter.annotation)
        if mode is None:
            break
        if parameter.kind is parameter.VAR_POSITIONAL:
            mode = "*" + mode
        modes.append(mode)
    if not modes:
        raise TypeError(
            f"codelet '{_name(function)}': say what it does to its arrays, as in @troupe.codelet('read', 'write'), or by "
            "annotations: def f(a: troupe.Read, b: troupe.Write)"
        )
    return _make(function, name, modes)


def _name(function):
    return getattr(function, "__name__", type(function).__name__)


def _make(function, name, modes):
    name = name or _name(function)
    parameters = _parameters(function)
    arrays, further, rest, named = [], [], True, True
    if parameters is not None:
        positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        rest = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        named = any(p.kind is p.VAR_KEYWORD for p in parameters)
        count = len(modes) - (1 if modes[-1].startswith("*") else 0)
        if count > len(positional) and not rest:
            raise TypeError(
                f"codelet '{name}' says the modes of {count} arrays, and its function takes "
                f"{len(positional)} argument{'' if len(positional) == 1 else 's'}"
            )
        if modes[-1].startswith("*") and not rest:
            raise TypeError(f"codelet '{name}' takes any number of arrays: its function needs a parameter like *arrays")
        arrays = [p.name for p in positional[:count] if p.kind is p.POSITIONAL_OR_KEYWORD]
        further = [
            (p.name, p.kind is not p.KEYWORD_ONLY, p.kind is not p.POSITIONAL_ONLY, p.default is p.empty)
            for p in positional[count:] + [p for p in parameters if p.kind is p.KEYWORD_ONLY]
        ]
    made = _troupe._python_codelet(function, name, modes, arrays, further, rest, named)
    made.__doc__ = function.__doc__
    made.__name__ = name
    made.__module__ = getattr(function, "__module__", None)
    made.__wrapped__ = function
    return made


def c_codelet(function, *parameters, name=None, returns="void", order="C"):
    """Makes a kernel from a C function. Workers call the function without the interpreter's lock.

    `function`: an address (int), a function of ctypes, a pointer of cffi, or a Numba cfunc. `parameters`: the
    parameters of the function, each as a text, or all in one text with commas:

        axpy = troupe.c_codelet(lib.axpy, "read double*, rw double*, size, double")

    An array is written as its mode and the type of its elements ("void*" means any type). "size", "rows", "cols", "ld",
    "row_stride" and "col_stride" are properties of the array before them; each is an int64, and strides are in
    elements. Numbers come last. `returns`: "void", or "int" if the function returns 0 for success and another number
    for failure.

    `order`: the order in which the function expects arrays of several dimensions, unless it takes both strides. "C":
    row by row, where "ld" leads from row to row; "F": column by column, as in LAPACK, where "ld" leads from column to
    column; "any": either order, if all arrays of a call have the same order. Arrays in another order are refused. An
    array of one dimension is one column: in C order, its "ld" is the step from one element to the next; in Fortran
    order, it has an "ld" only if there is no gap between its elements.
    """
    address, keep, found = _address_of(function)
    texts = [text.strip() for parameter in parameters for text in _texts(parameter)]
    if not texts:
        raise TypeError("c_codelet needs what the function takes: 'read double*, rw double*, size, double'")
    return _troupe._c_codelet(address, name or found or "kernel", texts, returns, order, keep)


def _texts(parameter):
    if not isinstance(parameter, str):
        raise TypeError(f"a parameter of a kernel of C is a text, such as 'read double*', not {parameter!r}")
    return parameter.split(",")


def _address_of(function):
    if isinstance(function, int) and not isinstance(function, bool):
        if not 0 <= function < 2**64:
            raise ValueError(f"{function} is not the address of a function")
        return function, None, None
    address = getattr(function, "address", None)  # Numba
    if isinstance(address, int):
        return address, function, getattr(function, "__name__", None)
    import ctypes

    if isinstance(function, ctypes._CFuncPtr):
        return ctypes.cast(function, ctypes.c_void_p).value or 0, function, getattr(function, "__name__", None)
    try:
        import cffi

        ffi = cffi.FFI()
        if isinstance(function, ffi.CData):
            return int(ffi.cast("uintptr_t", function)), function, None
    except ImportError:
        pass
    raise TypeError(
        f"a kernel of C is given by its address, a function of ctypes, a pointer of cffi, or a cfunc, not {function!r}"
    )
