/// Tasks that should take equally long: of one codelet, on data of the same shapes; of one that is made of pieces with
/// about as many floating-point operations, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/codelets/layout.hpp"
#include "graph/tasks/task.hpp"
#include "proto/device_kinds.hpp"
#include "proto/ids.hpp"
#include "proto/units.hpp"

namespace troupe::graph {

struct SizeClass {
  SizeClassId id;
  /// Lives as long as the graph.
  const CodeletDefinition* codelet = nullptr;
  /// Floating-point operations; 0 where the codelet does not say.
  double flops = 0;
  /// All data together, without gaps.
  Bytes bytes;
  /// Some of the data are used as a whole though they have parts: a core's implementation is called, where there is one
  /// (`find_whole_of_parts`).
  bool whole_of_parts = false;
  /// Some of the data are reduced: partial results lie in host memory, where kernels on CUDA GPUs do not reach them.
  bool reduces = false;
  /// A hash of the data's shapes and element sizes; the same in every run.
  std::uint64_t shapes = 0;
  /// Of the largest element.
  std::uint64_t element_bytes = 0;
  /// The data's shapes, as the first task had them.
  std::vector<Layout> data;

  /// Whether the codelet runs these tasks on such a device; on that of this worker.
  [[nodiscard]] bool runs_on(DeviceKind kind) const;
  [[nodiscard]] bool runs_on(DeviceKind kind, WorkerId worker) const;
};

/// Numbers size classes as they appear. Arguments by value are looked at by the codelet's `footprint` alone: of two
/// tasks on equal shapes the first one's operations count for both. But where tasks are made of pieces
/// (`Codelet::pieces`), operations that differ by more than 5 % make another class, and any that differ where a
/// description times them. Neither is how often a variadic codelet's repeated handle is there, only about how many rows
/// they have together. Not thread-safe.
class SizeClasses {
 public:
  /// The class of a task, which must not be a host task. O(accesses).
  SizeClassId classify(const Task& task);
  [[nodiscard]] const SizeClass& operator[](SizeClassId id) const { return classes_[id.index()]; }
  [[nodiscard]] std::size_t size() const { return classes_.size(); }

 private:
  struct Key {
    const CodeletDefinition* codelet = nullptr;
    std::uint64_t shapes = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      return std::hash<const void*>{}(key.codelet) ^ (key.shapes * 0x9e3779b97f4a7c15ULL);
    }
  };

  SizeClassId add(const Task& task, std::uint64_t shapes);

  /// Looked up only, never walked.
  std::unordered_map<Key, SizeClassId, Hash> ids_;
  std::deque<SizeClass> classes_;
};

/// The floating-point operations of a task as its codelet counts them; 0 where it does not, or throws.
[[nodiscard]] double flops_of(const Task& task) noexcept;

/// Of how many pieces a task of a codelet of pieces is made that begins on this worker, by the data as they lie in host
/// memory. In an `ExecutionScope`, as it is the program's function. Throws as `Pieces::count_of` does.
[[nodiscard]] std::uint32_t piece_count_of(const Task& task, WorkerId worker);

}  // namespace troupe::graph
