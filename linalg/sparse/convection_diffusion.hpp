/// Generated sparse systems of equations.
#pragma once

#include "linalg/sparse/compressed_matrix.hpp"

namespace troupe::linalg {

/// Returns the matrix of a convection-diffusion equation on `points` x `points` x `points` inner points of a cube, by
/// central differences: 6 on the diagonal, -1 - w h / 2 and -1 + w h / 2 for the neighbours upwind and downwind in each
/// direction, where h is the distance between points, and w is `wind` in the first direction, a half of `wind` in the
/// second, and a quarter in the third. The matrix is not symmetric if `wind` is not zero.
[[nodiscard]] CompressedMatrix convection_diffusion(int points, double wind);

}  // namespace troupe::linalg
