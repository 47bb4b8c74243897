"""Puts the shared libraries that the module needs into a wheel, so that the wheel runs where they are not installed.

The libraries of the C and C++ compilers stay outside, as in every "manylinux" wheel: each system with Python has them.
Each other library is copied under a name of its own, which has a hash of its content. The process may therefore load
another library of the original name, for example the system's libcrypto for Python's `ssl`, without harm to either.

The libraries must come from Debian packages, whose copyright files become part of the wheel. `ldd` and `patchelf` are
needed.
"""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

# The libraries of glibc, libstdc++ and libgcc stay outside of the wheel.
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s))\.so\.\d+")
# These libraries consist of headers only, which are compiled into Troupe's own libraries.
COMPILED_IN = ["nlohmann-json3-dev", "pybind11-dev"]
COMMON_LICENSES = Path("/usr/share/common-licenses")

NOTICE = """Libraries in this package
========================

troupe/lib contains copies of libraries of Debian. Each is under its own license: licenses/PACKAGE has the copyright
file of its package, and licenses/common the texts that these name. The copies are unmodified but for their names and
the folder in which they look for each other; any of them may be replaced by another build of the same library. Debian
publishes the sources of these versions, also of former ones (snapshot.debian.org).

"""


def bundle(module, folder):
    """Copies what the module needs into the folder, next to Troupe's own libraries, and makes all of them find each
    other there. Returns the notice and the licenses: texts by the names of their files."""
    needed = _needed(module, folder)
    own = [module, *sorted(folder.iterdir())]
    copies = {name: folder / _unique_name(name, path) for name, path in needed.items()}
    for name, copy in copies.items():
        shutil.copyfile(needed[name], copy)
        _patch(copy, "--set-soname", copy.name)
    for file in [*own, *copies.values()]:
        named = [name for name in _run("patchelf", "--print-needed", file).split() if name in copies]
        if named:
            _patch(file, *(word for name in named for word in ("--replace-needed", name, copies[name].name)))
        _patch(file, "--set-rpath", "$ORIGIN/lib" if file == module else "$ORIGIN")
    _check(module, folder)
    return _licenses(needed)


def _needed(module, folder):
    """Returns the libraries, direct and indirect, that belong neither to the system nor to Troupe: paths by names."""
    paths = _loaded(module, folder)
    ours = {path.name for path in folder.iterdir()}
    return {name: path.resolve() for name, path in paths.items() if name not in ours and not SYSTEM.fullmatch(name)}


def _loaded(module, folder=None):
    """Returns the path of each library that the loader finds for the module, by its name."""
    environment = ["env", "-u", "LD_LIBRARY_PATH"] + ([f"LD_LIBRARY_PATH={folder}"] if folder else [])
    lines = _run(*environment, "ldd", module)
    missing = re.findall(r"(\S+) => not found", lines)
    if missing:
        raise RuntimeError(f"{module} needs libraries that are not found: {', '.join(missing)}")
    return {name: Path(path) for name, path in re.findall(r"(\S+) => (/\S+)", lines)}


def _check(module, folder):
    """Fails if the loader finds a library outside of the wheel that does not belong to the system."""
    found = {name: path.resolve() for name, path in _loaded(module).items() if not SYSTEM.fullmatch(name)}
    outside = [str(path) for path in found.values() if path.parent != folder.resolve()]
    if outside:
        raise RuntimeError(f"the wheel would use libraries outside of it: {', '.join(outside)}")


def _unique_name(name, path):
    """Returns a name with a hash of the content, such as libfmt-1a2b3c4d.so.9 for libfmt.so.9."""
    stem, _, version = name.partition(".so")
    return f"{stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}.so{version}"


def _licenses(needed):
    """Returns the notice and the licenses of the libraries, which are given as paths by names."""
    packages = {}
    for name, path in needed.items():
        packages.setdefault(_package_of(path), []).append(name)
    for package in COMPILED_IN:
        packages.setdefault(package, [])
    files = {}
    rows = []
    for package, names in sorted(packages.items()):
        version, source = _run("dpkg-query", "-W", "-f", "${Version} ${source:Package}", package).split()
        rows.append(f"{package} {version} (source: {source}): {', '.join(sorted(names)) or 'headers, compiled in'}\n")
        text = Path("/usr/share/doc", package, "copyright").read_text(encoding="utf-8")
        files[f"licenses/{package}/copyright"] = text
        for license in re.findall(rf"{COMMON_LICENSES}/([\w.+-]*\w)", text):
            if (COMMON_LICENSES / license).exists():
                files[f"licenses/common/{license}"] = (COMMON_LICENSES / license).read_text(encoding="utf-8")
    files["NOTICE"] = NOTICE + "".join(rows)
    return files


def _package_of(path):
    """Returns the Debian package that installed the file. Some packages say /lib for a file that is in /usr/lib."""
    for name in (path, Path("/", *path.parts[2:])):
        found = subprocess.run(["dpkg-query", "-S", str(name)], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    raise RuntimeError(f"{path} is of no Debian package, so its license is not known: a wheel cannot contain it")


def _patch(file, *change):
    """Makes changes of one kind. patchelf 0.14 mixes up names if one call changes the needed names and the RPATH. Each
    call adds a copy of the table of names to the file."""
    file.chmod(0o755)
    _run("patchelf", *change, file)


def _run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout
