"""The programs of the manual and of docs/examples/python print the expected output."""

import functools
import os
import pathlib
import re
import subprocess
import sys

import pytest

import troupe

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples" / "python"
MANUAL = (ROOT / "docs" / "python.md").read_text() + (ROOT / "README.md").read_text()

#: The expected output of each program; `...` stands for any text within a line.
PRINTED = {
    "monte_carlo.py": """\
4000000 paths: 7.1... +- 0.006
Black and Scholes: 7.128
""",
    "heat.py": """\
120 steps in 720 tasks
heat before and after: 4.1667 and 4.1667
hottest point: 100.0
difference from numpy alone: 0.0e+00
""",
    "gaussian_process.py": """\
largest error of the prediction: 0.0...
log of the determinant: -...
n = 10240 on idgraf-double, 1540 tasks:
1 GPUs: ... ms, ... GFlop/s, ... GB moved
2 GPUs: ... ms, ... GFlop/s, ... GB moved
3 GPUs: ... ms, ... GFlop/s, ... GB moved
4 GPUs: ... ms, ... GFlop/s, ... GB moved
5 GPUs: ... ms, ... GFlop/s, ... GB moved
6 GPUs: ... ms, ... GFlop/s, ... GB moved
7 GPUs: ... ms, ... GFlop/s, ... GB moved
8 GPUs: ... ms, ... GFlop/s, ... GB moved
""",
}


@functools.lru_cache
def run(program):
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(troupe.__file__).parents[1])}
    ran = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    return ran.stdout


def matches(text, pattern):
    return re.fullmatch(re.escape(pattern).replace(re.escape("..."), "[^\n]*"), text) is not None


def test_all_examples_are_known():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PRINTED)
    for name in PRINTED:
        assert name in MANUAL


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_example(name):
    if name == "monte_carlo.py":
        pytest.importorskip("numba", reason="Numba is not installed (Debian: python3-numba)")
        if "asan" in os.environ.get("LD_PRELOAD", ""):
            pytest.skip("Numba's compiler takes minutes under the address sanitizer")
    printed = run(EXAMPLES / name)
    assert matches(printed, PRINTED[name]), printed


def test_more_gpus_factorize_faster_at_first():
    printed = run(EXAMPLES / "gaussian_process.py")
    speeds = [int(speed) for speed in re.findall(r"(\d+) GFlop/s", printed)]
    assert speeds[0] < speeds[1] < speeds[3]


def block(kind, name, language):
    found = re.search(f"<!-- {kind}: {name} -->\n```{language}\n(.*?)```", MANUAL, re.DOTALL)
    assert found, f"neither docs/python.md nor README.md has {kind} '{name}'"
    return found.group(1)


@pytest.mark.parametrize("name", re.findall("<!-- example: (.*) -->\n```python", MANUAL))
def test_program_of_the_manual(name, tmp_path):
    program = tmp_path / f"{name}.py"
    program.write_text(block("example", name, "python"))
    printed = run(program)
    assert matches(printed, block("output", name, "")), printed


LONGEST_COMMON = """
import numpy as np

blocks, n = 6, 4
first, second = "abc" * 8, "aabbcc" * 4
pieces_a = [np.frombuffer(first[i * n:(i + 1) * n].encode(), np.uint8).copy() for i in range(blocks)]
pieces_b = [np.frombuffer(second[i * n:(i + 1) * n].encode(), np.uint8).copy() for i in range(blocks)]
rows = [np.zeros(n + 1, int) for _ in range(blocks)]
columns = [np.zeros(n, int) for _ in range(blocks)]

def extend(a, b, above, left):
    for i in range(len(a)):
        diagonal, above[0] = above[0], left[i]
        for j in range(len(b)):
            up = above[j + 1]
            above[j + 1] = diagonal + 1 if a[i] == b[j] else max(up, above[j])
            diagonal = up
        left[i] = above[len(b)]
"""


def programs_of(section):
    """The programs of one section of docs/coming-from.md that run here."""
    page = (ROOT / "docs" / "coming-from.md").read_text()
    text = re.search(f"\n## {section}\n(.*?)(\n## |$)", page, re.DOTALL).group(1)
    return re.findall("by the tests of the Python package[^\n]* -->\n```python\n(.*?)```", text, re.DOTALL)


def test_coming_from_joblib(tmp_path):
    pytest.importorskip("joblib", reason="joblib is not installed")
    before, inside, without = programs_of("joblib")
    program = tmp_path / "scores.py"
    program.write_text(
        f"{before}expected = list(scores)\n{inside}assert scores == expected\n"
        f"{without}assert [score.result() for score in scores] == expected\nprint(best == min(expected))\n"
    )
    assert run(program) == "True\n"


def test_coming_from_dask(tmp_path):
    program = tmp_path / "wavefront.py"
    block_of_page, calls = programs_of("Dask")
    program.write_text(LONGEST_COMMON + block_of_page + "\nprint(rows[-1][-1])\n")
    first, second = "abc" * 8, "aabbcc" * 4
    lengths = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, x in enumerate(first):
        for j, y in enumerate(second):
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if x == y else max(lengths[i][j + 1], lengths[i + 1][j])
    assert int(run(program)) == lengths[-1][-1]
    program = tmp_path / "calls.py"
    program.write_text("import troupe\n" + calls + "\nprint(total)\n")
    assert int(run(program)) == sum(range(90, 100))
