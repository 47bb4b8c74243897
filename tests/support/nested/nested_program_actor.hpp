/// Random programs of nested tasks. A seed determines each program. Its result is compared with that of running the
/// same operations one after the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "troupe/handle.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::tests {

struct NestedProgram {
  std::uint64_t seed = 1;
  /// If true, some kernels throw.
  bool faults = false;
  /// If true, emulated GPUs take part. Kernels then make no parts.
  bool gpus = false;
  /// If true, one thread handles all messages, in an order that the seed determines.
  bool deterministic = false;
  /// If true, kernels wait for their children, and the seed determines the policy.
  bool waits = false;
  /// If true, some tasks read halo parts.
  bool halos = false;
  /// If true, nested tasks call what they submit as soon as something is known of their times. The program then runs
  /// several times.
  bool cutoff = false;
  /// If true, the program's own tasks are recorded and run twice.
  bool recorded = false;
  /// If true, the program runs in virtual time with real buffers, on a machine that the seed determines.
  bool simulated = false;
};

/// Returns the command line arguments with which a test or a soak program runs this program alone, for messages.
[[nodiscard]] std::string describe(const NestedProgram& program);

/// Runs the program. Returns what is wrong; nothing if all is right.
[[nodiscard]] std::vector<std::string> execute(const NestedProgram& program);

/// The operations of a program as the children of one nested task, whose kernel knows its runtime and its data from its
/// context alone, as on a service.
class NestedChildren {
 public:
  explicit NestedChildren(const NestedProgram& program);
  ~NestedChildren();
  NestedChildren(const NestedChildren&) = delete;
  NestedChildren& operator=(const NestedChildren&) = delete;

  /// The number of elements of each of the two vectors, all of which are 1 at first.
  [[nodiscard]] static std::size_t size_of_vector();
  /// Submits the operations; called in the kernel. This object has to live until the nested task has ended.
  void submit(const Handle& first, const Handle& second);
  /// Returns true if no operation fails that leaves data without valid content.
  [[nodiscard]] bool all_valid() const;
  /// Returns what is wrong with the vectors when the nested task has ended, if `all_valid`.
  [[nodiscard]] std::vector<std::string> check(const std::array<std::vector<std::uint64_t>, 2>& vectors) const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace troupe::tests
