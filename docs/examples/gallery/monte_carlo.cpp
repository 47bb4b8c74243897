// Monte Carlo with a reduction: it estimates how much of the cube the ball in five dimensions fills. A hundred tasks
// draw points, each from random numbers of its own, and count those inside. All add to one counter in mode reduce:
// every worker counts in a copy of its own, and the copies are added up before the result is read.
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <random>

#include "picture.hpp"

using namespace troupe;

namespace {

constexpr int kTasks = 100, kDimensions = 5;
constexpr std::int64_t kPoints = 40'000;

void count_inside(std::int64_t& inside, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::int64_t point = 0; point < kPoints; ++point) {
    double square = 0;
    for (int d = 0; d < kDimensions; ++d) {
      const double x = static_cast<double>(random() >> 11) * 0x1p-52 - 1;  // from -1 to 1
      square += x * x;
    }
    if (square < 1) ++inside;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const gallery::Picture picture(argc, argv);
  const Codelet draw = Codelet("draw points", {AccessMode::reduce}).cpu(count_inside);
  std::int64_t inside = 0;

  Runtime runtime(picture.options());
  const Data total = runtime.scalar(inside);
  runtime.set_reduction(total, sum_reduction<std::int64_t>());
  for (std::uint64_t task = 0; task < kTasks; ++task) runtime.submit(draw, {total}, args(task));
  runtime.wait();

  const double share = static_cast<double>(inside) / (kTasks * kPoints);
  std::cout << std::fixed << std::setprecision(4) << "the ball fills " << share << " of the cube, its volume is "
            << share * 32 << " (exactly: 5.2638)\n";
  picture.draw(runtime, "Monte Carlo: points in the ball");
}
