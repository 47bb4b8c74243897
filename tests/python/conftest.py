"""What all tests of the package share."""

import os
import subprocess
import sys

import pytest

import troupe

#: The sanitizer's allocator may have been locked at the fork, and the leaks that a child reports are the parent's.
not_under_asan = pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="a child of fork under the sanitizer")


@pytest.fixture
def rt():
    with troupe.Runtime(cores=2, oversubscribe=True) as runtime:
        yield runtime


@pytest.fixture
def run_program():
    """Runs a program in a process of its own; returns its outcome. A program that hangs fails the test."""

    def run(text, timeout=60):
        return subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, timeout=timeout, env=dict(os.environ)
        )

    return run
