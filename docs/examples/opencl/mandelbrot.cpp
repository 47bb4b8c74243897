// The Mandelbrot set: one kernel over two dimensions, with a work-item for each pixel. One launch does all the work.
#include "example.hpp"

namespace {

constexpr float kLeft = -2.0F;
constexpr float kTop = -1.25F;
constexpr float kWidth = 2.5F;

// Contraction to fused operations is off, so every step is rounded as the standard says, on every device and on the
// host.
const char* const kSource = R"(
#pragma OPENCL FP_CONTRACT OFF
kernel void mandelbrot(global int* steps, int width, int most, float left, float top, float pixel) {
  int column = get_global_id(0);
  int row = get_global_id(1);
  float cx = left + pixel * column;
  float cy = top + pixel * row;
  float x = 0.0f, y = 0.0f;
  int n = 0;
  while (n < most) {
    float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    float xy = x * y;
    x = (xx - yy) + cx;
    y = (xy + xy) + cy;
    ++n;
  }
  steps[row * width + column] = n;
}
)";

int steps_of(float cx, float cy, int most) {
  float x = 0;
  float y = 0;
  for (int n = 0; n < most; ++n) {
    const float xx = x * x;
    const float yy = y * y;
    if (xx + yy > 4.0F) return n;
    const float xy = x * y;
    x = (xx - yy) + cx;
    y = (xy + xy) + cy;
  }
  return most;
}

/// Returns the number of pixels for which the host finds another number of steps. It checks at most 64 rows, evenly
/// spread, because the host computes alone.
std::size_t wrong_pixels(const std::vector<int>& steps, int width, int height, int most, float pixel) {
  constexpr int kMostRows = 64;
  std::size_t wrong = 0;
  for (int row = 0; row < height; row += std::max(1, height / kMostRows)) {
    for (int column = 0; column < width; ++column) {
      const float x = kLeft + pixel * static_cast<float>(column);
      const float y = kTop + pixel * static_cast<float>(row);
      if (steps[static_cast<std::size_t>(row) * width + column] != steps_of(x, y, most)) ++wrong;
    }
  }
  return wrong;
}

int mandelbrot(example::Arguments& arguments) {
  const example::Common common(arguments);
  const std::size_t width = arguments.number("--width", 1024, 1, 32768);
  const std::size_t height = arguments.number("--height", 1024, 1, 32768);
  const std::size_t most = arguments.number("--steps", 256, 1, 1000000);
  arguments.end();

  const example::Session session(common, kSource);
  std::vector<int> steps(width * height);
  const std::size_t bytes = steps.size() * sizeof(int);
  const example::Buffer buffer(session.context(), CL_MEM_WRITE_ONLY, bytes);
  const float pixel = kWidth / static_cast<float>(std::max(width, height));
  std::printf("%zu x %zu pixels, at most %zu steps\n", width, height, most);
  const double seconds = example::measure(common, [&] {
    std::fill(steps.begin(), steps.end(), -1);
    example::Events computed;
    session.launch("mandelbrot", {width, height}, {}, {}, computed, buffer, static_cast<int>(width),
                   static_cast<int>(most), kLeft, kTop, pixel);
    session.read(buffer, bytes, steps.data(), computed);
    session.finish();
  });
  // Sums, differences and products are rounded correctly everywhere, so the numbers of steps are equal.
  const std::size_t wrong =
      wrong_pixels(steps, static_cast<int>(width), static_cast<int>(height), static_cast<int>(most), pixel);
  std::printf("pixels that differ from the host's: %zu, allowed: 0\n", wrong);
  return example::report(seconds, wrong == 0);
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("mandelbrot",
                      "Draws the Mandelbrot set, in one kernel over two dimensions.\n"
                      "  --width N         pixels; default: 1024\n"
                      "  --height N        pixels; default: 1024\n"
                      "  --steps N         steps after which a point counts as one of the set; default: 256\n",
                      argc, argv, mandelbrot);
}
