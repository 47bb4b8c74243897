"""Every public name has a docstring. The stubs list exactly the existing names, with their parameters."""

import ast
import importlib
import inspect
import pathlib
import pkgutil

import pytest

import troupe

FOLDER = pathlib.Path(troupe.__file__).parent
ALL = ["troupe"] + [f"troupe.{m.name}" for m in pkgutil.iter_modules([str(FOLDER)]) if not m.name.startswith("_")]
#: The modules for users have `__all__`. All other modules are internal.
MODULES = [name for name in ALL if hasattr(importlib.import_module(name), "__all__")]


def stub_of(name):
    path = FOLDER / ("__init__.pyi" if name == "troupe" else name.split(".")[1] + ".pyi")
    return ast.parse(path.read_text()).body


def public(names):
    return {name for name in names if not name.startswith("_")}


def names_in(body):
    """The names that a stub defines: definitions, annotated names, and re-exported imports (`import x as x`)."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, node
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id, node
        elif isinstance(node, ast.Assign):
            yield from ((target.id, node) for target in node.targets)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname, node) for alias in node.names if alias.asname == alias.name)


def is_ours(thing):
    return getattr(thing, "__module__", "").split(".")[0] in ("troupe", "_troupe")


def members(kind):
    """The public attributes that a class, or a base class of this package, defines."""
    found = {}
    for base in reversed(kind.__mro__):
        if is_ours(base):
            found.update({name: value for name, value in vars(base).items() if not name.startswith("_")})
            found.update(dict.fromkeys(public(vars(base).get("__annotations__", ())), None))
    return found


def classes():
    for module in MODULES:
        for name in importlib.import_module(module).__all__:
            thing = getattr(importlib.import_module(module), name)
            if inspect.isclass(thing):
                yield module, name, thing


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_documented(module):
    imported = importlib.import_module(module)
    assert inspect.getdoc(imported), f"{module} has no docstring"
    for name in imported.__all__:
        thing = getattr(imported, name)
        if not (callable(thing) or inspect.ismodule(thing)):
            continue
        assert thing.__doc__, f"{module}.{name} has no docstring"
        if inspect.isclass(thing) and is_ours(thing):
            slots = getattr(thing, "__slots__", ())
            for member, value in members(thing).items():
                doc = slots[member] if isinstance(slots, dict) and member in slots else inspect.getdoc(value)
                assert doc or not (callable(value) or inspect.isdatadescriptor(value)), f"{module}.{name}.{member}"


def test_the_package_says_that_it_is_typed():
    assert (FOLDER / "py.typed").exists()


@pytest.mark.parametrize("module", MODULES)
def test_stubs_name_what_the_module_has(module):
    there = public(importlib.import_module(module).__all__)
    assert public(name for name, _ in names_in(stub_of(module))) == there


def stub_classes(module):
    return {name: node for name, node in names_in(stub_of(module)) if isinstance(node, ast.ClassDef)}


@pytest.mark.parametrize("module", MODULES)
def test_stubs_name_what_the_classes_have(module):
    stubs = stub_classes(module)
    for owner, name, kind in classes():
        if owner != module or name not in stubs:
            continue
        stubbed = public(member for member, _ in names_in(stubs[name].body))
        bases = [base for base in kind.__mro__[1:] if is_ours(base)]
        inherited = {member for base in bases for member in members(base)}
        assert stubbed == public(members(kind)) - (inherited - set(vars(kind))), f"{module}.{name}"


def parameters(node):
    arguments = node.args
    names = [a.arg for a in arguments.args + arguments.kwonlyargs]
    return [name for name in names if name not in ("self", "cls")]


def there(function):
    """The names of a function's parameters, without `*args`; None if the function takes any keyword."""
    if inspect.isfunction(function):
        signature = inspect.signature(function).parameters.values()
        if any(parameter.kind == parameter.VAR_KEYWORD for parameter in signature):
            return None
        return [p.name for p in signature if p.kind != p.VAR_POSITIONAL and p.name not in ("self", "cls")]
    # pybind11 writes the signature into the first line of the docstring.
    line = function.__doc__.splitlines()[0].split(" -> ")[0]
    made = ast.parse(f"def {line}: ...").body[0]
    return None if made.args.kwarg else parameters(made)


#: Functions that are not compared here: `Runtime.__init__`, which another test compares; `Codelet.__call__`,
#: `Runtime.call` and `Runtime.submit`, which take any arguments; and `__exit__`, whose parameters Python defines.
OTHERS = {
    "Codelet.__call__",
    "Recording.__exit__",
    "Runtime.__init__",
    "Runtime.__exit__",
    "Runtime.call",
    "Runtime.submit",
}


@pytest.mark.parametrize("module", MODULES)
def test_stubs_have_the_functions_parameters(module):
    imported = importlib.import_module(module)
    functions = [(imported, name, node) for name, node in names_in(stub_of(module))]
    for name, node in stub_classes(module).items():
        functions += [(getattr(imported, name), member, of) for member, of in names_in(node.body)]
    for owner, name, node in functions:
        if not isinstance(node, ast.FunctionDef) or f"{owner.__name__}.{name}" in OTHERS:
            continue
        function = getattr(owner, name)
        if any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list):
            assert inspect.isdatadescriptor(function), f"{owner.__name__}.{name}"
            continue
        names = there(function)
        assert names is None or parameters(node) == names, f"{owner.__name__}.{name}"


def test_the_options_of_runtimes_are_those_of_the_stub():
    stub = dict(names_in(stub_classes("troupe")["Runtime"].body))
    assert parameters(stub["__init__"]) == list(troupe._troupe._runtime_options)


def test_the_options_of_simulations_are_those_of_the_stub():
    stub = dict(names_in(stub_classes("troupe.simulation")["Simulation"].body))
    options = list(troupe._troupe._simulation.option_names)
    assert parameters(stub["run"]) == options
    assert parameters(stub["__init__"]) == ["machine", *options]
    assert all(f"\n{option} (" in troupe.Simulation.__doc__ for option in options)
