"""Makes a wheel of the Python package with CMake. This is the build backend that pip calls (PEP 517). It needs only
CMake, and the compilers and libraries that CMake finds.

Settings, by `pip install --config-settings NAME=VALUE`:
  build-dir    the build folder (default: build/wheel); a folder that is already configured is not configured again
  cmake-args   further arguments for CMake, such as -DTROUPE_SERVICE=OFF
  jobs         the number of compilers that run at a time (default: the number of cores)
  bundle       "yes": the wheel contains all libraries that it needs (bundled_libraries.py), for other machines
"""

import base64
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

import bundled_libraries

SOURCE = Path(__file__).resolve().parents[2]
OPTIONS = {
    "CMAKE_BUILD_TYPE": "Release",
    "TROUPE_BUILD_TESTS": "OFF",
    "TROUPE_HEADER_CHECK": "OFF",
    "TROUPE_WERROR": "OFF",
}


class UnsupportedOperation(Exception):
    """The exception that PEP 517 requires of a backend that makes no source distributions."""


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("Troupe is built from its repository: pip install --no-build-isolation .")


# There is no prepare_metadata_for_build_wheel, because what the package needs is not known before CMake has found
# pybind11. pip takes the metadata out of the wheel.
def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = config_settings or {}
    build = Path(settings.get("build-dir", SOURCE / "build" / "wheel")).absolute()
    if not (build / "CMakeCache.txt").exists():
        _configure(build, shlex.split(settings.get("cmake-args", "")))
    jobs = ["--parallel", settings.get("jobs", str(os.cpu_count() or 1))]
    _run("cmake", "--build", build, "--target", "_troupe", *jobs)
    bundle = settings.get("bundle", "no") == "yes"
    tag = _tag(bundle)
    name = f"troupe-{_version()}-{tag}.whl"
    with tempfile.TemporaryDirectory() as folder:
        strip = ["--strip"] if bundle else []
        _run("cmake", "--install", build, "--component", "wheel", "--prefix", folder, *strip)
        package = Path(folder) / "troupe"
        module = package / f"_troupe{sysconfig.get_config_var('EXT_SUFFIX')}"
        if not module.exists():
            python = sys.executable
            raise RuntimeError(f"{build} was configured for another Python than {python}: it made no {module.name}")
        _keep_what_is_loaded(package / "lib")
        information = _metadata(tag, (build / "python" / "wheel" / "requires.txt").read_text().splitlines())
        if bundle:
            information.update(bundled_libraries.bundle(module, package / "lib"))
        with _Wheel(Path(wheel_directory) / name) as wheel:
            for path in sorted(Path(folder).rglob("*")):
                if path.is_file():
                    wheel.add(path.relative_to(folder).as_posix(), path.read_bytes(), path.stat().st_mode)
            for file, text in sorted(information.items()):
                wheel.add(f"{wheel.information}/{file}", text.encode())
    return name


def _configure(build, arguments):
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    options = [f"-D{name}={value}" for name, value in OPTIONS.items()]
    _run("cmake", "-S", SOURCE, "-B", build, *generator, *options, f"-DPython_EXECUTABLE={sys.executable}", *arguments)


def _run(*command):
    # pip shows the standard output only with -v, or if something fails.
    if subprocess.run([str(word) for word in command]).returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {shlex.join(str(word) for word in command)}")


def _keep_what_is_loaded(folder):
    """Replaces each link, such as libtroupe.so.0.1, by its target, libtroupe.so.0.1.0, because a wheel cannot contain
    links."""
    for link in [path for path in folder.iterdir() if path.is_symlink()]:
        target = link.resolve()
        link.unlink()
        target.rename(link)


def _version():
    return re.search(r"project\(Troupe VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)


def _tag(bundle):
    """Returns for which Python and system the wheel is. A wheel with all of its libraries runs on every Linux with the
    glibc of this machine or a newer one (PEP 600)."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    if bundle:
        glibc = re.fullmatch(r"glibc (\d+)\.(\d+).*", os.confstr("CS_GNU_LIBC_VERSION"))
        platform = platform.replace("linux", f"manylinux_{glibc.group(1)}_{glibc.group(2)}", 1)
    return f"{python}-{python}-{platform}"


def _metadata(tag, requirements):
    return {
        "METADATA": "\n".join(
            [
                "Metadata-Version: 2.1",
                "Name: troupe",
                f"Version: {_version()}",
                "Summary: Tasks on numpy arrays, ordered by the data that they use, on all cores and accelerators",
                "License: BSD-3-Clause",
                "Requires-Python: >=3.9",
                *(f"Requires-Dist: {requirement}" for requirement in requirements),
                "Description-Content-Type: text/markdown",
                "",
                (SOURCE / "docs" / "python.md").read_text(),
            ]
        ),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: troupe_build\nRoot-Is-Purelib: false\nTag: {tag}\n",
        "LICENSE": (SOURCE / "LICENSE").read_text(),
    }


class _Wheel:
    """A zip archive with a list of its files."""

    def __init__(self, path):
        self.information = f"troupe-{_version()}.dist-info"
        self._archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record = []

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            name = f"{self.information}/RECORD"
            self._write(name, "".join(f"{line}\n" for line in [*self._record, f"{name},,"]).encode(), 0o644)
        self._archive.close()

    def add(self, name, content, mode=0o644):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(content)}")
        self._write(name, content, mode)

    def _write(self, name, content, mode):
        # A fixed time, so that equal contents make equal wheels.
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (mode & 0o777 | 0o100000) << 16
        self._archive.writestr(entry, content)
