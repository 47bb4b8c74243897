/// Strongly typed identifiers: one template, and one tag per kind of object.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace troupe {

/// An identifier that converts neither to nor from any other kind of identifier. Ids of one kind start at zero and have
/// no gaps, so `index()` may address a vector.
template <class Tag, class Value = std::uint32_t>
class StrongId {
 public:
  using value_type = Value;

  /// Makes the invalid id, which is different from the id of every object.
  constexpr StrongId() = default;
  constexpr explicit StrongId(Value value) : value_(value) {}

  [[nodiscard]] constexpr Value value() const { return value_; }
  [[nodiscard]] constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }
  [[nodiscard]] constexpr bool valid() const { return value_ != std::numeric_limits<Value>::max(); }

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy takes the zero of the comparisons made here for a pointer.
  friend constexpr auto operator<=>(StrongId, StrongId) = default;

 private:
  Value value_ = std::numeric_limits<Value>::max();
};

using TaskId = StrongId<struct TaskTag, std::uint64_t>;
using HandleId = StrongId<struct HandleTag, std::uint64_t>;
using CodeletId = StrongId<struct CodeletTag>;
using WorkerId = StrongId<struct WorkerTag>;
/// A memory node: host memory or the memory of a GPU.
using NodeId = StrongId<struct NodeTag>;
/// A class of tasks that are expected to take equally long.
using SizeClassId = StrongId<struct SizeClassTag>;
/// A NUMA node of the host. Only nodes that have workers have such an id.
using NumaId = StrongId<struct NumaTag, std::uint16_t>;

}  // namespace troupe

template <class Tag, class Value>
struct std::hash<troupe::StrongId<Tag, Value>> {
  std::size_t operator()(troupe::StrongId<Tag, Value> id) const noexcept { return std::hash<Value>{}(id.value()); }
};
