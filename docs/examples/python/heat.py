#!/usr/bin/env python3
"""Heat spreads over a plate: explicit steps on bands of a grid, recorded once and run many times.

Each band needs the rows next to it, so a task reads a band with its rim from one grid, and writes the band of the other.
Troupe finds the order: a band may be steps ahead of one far away.
"""
import numpy as np

import troupe

ROWS, COLS, BANDS, STEPS, RATE = 480, 640, 6, 120, 0.2


def laplacian(u):
    """Returns the Laplacian of all rows but the first and the last. No heat passes the left and the right edge."""
    across = np.zeros_like(u[1:-1])
    flow = np.diff(u[1:-1], axis=1)
    across[:, :-1] += flow
    across[:, 1:] -= flow
    return u[:-2] - 2 * u[1:-1] + u[2:] + across


@troupe.codelet("read", "write")
def step(old, new, inside):
    # No heat passes the upper and the lower edge, either.
    first, last = inside[0].start == 0, inside[0].stop == len(old)
    new[:] = old[inside] + RATE * laplacian(np.pad(old, ((int(first), int(last)), (0, 0)), mode="edge"))


def hot_plate():
    u = np.zeros((ROWS, COLS))
    u[ROWS // 3 : ROWS // 2, COLS // 4 : COLS // 2] = 100.0
    return u


def in_parallel(u):
    other = np.empty_like(u)
    height = ROWS // BANDS
    with troupe.Runtime() as rt:
        slices = [np.s_[i * height : (i + 1) * height, :] for i in range(BANDS)]
        grids = [rt.data(u, name="u"), rt.data(other, name="other")]
        bands = [grid.partition(*slices) for grid in grids]
        around = [grid.halos(*slices, rim=(1, 0)) for grid in grids]
        with rt.record() as two_steps:
            for old, new in ((around[0], bands[1]), (around[1], bands[0])):
                for i in range(BANDS):
                    step(old[i], new[i], old[i].inside)
        for _ in range(STEPS // 2):
            two_steps.run()
        tasks = STEPS // 2 * two_steps.tasks
    return u, tasks


def in_sequence(u):
    for _ in range(STEPS):
        u = u + RATE * laplacian(np.vstack((u[:1], u, u[-1:])))
    return u


result, tasks = in_parallel(hot_plate())
print(f"{STEPS} steps in {tasks} tasks")
print(f"heat before and after: {hot_plate().mean():.4f} and {result.mean():.4f}")
print(f"hottest point: {result.max():.1f}")
print(f"difference from numpy alone: {np.abs(result - in_sequence(hot_plate())).max():.1e}")
