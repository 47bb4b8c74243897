// The heat equation on a plate that is cut into blocks. A new block needs the old one and its neighbours' edges (the
// halo). There is no barrier between the steps: a block may be a step ahead of others that are not its neighbours.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <utility>
#include <vector>

#include "picture.hpp"

using namespace troupe;

namespace {

constexpr int kSize = 640, kBlocks = 4, kBlock = kSize / kBlocks, kSteps = 24;
using Plate = MatrixView<double>;
using OldPlate = MatrixView<const double>;

// At the rim of the plate a block is its own neighbour: outside it is as warm as on the rim.
void diffuse(OldPlate old, OldPlate north, OldPlate south, OldPlate west, OldPlate east, Plate next, int row, int col) {
  const std::int64_t last = kBlock - 1;
  const bool top = row == 0, bottom = row == kBlocks - 1, left = col == 0, right = col == kBlocks - 1;
  for (std::int64_t j = 0; j <= last; ++j) {
    for (std::int64_t i = 0; i <= last; ++i) {
      const double up = i > 0 ? old(i - 1, j) : north(top ? 0 : last, j);
      const double down = i < last ? old(i + 1, j) : south(bottom ? last : 0, j);
      const double before = j > 0 ? old(i, j - 1) : west(i, left ? 0 : last);
      const double after = j < last ? old(i, j + 1) : east(i, right ? last : 0);
      next(i, j) = old(i, j) + 0.2 * (up + down + before + after - 4 * old(i, j));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const gallery::Picture picture(argc, argv);
  constexpr AccessMode r = AccessMode::read;
  const Codelet step = Codelet("diffuse", {r, r, r, r, r, AccessMode::write}).cpu(diffuse);
  std::vector<double> now(kSize * kSize), next(kSize * kSize);
  for (int i = 0; i < kSize; ++i) now[i] = 100;  // the first column is hot

  Runtime runtime(picture.options());
  const Data plates[] = {runtime.matrix(now.data(), kSize, kSize, kSize),
                         runtime.matrix(next.data(), kSize, kSize, kSize)};
  std::vector<Block> cuts;
  for (int k = 0; k < kBlocks * kBlocks; ++k) {
    cuts.push_back({k / kBlocks * kBlock, k % kBlocks * kBlock, kBlock, kBlock});
  }
  std::vector<Handle> old = runtime.partition(plates[0], cuts), fresh = runtime.partition(plates[1], cuts);
  const auto at = [&](int row, int col) {
    return old[std::clamp(row, 0, kBlocks - 1) * kBlocks + std::clamp(col, 0, kBlocks - 1)];
  };
  for (int k = 0; k < kSteps; ++k, std::swap(old, fresh)) {
    for (int i = 0; i < kBlocks; ++i) {
      for (int j = 0; j < kBlocks; ++j) {
        const Handle halo[] = {at(i - 1, j), at(i + 1, j), at(i, j - 1), at(i, j + 1)};
        runtime.submit(step, {at(i, j), halo[0], halo[1], halo[2], halo[3], fresh[i * kBlocks + j]}, args(i, j));
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
