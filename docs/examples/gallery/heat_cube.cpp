// The heat equation in a cube of metal that is cut into boxes. A box needs the planes, columns and rows around it,
// which its halo part has. At the end one task reads a face of the cube, and waits for the boxes at this face only.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <utility>
#include <vector>

#include "picture.hpp"

using namespace troupe;

namespace {

constexpr std::int64_t kSize = 96, kBox = 48, kSteps = 12;

// `old` is the box with the elements next to it, and begins with the box's element (row, col, plane). At the faces of
// the cube there are none: outside it is as warm as there.
void diffuse(VolumeView<const double> old, VolumeView<double> next, std::int64_t row, std::int64_t col,
             std::int64_t plane) {
  const auto at = [&old](std::int64_t i, std::int64_t j, std::int64_t k) {
    return old(std::clamp<std::int64_t>(i, 0, old.rows - 1), std::clamp<std::int64_t>(j, 0, old.cols - 1),
               std::clamp<std::int64_t>(k, 0, old.planes - 1));
  };
  for (std::int64_t k = 0; k < next.planes; ++k) {
    for (std::int64_t j = 0; j < next.cols; ++j) {
      for (std::int64_t i = 0; i < next.rows; ++i) {
        const std::int64_t r = row + i, c = col + j, p = plane + k;
        const double around =
            at(r - 1, c, p) + at(r + 1, c, p) + at(r, c - 1, p) + at(r, c + 1, p) + at(r, c, p - 1) + at(r, c, p + 1);
        next(i, j, k) = old(r, c, p) + 0.125 * (around - 6 * old(r, c, p));
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const gallery::Picture picture(argc, argv);
  std::vector<double> now(kSize * kSize * kSize), next(now.size());
  std::fill_n(now.begin(), kSize * kSize, 100.0);  // the first plane is hot

  Runtime runtime(picture.options());
  const auto cube = runtime.volume(now.data(), {kSize, kSize, kSize}, "cube");
  const auto other = runtime.volume(next.data(), {kSize, kSize, kSize}, "other");
  Collection old(runtime, cube, kBox, 1), fresh(runtime, other, kBox, 1);
  for (int step = 0; step < kSteps; ++step, std::swap(old, fresh)) {
    for (int k = 0; k < old.planes(); ++k) {
      for (int j = 0; j < old.cols(); ++j) {
        for (int i = 0; i < old.rows(); ++i) {
          const auto around = old.halo(i, j, k);
          const Block& inside = around.inside();
          runtime.submit(named("diffuse", diffuse), around, write(fresh(i, j, k)), inside.row, inside.col,
                         inside.plane);
        }
      }
    }
  }
  // A face is a block of one plane, and as such a matrix. As a halo part without a rim it may overlap the boxes.
  const std::vector<Block> face{{0, 0, kSize, kSize, 0, 1}};
  double hottest = 0;
  runtime
      .submit(
          [&hottest](MatrixView<const double> t) {
            for (std::int64_t j = 0; j < t.cols; ++j)
              hottest = std::max(hottest, *std::max_element(&t(0, j), &t(0, j) + t.rows));
          },
          runtime.halos(cube, face, 0).front())
      .wait();
  runtime.wait();

  double heat = 0;
  for (const double t : now) heat += t;
  std::cout << std::fixed << std::setprecision(2) << "after " << kSteps << " steps: " << hottest
            << " degrees on the face that was hot, " << now[3 * kSize * kSize]
            << " three planes on; heat kept: " << heat / (100.0 * kSize * kSize) << "\n";
  picture.draw(runtime, "heat equation on 2 x 2 x 2 boxes");
}
