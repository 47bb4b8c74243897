/// Sparse systems of equations that are generated.
#pragma once

#include "linalg/sparse/compressed_matrix.hpp"

namespace troupe::linalg {

/// Returns the matrix of a convection-diffusion equation on `points` x `points` x `points` inner points of a cube, by
/// central differences: 6 on the diagonal, -1 - w h / 2 and -1 + w h / 2 for the neighbours upwind and downwind in each
/// direction, where h is the distance of points and w is `wind`, half of it and a quarter of it in the three
/// directions. Not symmetric if there is a wind.
[[nodiscard]] CompressedMatrix convection_diffusion(int points, double wind);

}  // namespace troupe::linalg
