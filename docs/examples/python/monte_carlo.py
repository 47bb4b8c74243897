#!/usr/bin/env python3
"""The price of a call option by simulated paths, beside the formula of Black and Scholes.

Numba compiles the kernel to machine code, which all cores run at the same time without Python's lock. Each worker adds what
its paths pay to a sum of its own; the sums come together when the program waits.
"""
import math

import numba
import numpy as np

import troupe

SPOT, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.2, 1.0


@numba.njit
def uniform(state):
    """A number in (0, 1), and the generator's next state (splitmix64)."""
    state += numba.uint64(0x9E3779B97F4A7C15)
    z = state
    z = (z ^ (z >> numba.uint64(30))) * numba.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> numba.uint64(27))) * numba.uint64(0x94D049BB133111EB)
    z ^= z >> numba.uint64(31)
    return (numba.float64(z >> numba.uint64(11)) + 0.5) * 2.0**-53, state


@numba.cfunc(numba.void(numba.types.CPointer(numba.float64), numba.int64, numba.uint64))
def add_paths(sums, paths, seed):
    state = seed * numba.uint64(0xD1B54A32D192ED03)
    for _ in range(paths):
        u, state = uniform(state)
        v, state = uniform(state)
        normal = math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)
        price = SPOT * math.exp((RATE - VOLATILITY**2 / 2) * YEARS + VOLATILITY * math.sqrt(YEARS) * normal)
        pays = max(price - STRIKE, 0.0)
        sums[0] += pays
        sums[1] += pays * pays


def black_scholes():
    d = (math.log(SPOT / STRIKE) + (RATE + VOLATILITY**2 / 2) * YEARS) / (VOLATILITY * math.sqrt(YEARS))
    phi = lambda x: (1 + math.erf(x / math.sqrt(2))) / 2
    return SPOT * phi(d) - STRIKE * math.exp(-RATE * YEARS) * phi(d - VOLATILITY * math.sqrt(YEARS))


kernel = troupe.c_codelet(add_paths, "reduce double*, int64, uint64", name="add_paths")
tasks, paths = 200, 20_000
sums = np.zeros(2)
with troupe.Runtime() as rt:
    total = rt.data(sums, name="sums", reduction="sum")
    for seed in range(1, tasks + 1):
        kernel(total, paths, seed)

count = tasks * paths
mean = sums[0] / count
error = math.sqrt((sums[1] / count - mean**2) / count)
discount = math.exp(-RATE * YEARS)
print(f"{count} paths: {discount * mean:.3f} +- {discount * error:.3f}")
print(f"Black and Scholes: {black_scholes():.3f}")
