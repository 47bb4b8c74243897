# Ten lines that factorize a numpy matrix, beside numpy's own.
import numpy
import troupe

n = 1024
rows = numpy.random.default_rng(1).random((n, n))
a = rows @ rows.T + n * numpy.eye(n)
factor = troupe.linalg.cholesky(a)
error = numpy.abs(factor - numpy.linalg.cholesky(a)).max()
print(f"largest difference from numpy's factor: {error:.1e}")
assert error < 1e-8
