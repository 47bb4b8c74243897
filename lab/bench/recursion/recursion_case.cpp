#include "lab/bench/recursion/recursion_case.hpp"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

#include "lab/bench/runner.hpp"
#include "lab/bench/statistics.hpp"

namespace troupe::bench {
namespace {

constexpr double kEnoughSeconds = 0.5;
constexpr std::size_t kFewestRuns = 3;
constexpr std::size_t kMostRuns = 25;

}  // namespace

const char* to_string(Recursion program) {
  switch (program) {
    case Recursion::fibonacci: return "fibonacci";
    case Recursion::quicksort: return "quicksort";
    case Recursion::queens: return "queens";
    case Recursion::strassen: return "strassen";
    case Recursion::cholesky: return "cholesky";
    case Recursion::barnes_hut: return "barnes-hut";
    case Recursion::fft: return "fft";
    case Recursion::alignment: return "alignment";
    case Recursion::health: return "health";
    case Recursion::floorplan: return "floorplan";
    case Recursion::tree: return "tree";
    case Recursion::knapsack: return "knapsack";
  }
  return "?";
}

RecursionSizes recursion_sizes(Recursion program) {
  switch (program) {
    case Recursion::fibonacci: return {.n = 30, .cutoff = 18, .tiny_n = 22};
    case Recursion::quicksort: return {.n = 4'000'000, .cutoff = 4096, .tiny_n = 50'000};
    case Recursion::queens: return {.n = 13, .cutoff = 3, .tiny_n = 8};
    case Recursion::strassen: return {.n = 1024, .cutoff = 256, .tiny_n = 512};
    case Recursion::cholesky: return {.n = 2048, .cutoff = 128, .tiny_n = 384};
    case Recursion::barnes_hut: return {.n = 20'000, .cutoff = 128, .tiny_n = 1'000};
    case Recursion::fft: return {.n = 1 << 21, .cutoff = 4096, .tiny_n = 1 << 15};
    case Recursion::alignment: return {.n = 45, .cutoff = 2, .tiny_n = 12};
    case Recursion::health: return {.n = 6, .cutoff = 3, .tiny_n = 4};
    case Recursion::floorplan: return {.n = 10, .cutoff = 4, .tiny_n = 5};
    case Recursion::tree: return {.n = 4000, .cutoff = 30, .tiny_n = 200};
    case Recursion::knapsack: return {.n = 36, .cutoff = 12, .tiny_n = 24};
  }
  return {};
}

RecursionCase recursion_case(Parameters& parameters) {
  RecursionCase options;
  const std::string name = parameters.text("program", to_string(options.program));
  bool known = false;
  for (const Recursion program : kRecursions) {
    if (name != to_string(program)) continue;
    options.program = program;
    known = true;
  }
  if (!known) throw BadParameter("program=" + name + " is not known");
  const RecursionSizes sizes = recursion_sizes(options.program);
  options.n = parameters.integer("n", sizes.n, 1);
  options.cutoff = parameters.integer("cutoff", sizes.cutoff, 1);
  options.cores = cores_of(parameters);
  parameters.require_all_used();
  return options;
}

bool RecursionTimes::wants_more() const {
  return seconds_.size() < kFewestRuns || (seconds_.size() < kMostRuns && total_ < kEnoughSeconds);
}

void RecursionTimes::stop() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (warm_) {
    seconds_.push_back(seconds);
    total_ += seconds;
  }
  warm_ = true;
}

Json RecursionTimes::figures(std::uint64_t checksum) const {
  const double typical = median_of(seconds_);
  return {{"seconds", typical},
          {"ms", typical * 1e3},
          {"runs", seconds_.size()},
          {"checksum", fmt::format("{:016x}", checksum)}};
}

std::uint64_t checksum_of(std::span<const double> values) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const double value : values) sum = (sum ^ std::bit_cast<std::uint64_t>(value)) * kPrime;
  return sum;
}

void require_right(bool right, Recursion program) {
  if (!right) throw std::runtime_error(fmt::format("the result of {} is wrong", to_string(program)));
}

}  // namespace troupe::bench
