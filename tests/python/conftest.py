"""Fixtures and marks that all tests of the Python package share."""

import os
import subprocess
import sys

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
