// The heat equation on a plate that is cut into blocks. A new block needs the old one and the elements around it (its
// halo part). There is no barrier between the steps: a block may be a step ahead of others that are not its neighbours.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <utility>
#include <vector>

#include "picture.hpp"

using namespace troupe;

namespace {

constexpr int kSize = 640, kBlock = 160, kSteps = 24;

// `old` is the block with the rows and columns next to it, and begins with the block's element (row, col). At the edge
// of the plate there are none: outside it is as warm as on the edge.
void diffuse(MatrixView<const double> old, MatrixView<double> next, std::int64_t row, std::int64_t col) {
  for (std::int64_t j = 0; j < next.cols; ++j) {
    for (std::int64_t i = 0; i < next.rows; ++i) {
      const std::int64_t r = row + i, c = col + j;
      const double up = old(std::max(r - 1, std::int64_t{0}), c), down = old(std::min(r + 1, old.rows - 1), c);
      const double before = old(r, std::max(c - 1, std::int64_t{0})), after = old(r, std::min(c + 1, old.cols - 1));
      next(i, j) = old(r, c) + 0.2 * (up + down + before + after - 4 * old(r, c));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const gallery::Picture picture(argc, argv);
  std::vector<double> now(kSize * kSize), next(kSize * kSize);
  for (int i = 0; i < kSize; ++i) now[i] = 100;  // the first column is hot

  Runtime runtime(picture.options());
  const auto plate = runtime.matrix(now.data(), kSize, kSize, kSize);
  const auto other = runtime.matrix(next.data(), kSize, kSize, kSize);
  Collection old(runtime, plate, kBlock, 1), fresh(runtime, other, kBlock, 1);
  for (int k = 0; k < kSteps; ++k, std::swap(old, fresh)) {
    for (int i = 0; i < old.rows(); ++i) {
      for (int j = 0; j < old.cols(); ++j) {
        const auto around = old.halo(i, j);
        runtime.submit(named("diffuse", diffuse), around, write(fresh(i, j)), around.inside().row, around.inside().col);
      }
    }
  }
  runtime.wait();

  double heat = 0;
  for (const double t : now) heat += t;
  std::cout << std::fixed << std::setprecision(2) << "after " << kSteps << " steps: " << now[0]
            << " degrees at the rim that was hot, " << now[5 * kSize]
            << " five columns on; heat kept: " << heat / (100.0 * kSize) << "\n";
  picture.draw(runtime, "heat equation on 4 x 4 blocks");
}
