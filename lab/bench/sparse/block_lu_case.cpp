#include "lab/bench/sparse/block_lu_case.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "kernels/factor.hpp"
#include "kernels/products.hpp"
#include "lab/bench/runner.hpp"
#include "lab/bench/statistics.hpp"
#include "linalg/sparse/block_structure.hpp"
#include "proto/json/json.hpp"
#include "proto/random.hpp"

namespace troupe::bench {
namespace {

/// Fills the matrix with random elements. Each diagonal element is larger than the sum of the other elements in its
/// row.
void fill(const BlockLuCase& options, BlockLuProgram& program) {
  for (int i = 0; i < options.pattern.blocks(); ++i) {
    std::int64_t in_row = 0;
    options.pattern.for_row(i, 0, [&](int j) {
      ++in_row;
      Random random(options.seed * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(i) * 0x100000001b3ULL +
                    static_cast<std::uint64_t>(j));
      const MatrixView<double> block = program.block(i, j);
      for (std::int64_t k = 0; k < block.rows * block.cols; ++k) {
        block.data[k] = static_cast<double>(random.next() >> 11U) * 0x1p-53 - 0.5;
      }
    });
    const MatrixView<double> diagonal = program.block(i, i);
    for (std::int64_t k = 0; k < diagonal.rows; ++k) diagonal(k, k) += static_cast<double>(in_row * diagonal.rows);
  }
}

/// Returns the FNV-1a checksum of the elements' bits, one row of blocks after the other.
std::string checksum_of(const BlockLuCase& options, BlockLuProgram& program) {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  for (int i = 0; i < options.pattern.blocks(); ++i) {
    options.pattern.for_row(i, 0, [&](int j) {
      const MatrixView<double> block = program.block(i, j);
      for (std::int64_t k = 0; k < block.rows * block.cols; ++k) {
        sum = (sum ^ std::bit_cast<std::uint64_t>(block.data[k])) * 0x100000001b3ULL;
      }
    });
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(sum));
  return text;
}

/// Returns the total processor time of all threads of this process.
double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

BlockLuCase block_lu_case(Parameters& parameters) {
  constexpr std::int64_t kMostBlocks = 1000;
  constexpr std::int64_t kLargestBlock = 4096;
  BlockLuCase options;
  const std::string structure = parameters.text("structure", "third");
  const auto parsed = linalg::parse_structure(structure);
  if (!parsed) throw BadParameter("structure=" + structure + ": third, third-closed, bots or band:W");
  const std::int64_t n = parameters.integer("n", 20, 1);
  if (n > kMostBlocks) throw BadParameter("n: at most " + std::to_string(kMostBlocks));
  options.cut.block = parameters.integer("block", 192, 1);
  if (options.cut.block > kLargestBlock) throw BadParameter("block: at most " + std::to_string(kLargestBlock));
  const std::int64_t side = parameters.integer("super", 5, 1);
  if (side > kernels::kLargestSide) throw BadParameter("super: at most " + std::to_string(kernels::kLargestSide));
  const std::string grain = parameters.text("grain", "fine");
  if (grain != "fine" && grain != "coarse" && grain != "multi") {
    throw BadParameter("grain=" + grain + ": fine, coarse or multi");
  }
  options.cut.side = grain == "fine" ? 1 : static_cast<int>(side);
  options.pieces = grain == "multi";
  options.seed = static_cast<std::uint64_t>(parameters.integer("seed", 1));
  options.cores = cores_of(parameters);
  options.pattern = linalg::pattern_of(parsed.value(), static_cast<int>(n), options.seed);
  return options;
}

Json measure_block_lu(const BlockLuCase& options, BlockLuProgram& program) {
  constexpr std::size_t kMostRuns = 9;
  constexpr double kEnoughSeconds = 1;
  std::vector<double> seconds;
  std::vector<double> kernel_fractions;
  std::vector<double> processor;
  const auto run = [&] {
    fill(options, program);
    const double before = processor_seconds();
    const auto start = std::chrono::steady_clock::now();
    program.factorize();
    const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    processor.push_back(processor_seconds() - before);
    seconds.push_back(taken);
    kernel_fractions.push_back(program.kernel_seconds() / (options.cores * taken));
  };
  run();
  // If the first run takes this long, it is hardly slower than later runs, so it counts.
  if (seconds.front() < kEnoughSeconds) {
    for (auto* warm_up : {&seconds, &kernel_fractions, &processor}) warm_up->clear();
  }
  while (seconds.size() < kMostRuns && std::accumulate(seconds.begin(), seconds.end(), 0.0) < kEnoughSeconds) run();
  const double flops = linalg::work_of(options.pattern).flops(options.cut.block);
  const double typical = median_of(seconds);
  return {{"seconds", typical},
          {"fastest_seconds", *std::ranges::min_element(seconds)},
          {"runs", seconds.size()},
          {"flops", flops},
          {"gflops", flops / typical * 1e-9},
          {"kernel_share", median_of(kernel_fractions)},
          {"processor_seconds", median_of(processor)},
          {"stored_blocks", options.pattern.count()},
          {"checksum", checksum_of(options, program)}};
}

std::int64_t KernelTime::now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void run_block_step(linalg::BlockStep::Kind kind, MatrixView<double> c, MatrixView<const double> a,
                    MatrixView<const double> b) {
  using Kind = linalg::BlockStep::Kind;
  switch (kind) {
    case Kind::diagonal:
      if (kernels::getrf_without_pivoting(c) != 0) throw std::runtime_error("a pivot is zero");
      break;
    case Kind::lower: kernels::solve_triangular('R', 'U', 'N', 'N', a, c); break;
    case Kind::upper: kernels::solve_triangular('L', 'L', 'N', 'U', a, c); break;
    case Kind::product: kernels::multiply('N', 'N', -1.0, a, b, 1.0, c); break;
  }
}

}  // namespace troupe::bench
