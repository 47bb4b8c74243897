/// Size classes: tasks of one class should take equally long. A class has the tasks of one codelet on data of the same
/// shapes. Tasks that run in pieces must also have about the same number of floating-point operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/tasks/task.hpp"
#include "troupe/devices.hpp"
#include "troupe/ids.hpp"
#include "troupe/layout.hpp"
#include "troupe/units.hpp"

namespace troupe::graph {

struct SizeClass {
  SizeClassId id;
  /// The codelet of the class's tasks, which lives as long as the graph.
  const CodeletDefinition* codelet = nullptr;
  /// Floating-point operations of one task; 0 if the codelet does not count them.
  double flops = 0;
  /// The size of all data together, without gaps.
  Bytes bytes;
  /// The kinds of device that could use the data (`kinds_for_data`). They restrict the codelet only if it has an
  /// implementation for one of them.
  KindSet data_kinds = kEveryKind;
  /// True if some data are reduced. Partial results lie in host memory, where kernels on CUDA GPUs do not reach them.
  bool reduces = false;
  /// A hash of the data's shapes and element sizes. Its value is the same in every run of the program.
  std::uint64_t shapes = 0;
  /// The size of the largest element.
  std::uint64_t element_bytes = 0;
  /// The data's shapes in the first task of the class.
  std::vector<Layout> data;

  /// Both functions return true if devices of this kind can run the class's tasks. The second function also requires
  /// that the codelet allows this worker.
  [[nodiscard]] bool runs_on(DeviceKind kind) const;
  [[nodiscard]] bool runs_on(DeviceKind kind, WorkerId worker) const;
};

/// Numbers size classes in the order in which they appear. Arguments by value distinguish classes only through the
/// codelet's `footprint`: if the data of two tasks have equal shapes, the operations of the first task count for both.
/// There are two exceptions. If tasks run in pieces (`Codelet::pieces`), operations that differ by more than 5 % make
/// another class. If a machine description has times for the codelet, any difference in operations makes another class.
/// For the repeated handles of a variadic codelet, only the rounded total of their rows matters. Not thread-safe.
class SizeClasses {
 public:
  /// Returns the class of a task, which must not be a host task. O(accesses).
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

  /// The table is used for look-ups only, and never iterated over.
  std::unordered_map<Key, SizeClassId, Hash> ids_;
  std::deque<SizeClass> classes_;
};

/// Returns the floating-point operations of a task as its codelet counts them; 0 if it does not count them, or throws.
[[nodiscard]] double flops_of(const Task& task) noexcept;

/// Returns the number of pieces of a task that begins on this worker, computed from the data in host memory. The task's
/// codelet must have pieces. Must be called in an `ExecutionScope`, because it calls the program's function. Throws
/// like `Pieces::count_of`.
[[nodiscard]] std::uint32_t piece_count_of(const Task& task, WorkerId worker);

}  // namespace troupe::graph
