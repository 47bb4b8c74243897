"""Measures the time that a Python program spends per task: medians of several rounds, in microseconds per task.

    PYTHONPATH=build/release/python python3 lab/bench/python/tasks.py [--tasks 10000] [--rounds 15]

The program submits tasks one after the other, then waits for all of them. Three kinds of tasks are measured: functions
in C, kernels in Python, and functions in C that are recorded once and replayed. Each task works on one of 64 arrays. Then
calls of an empty function are submitted, and the results are taken: by Runtime.call, by troupe.Executor, and by
ThreadPoolExecutor, which comes with Python."""

import argparse
import concurrent.futures
import ctypes
import statistics
import time

import numpy

import troupe


def measure(rounds, work):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cores", type=int, default=0)
    arguments = parser.parse_args()
    touch = troupe.c_codelet(ctypes.CDLL(None).abs, "rw void*", name="touch")

    @troupe.codelet("rw")
    def nothing(a):
        pass

    def empty():
        pass

    with troupe.Runtime(cores=arguments.cores) as rt:
        data = [rt.data(numpy.zeros(4)) for _ in range(64)]

        def submit(kernel):
            for i in range(arguments.tasks):
                kernel(data[i & 63])

        def submit_and_wait(kernel):
            submit(kernel)
            rt.wait()

        graph = rt.record(lambda: submit(touch))

        def replay():
            graph.run()
            rt.wait()

        def call_all(submit):
            for future in [submit(empty) for _ in range(arguments.tasks)]:
                future.result()

        threads = concurrent.futures.ThreadPoolExecutor(rt.workers)
        executor = troupe.Executor(rt.workers)
        works = {
            "functions of C": lambda: submit_and_wait(touch),
            "kernels in Python": lambda: submit_and_wait(nothing),
            "replay of functions of C": replay,
            "calls": lambda: call_all(rt.call),
            "calls by Executor": lambda: call_all(executor.submit),
            "calls by ThreadPoolExecutor": lambda: call_all(threads.submit),
        }
        for name, work in works.items():
            work()
            print(f"{name:28} {measure(arguments.rounds, work) / arguments.tasks * 1e6:8.3f} us a task")


if __name__ == "__main__":
    main()
