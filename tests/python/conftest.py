"""Fixtures and marks that all tests of the Python package share."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import troupe

#: In a child of fork, the sanitizer's allocator may be locked for ever, and leaks of the parent are reported again.
not_under_asan = pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="a child of fork under the sanitizer")


@pytest.fixture
def rt():
    with troupe.Runtime(cores=2, oversubscribe=True) as runtime:
        yield runtime


@pytest.fixture
def run_program():
    """Runs a Python program in a process of its own. Returns the completed process. Fails the test if the program
    hangs."""

    def run(text, timeout=60):
        return subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, timeout=timeout, env=dict(os.environ)
        )

    return run


PROGRAM = pathlib.Path(troupe.__file__).parents[2] / "apps" / "troupe"

#: The environment without the sanitizer library of the interpreter, because the program has its own.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def program(folder, command, *options, **how):
    return subprocess.run([PROGRAM, command, "--socket-folder", folder, *options], env=ENVIRONMENT, text=True, **how)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service of one core. Returns its folder."""
    if not hasattr(troupe._troupe, "connect"):
        pytest.skip("Troupe was built without its service")
    if not PROGRAM.exists():
        pytest.skip(f"the program that serves is not built: {PROGRAM}")
    folder = tmp_path_factory.mktemp("service")
    process = subprocess.Popen(
        [PROGRAM, "serve", "--socket-folder", folder, "--cores", "1", "--bind", "false"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    for _ in range(400):
        status = program(folder, "status", "--json", capture_output=True)
        if status.returncode == 0 or process.poll() is not None:
            break
        time.sleep(0.02)
    assert status.returncode == 0, (process.stderr.read() if process.poll() is not None else status.stderr)
    yield folder
    process.send_signal(signal.SIGTERM)
    process.wait(60)
