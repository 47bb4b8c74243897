"""What all tests of the package share."""

import os
import subprocess
import sys

import pytest

import troupe

# Leaks are looked for in this process: the sanitizer's search crashes in processes that end with threads parked or after a
# fork, as the tests have them.
if "asan" in os.environ.get("LD_PRELOAD", ""):
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"


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
