"""Thousands of starts and ends of runtimes in one process, with objects deleted in any order. scripts/soak runs this.

    PYTHONPATH=build/release/python python3 tests/soak/python.py [ROUNDS]"""

import gc
import random
import resource
import sys

import numpy

import troupe


@troupe.codelet("rw")
def add(a, value):
    a += value


@troupe.codelet("rw")
def fail(a):
    raise ValueError("on purpose")


def round_of(choices):
    rt = troupe.Runtime(cores=choices.choice([1, 2]), oversubscribe=True, bind=False, seed=choices.randrange(1000))
    a = numpy.zeros(4)
    things = [a, rt.data(numpy.zeros(4)), rt.allocate(4)]
    for _ in range(choices.randrange(8)):
        things.append(rt.submit(add, choices.choice(things[:3]), 1))
    if choices.random() < 0.2:
        things.append(rt.submit(fail, numpy.zeros(1)))
    if choices.random() < 0.3:
        things.append(rt.record(lambda: rt.submit(add, things[1], 1)))
        things.append(things[-1].run())
    if choices.random() < 0.3:
        rt.submit(add, a, 1).add_done_callback(lambda f: None)
    if choices.random() < 0.5:
        try:
            rt.close(cancel=choices.random() < 0.5)
        except troupe.TroupeError as error:
            assert "on purpose" in str(error), error
    things.append(rt)
    del rt, a
    choices.shuffle(things)
    while things:
        things.pop()


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    choices = random.Random(1)
    # This list receives the failures of runtimes that the program did not close.
    told = []
    sys.unraisablehook = lambda what: told.append(str(what.exc_value))
    peak = None
    for i in range(rounds):
        round_of(choices)
        if i == rounds // 4:
            gc.collect()
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    gc.collect()
    assert all("on purpose" in text for text in told), told
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - (peak or 0)
    print(f"{rounds} starts and ends; the process grew by {grown} KiB after the first quarter")
    # A leak of a few bytes in each round would not be found here. tests/python/test_lifetime.py searches for such
    # leaks.
    return 0 if grown < 4 * rounds + 16000 else 1


if __name__ == "__main__":
    sys.exit(main())
