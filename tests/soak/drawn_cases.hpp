/// Cases for runs that learn kernel times, with kernels and machines that are drawn at random.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "proto/random.hpp"
#include "tests/client/learned_cases.hpp"

namespace troupe::tests {

/// Returns a kernel whose shapes, times and speed on GPUs are drawn. Its times lie between 1/10 and 10 times those of
/// the kernels of `learned_cases`, its largest edge between 400 and 1,600, and GPUs are between 1/10 and 50 times as
/// fast as cores. So in some cases a few large tasks are most of the work.
inline LearnedKernel drawn_kernel(const std::string& name, Random& random) {
  using namespace learned;
  struct Kind {
    std::vector<AccessMode> modes;
    std::function<DrawnShapes(Random&)> shapes;
    double (*time)(const TimedTask&);
    std::function<double(const TimedTask&)> flops = {};
  };
  const auto most = static_cast<double>(scaled(random, 400, 1600));
  const auto squares = [most](Random& of) -> DrawnShapes {
    const std::int64_t edge = scaled(of, 100, most);
    return {{edge, edge}};
  };
  const auto rectangles = [most](Random& of) -> DrawnShapes {
    return {{scaled(of, 100, most), scaled(of, 100, most)}};
  };
  const auto products = [most](Random& of) -> DrawnShapes {
    const std::int64_t m = scaled(of, 100, most), n = scaled(of, 100, most), k = scaled(of, 100, most);
    return {{m, k}, {k, n}, {m, n}};
  };
  const auto second = [](const TimedTask& task) { return 500 * elements(task, 1); };
  const std::vector<AccessMode> two{AccessMode::read, AccessMode::read_write};
  const std::vector<AccessMode> three{AccessMode::read, AccessMode::read, AccessMode::read_write};
  const std::array<Kind, 7> kinds{{{{kOne}, vectors, linear},
                                   {{kOne}, vectors, with_constant},
                                   {{kOne}, squares, cubic_edge},
                                   {{kOne}, rectangles, cubic_edge},
                                   {three, products, product_flops, product_flops},
                                   {three, products, product_flops},
                                   {two, two_vectors, second}}};
  const Kind& kind = kinds[random.below(kinds.size())];
  const double factor = static_cast<double>(scaled(random, 100, 10000)) / 1000;
  const double speedup = static_cast<double>(scaled(random, 100, 50000)) / 1000;
  const double deviation = random.below(3) == 0 ? 0.05 : 0;
  const auto time = [factor, of = kind.time](const TimedTask& task) { return factor * of(task); };
  return {name, kind.modes, kind.shapes, faster_on_gpus(time, speedup, deviation), kind.flops};
}

/// Returns a case with one to four drawn kernels on a drawn machine. The same seed gives the same case.
inline LearnedCase drawn_case(std::uint64_t seed) {
  const std::array<LearnedMachine, 6> machines{{{12, 4}, {4, 8}, {31, 1}, {6, 2}, {24, 4}, {12, 4, 30}}};
  Random random(seed);
  LearnedCase drawn{fmt::format("drawn by {}", seed), {}, machines[random.below(machines.size())]};
  const std::uint64_t kernels = 1 + random.below(4);
  for (std::uint64_t i = 0; i < kernels; ++i) {
    drawn.kernels.push_back(drawn_kernel(fmt::format("kernel {}", i), random));
  }
  return drawn;
}

}  // namespace troupe::tests
