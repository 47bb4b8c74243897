// A pipeline: a film of 24 pictures is taken, smoothed, and searched for its brightest spot. Everything is submitted at
// once, but there are only four buffers: a picture is taken when the one four before it is finished. So the data limit
// the memory, and the program never waits.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include "picture.hpp"

using namespace troupe;

namespace {

constexpr int kFrames = 24, kBuffers = 4, kWidth = 320, kHeight = 240;

/// A spot that moves along a curve, and noise.
void take(MatrixView<float> image, int frame) {
  const double row = 120 + 80 * std::sin(frame * 0.25), col = 20.0 + 12 * frame;
  unsigned noise = 17U + static_cast<unsigned>(frame);
  for (std::int64_t j = 0; j < image.cols; ++j) {
    for (std::int64_t i = 0; i < image.rows; ++i) {
      noise = noise * 1664525U + 1013904223U;
      const double d = (i - row) * (i - row) + (j - col) * (j - col);
      image(i, j) = static_cast<float>(2000 / (40 + d) + (noise >> 24) * 0.2);
    }
  }
}
/// The mean of 5 x 5 elements; the rim stays dark.
void smooth(MatrixView<const float> image, MatrixView<float> smoothed) {
  for (std::int64_t j = 0; j < image.cols; ++j) {
    for (std::int64_t i = 0; i < image.rows; ++i) {
      const bool rim = i < 2 || j < 2 || i >= image.rows - 2 || j >= image.cols - 2;
      float sum = 0;
      for (std::int64_t k = 0; k < 25 && !rim; ++k) sum += image(i + k % 5 - 2, j + k / 5 - 2);
      smoothed(i, j) = sum / 25;
    }
  }
}
/// Rows and columns of the brightest spots, one picture after the other.
void find(MatrixView<const float> image, VectorView<int> path, int frame) {
  const float* brightest = std::max_element(image.data, image.data + image.rows * image.cols);
  path[2 * frame] = static_cast<int>((brightest - image.data) % image.rows);
  path[2 * frame + 1] = static_cast<int>((brightest - image.data) / image.rows);
}

}  // namespace

int main(int argc, char** argv) {
  const gallery::Picture picture(argc, argv);
  const Codelet taking = Codelet("take", {AccessMode::write}).cpu(take);
  const Codelet smoothing = Codelet("smooth", {AccessMode::read, AccessMode::write}).cpu(smooth);
  const Codelet finding = Codelet("find", {AccessMode::read, AccessMode::read_write}).cpu(find);
  std::vector<int> path(2 * kFrames);

  Runtime runtime(picture.options());
  const Data spots = runtime.vector(path);
  std::vector<Data> raw, smoothed;
  for (int buffer = 0; buffer < kBuffers; ++buffer) {
    raw.push_back(runtime.allocate_matrix<float>(kHeight, kWidth));
    smoothed.push_back(runtime.allocate_matrix<float>(kHeight, kWidth));
  }
  for (int frame = 0; frame < kFrames; ++frame) {
    const int buffer = frame % kBuffers;
    runtime.submit(taking, {raw[buffer]}, args(frame));
    runtime.submit(smoothing, {raw[buffer], smoothed[buffer]});
    runtime.submit(finding, {smoothed[buffer], spots}, args(frame));
  }
  runtime.wait();

  for (int frame = 0; frame < kFrames; frame += 8) {
    std::cout << "picture " << frame << ": row " << path[2 * frame] << ", column " << path[2 * frame + 1] << "\n";
  }
  picture.draw(runtime, "a film in four buffers");
}
