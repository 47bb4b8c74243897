#!/usr/bin/env python3
"""Predicts a function from noisy samples by a Gaussian process, and asks what GPUs would make of a larger one.

The covariance of the samples is factorized on all cores of this machine. Then the same factorization, in tiles, is
simulated on a machine with eight GPUs: its graph is written down here, kernel times are the machine's.
"""
import numpy as np

import troupe
import troupe.linalg


def covariance(x, y):
    return np.exp(-((x[:, np.newaxis] - y[np.newaxis, :]) ** 2) / (2 * 0.1**2))


def predict(samples=1000, noise=0.1):
    random = np.random.default_rng(1)
    x = np.sort(random.random(samples))
    y = np.sin(2 * np.pi * x) + noise * random.standard_normal(samples)
    at = np.linspace(0, 1, 101)
    k = covariance(x, x) + noise**2 * np.eye(samples)
    mean = covariance(at, x) @ troupe.linalg.solve(k, y, assume="pos")
    factor = troupe.linalg.cholesky(k, overwrite_a=True)
    return np.abs(mean - np.sin(2 * np.pi * at)).max(), 2 * np.log(np.diag(factor)).sum()


def tile_cholesky(machine, tiles, edge):
    """The graph of a Cholesky factorization: what each task reads and writes, and which kernel it is."""
    sim = troupe.Simulation(machine, policy="heft")
    kernel = {
        name: sim.codelet(name, modes, timed_as=f"cholesky/{name}/double", flops=flops * edge**3)
        for name, modes, flops in (
            ("potrf", ["rw"], 1 / 3),
            ("trsm", ["read", "rw"], 1),
            ("syrk", ["read", "rw"], 1),
            ("gemm", ["read", "read", "rw"], 2),
        )
    }
    a = [[sim.data((edge, edge)) for j in range(i + 1)] for i in range(tiles)]
    for k in range(tiles):
        sim.submit(kernel["potrf"], a[k][k], priority=3 * (tiles - k))
        for i in range(k + 1, tiles):
            sim.submit(kernel["trsm"], a[k][k], a[i][k], priority=2 * (tiles - k))
        for i in range(k + 1, tiles):
            sim.submit(kernel["syrk"], a[i][k], a[i][i], priority=tiles - k)
            for j in range(k + 1, i):
                sim.submit(kernel["gemm"], a[i][k], a[j][k], a[i][j], priority=tiles - k)
    return sim


error, log_determinant = predict()
print(f"largest error of the prediction: {error:.3f}")
print(f"log of the determinant: {log_determinant:.1f}")

sim = tile_cholesky("idgraf-double", tiles=20, edge=512)
flops = (20 * 512) ** 3 / 3
print(f"n = {20 * 512} on idgraf-double, {len(sim)} tasks:")
for gpus in range(1, 9):
    run = sim.run(gpus=gpus)
    moved = sum(value for name, value in run.report()["transfers"].items() if name.startswith("bytes_")) / 1e9
    print(f"{gpus} GPUs: {run.makespan * 1e3:.0f} ms, {flops / run.makespan / 1e9:.0f} GFlop/s, {moved:.2f} GB moved")
