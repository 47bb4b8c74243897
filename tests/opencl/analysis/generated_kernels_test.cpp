// Runs a thousand random kernels on the host, and compares the bytes that they store with the result of the analysis.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <span>

#include "opencl/analysis/analysis_compiler.hpp"
#include "opencl/analysis/program_facts.hpp"
#include "tests/opencl/analysis/host_program.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/tries.hpp"

namespace troupe::tests {

using opencl::ByteRange;
using opencl::ItemBox;
using opencl::KernelFacts;
using opencl::LaunchValues;

/// The arguments of one launch.
struct GeneratedArguments {
  int n = 3;
  unsigned m = 5;
  GeneratedValues values{2, 1, 4};

  [[nodiscard]] LaunchValues launch() const {
    LaunchValues launch;
    launch.arguments.resize(kGeneratedPointers);
    launch.arguments.push_back(std::as_bytes(std::span(&n, 1)));
    launch.arguments.push_back(std::as_bytes(std::span(&m, 1)));
    launch.arguments.push_back(std::as_bytes(std::span(&values, 1)));
    launch.global = {kGeneratedItems[0], kGeneratedItems[1], 1};
    launch.local = {kGeneratedGroup[0], kGeneratedGroup[1], 1};
    return launch;
  }
};

inline const ItemBox kAllItems{{0, 0, 0}, {kGeneratedItems[0], kGeneratedItems[1], 1}};

/// The numbers of properties that the analysis found. If they are too low, the test has checked nothing.
struct GeneratedCounts {
  int never_written = 0;
  int known = 0;
  int whole = 0;
  int split = 0;
};

class GeneratedCheck {
 public:
  GeneratedCheck(const HostProgram& program, int kernel, const KernelFacts& facts, GeneratedCounts& counts)
      : program_(program), kernel_(kernel), facts_(facts), counts_(counts) {
    std::mt19937 random(static_cast<std::uint32_t>(kernel));
    before_.resize(kContents);
    for (std::size_t i = 0; i < kContents; ++i) {
      for (std::size_t j = 0; j < kGeneratedPointers; ++j) {
        before_[i][j].resize(kGeneratedBytes);
        for (std::byte& byte : before_[i][j]) byte = static_cast<std::byte>(i == 0 ? random() : 0x3cU + random() % 8);
        // The second content differs from the first one in every byte. So a stored value that does not depend on the
        // content can be equal to at most one of them.
        if (i == 1) std::ranges::transform(before_[0][j], before_[1][j].begin(), [](std::byte byte) { return ~byte; });
      }
    }
  }

  void run() {
    std::vector<HostBuffers> after;
    for (const HostBuffers& buffers : before_) after.push_back(result(buffers, kAllItems));
    for (std::size_t i = 0; i < kGeneratedPointers; ++i) {
      std::vector<bool> stored(kGeneratedBytes);
      for (std::size_t j = 0; j < kContents; ++j) {
        for (std::size_t at = 0; at < kGeneratedBytes; ++at) {
          if (before_[j][i][at] != after[j][i][at]) stored[at] = true;
        }
      }
      check_argument(i, stored_bytes(facts_, i, kAllItems, launch_), stored);
    }
    for (unsigned d = 0; d < 2; ++d) {
      if (facts_.can_split[d]) check_split(d, after.front());
    }
  }

 private:
  [[nodiscard]] HostBuffers result(HostBuffers buffers, const ItemBox& items) const {
    program_.run(kernel_, buffers, arguments_.n, arguments_.m, arguments_.values, items);
    return buffers;
  }
  void check_argument(std::size_t index, const std::optional<ByteRange>& range, const std::vector<bool>& stored) {
    const KernelFacts::Argument& argument = facts_.arguments[index];
    const bool any = std::ranges::find(stored, true) != stored.end();
    if (!argument.writes) {
      BOOST_TEST(!any, "kernel " << kernel_ << " writes argument " << index);
      ++counts_.never_written;
    }
    if (!range) return;
    ++counts_.known;
    // A kernel that reads its buffer may store the old value again, which looks like a byte that was not stored.
    const bool all = !argument.reads && stores_all(facts_, index, kAllItems, launch_);
    counts_.whole += all && !range->empty() ? 1 : 0;
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const bool inside = i >= range->begin && i < range->end;
      if (stored[i] ? inside : !(all && inside)) continue;
      BOOST_ERROR("kernel " << kernel_ << ", argument " << index << ", byte " << i << (stored[i] ? " is" : " is not")
                            << " stored; said were " << range->begin << " to " << range->end);
      return;
    }
  }

  /// Runs the kernel in two halves along the dimension. Each half has its own copies of the buffers.
  void check_split(unsigned dimension, const HostBuffers& whole) {
    std::array<ItemBox, 2> halves{kAllItems, kAllItems};
    halves[0].count[dimension] = kGeneratedGroup[dimension];
    halves[1].first[dimension] = kGeneratedGroup[dimension];
    halves[1].count[dimension] -= kGeneratedGroup[dimension];
    HostBuffers merged = before_.front();
    for (std::size_t i = 0; i < kGeneratedPointers; ++i) {
      const auto first = stored_bytes(facts_, i, halves[0], launch_);
      const auto second = stored_bytes(facts_, i, halves[1], launch_);
      if (!first || !second) return;
      if (!first->empty() && !second->empty() && first->begin < second->end && second->begin < first->end) return;
    }
    for (const ItemBox& half : halves) {
      const HostBuffers after = result(before_.front(), half);
      for (std::size_t i = 0; i < kGeneratedPointers; ++i) {
        const ByteRange range = *stored_bytes(facts_, i, half, launch_);
        for (std::size_t at = range.begin; at < std::min<std::size_t>(range.end, kGeneratedBytes); ++at) {
          merged[i][at] = after[i][at];
        }
      }
    }
    ++counts_.split;
    BOOST_TEST((merged == whole), "kernel " << kernel_ << " differs when it is split along " << dimension);
  }

  const HostProgram& program_;
  const int kernel_;
  const KernelFacts& facts_;
  GeneratedCounts& counts_;
  const GeneratedArguments arguments_;
  const LaunchValues launch_ = arguments_.launch();
  static constexpr std::size_t kContents = 6;
  std::vector<HostBuffers> before_;
};

BOOST_AUTO_TEST_SUITE(generated_kernels)

BOOST_AUTO_TEST_CASE(a_thousand_kernels_store_where_the_analysis_says) {
  const auto compiler = opencl::analysis_compiler(opencl::compiler_in_environment());
  if (!compiler) return skip("there is no clang that compiles OpenCL: install clang-15");
  constexpr auto part = [](std::uint64_t all) { return static_cast<int>(tries(all)); };
  constexpr int kSources = part(40);
  constexpr int kKernels = 25;
  GeneratedCounts counts;
  int analysed = 0;
  for (std::uint32_t seed = 1; seed <= kSources; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      const std::string source = generated_source(seed, kKernels);
      const auto facts = opencl::facts_of(source, "", *compiler);
      const HostProgram program(*compiler, source, kKernels);
      for (int i = 0; i < kKernels; ++i) {
        const auto kernel = facts->find("k" + std::to_string(i));
        if (kernel == facts->end()) continue;
        ++analysed;
        GeneratedCheck(program, i, kernel->second, counts).run();
      }
    }
  }
  BOOST_TEST_MESSAGE(analysed << " kernels; arguments never written " << counts.never_written << ", known "
                              << counts.known << ", stored whole " << counts.whole << "; splits " << counts.split);
  BOOST_TEST(analysed == kSources * kKernels);
  BOOST_TEST(counts.never_written > part(500));
  BOOST_TEST(counts.known > counts.never_written + part(500));
  BOOST_TEST(counts.whole > part(20));
  BOOST_TEST(counts.split > part(50));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
