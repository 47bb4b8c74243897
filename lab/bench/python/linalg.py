"""Compares `troupe.linalg.cholesky` with `troupe run cholesky` and numpy: median seconds, and ratios to `troupe run`.

    export PYTHONPATH=build/release/python
    python3 lab/bench/python/linalg.py --troupe build/release/apps/troupe [--n 4096] [--rounds 5]

The matrix is made before the measurement. Only the call is measured; it copies the matrix, except in the line
"overwriting", where it overwrites the matrix."""

import argparse
import json
import statistics
import subprocess
import time

import numpy as np

import troupe.linalg


def measure(rounds, call, prepare=lambda: None):
    times = []
    for _ in range(rounds + 1):
        argument = prepare()
        begin = time.perf_counter()
        result = call(argument)
        times.append(time.perf_counter() - begin)
        del result
    # The first call also starts the runtime, so its time does not count.
    return statistics.median(times[1:])


def of_the_command_line(program, n, rounds):
    command = [program, "run", "cholesky", "--n", str(n), "--repeat", str(rounds + 1), "--json"]
    runs = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["runs"]
    return statistics.median(run["seconds"] for run in runs[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--troupe", default="troupe", help="the program to compare with")
    parser.add_argument("--n", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    n = options.n
    a = np.random.default_rng(1).random((n, n)) - 0.5
    a = a + a.T + 2 * n * np.eye(n)
    in_fortran_order = np.asfortranarray(a)
    base = of_the_command_line(options.troupe, n, options.rounds)
    figures = {
        "troupe run": base,
        "C order": measure(options.rounds, lambda _: troupe.linalg.cholesky(a)),
        "Fortran order": measure(options.rounds, lambda _: troupe.linalg.cholesky(in_fortran_order)),
        "overwriting": measure(
            options.rounds, lambda x: troupe.linalg.cholesky(x, overwrite_a=True), lambda: in_fortran_order.copy("F")
        ),
        "numpy": measure(options.rounds, lambda _: np.linalg.cholesky(a)),
    }
    for name, seconds in figures.items():
        print(f"{name:14} {seconds:.4f} s  {seconds / base:.3f}")


if __name__ == "__main__":
    main()
