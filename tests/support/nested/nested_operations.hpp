/// The operations of random programs of nested tasks, and their effect when they run one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/nested/nested_program_actor.hpp"

namespace troupe::tests::nested {

using Number = std::uint64_t;
inline constexpr int kLeaves = 8;
inline constexpr int kPerLeaf = 3;
/// The number of vectors of the program. Temporary vectors have higher numbers.
inline constexpr int kVectors = 2;

/// Parts of one vector form a binary tree: part 1 is the whole, and parts 2 i and 2 i + 1 are the halves of part i.
/// Parts of temporary vectors have other vectors' numbers.
struct Place {
  int vector = 0;
  int part = 1;
};
struct Leaves {
  int begin = 0;
  int end = 0;
};
/// Returns the leaves of a part.
[[nodiscard]] Leaves leaves_of(int part);

/// Returns a part of one leaf and the leaves beside it, as far as they lie in a place.
[[nodiscard]] std::vector<Place> beside(const Place& target, const Place& within);

/// One task of a program.
struct Operation {
  enum Kind { alter, overwrite, gather, add, blur, nest };
  Kind kind = alter;
  /// The data that the kernel changes: one place, or none for a nested task with weak data only.
  std::optional<Place> target;
  /// True if a nested task only reads its target.
  bool only_reads = false;
  /// For `gather`: the place that the kernel reads. For `blur`: the place in which the neighbors of the target lie.
  Place source;
  Number number = 0;
  bool throws = false;
  /// If not 0, the kernel of a nested task divides its target, which is one leaf, before this element, and submits a
  /// task for each of the two parts.
  int cut = 0;
  /// True if a child is submitted without saying that it is nested.
  bool unsaid = false;
  /// The wait of the kernel of the task around this one, behind its submission.
  enum Wait { none, for_all, for_this, for_target } wait = none;
  /// True if the kernel of a nested task waits for its children and then changes its target.
  bool ends_with_change = false;
  /// For a nested task: its weak data, whether each is written, its temporary vectors and its children.
  struct Weak {
    Place place;
    bool written = true;
  };
  std::vector<Weak> weak;
  std::vector<int> temporaries;
  std::vector<Operation> children;
};

struct Content {
  std::array<std::array<Number, kPerLeaf>, kLeaves> leaves{};
  std::array<bool, kLeaves> valid{};
};

/// Returns the operations of a program.
[[nodiscard]] std::vector<Operation> operations_of(const NestedProgram& program);

/// Returns the contents of the program's vectors when the operations have run one after the other, `runs` times.
[[nodiscard]] std::array<Content, kVectors> run_in_sequence(const std::vector<Operation>& program, int runs);

}  // namespace troupe::tests::nested
