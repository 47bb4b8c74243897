/// The facts about a kernel's accesses to the memory of its arguments, found in the compiler's intermediate code.
///
/// All facts are proven, never guessed: code that the reader does not understand counts as an access of any kind to any
/// byte. The facts do not say whether two arguments are the same buffer; the caller has to check that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opencl/analysis/expression.hpp"

namespace troupe::opencl {

/// The bytes [begin, end), counted from the byte that the argument points to.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] bool empty() const { return begin >= end; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct KernelFacts {
  /// A comparison of two numbers of equal width. It is true whenever the access that has this condition happens.
  struct Condition {
    enum class Relation : std::uint8_t { equal, less, less_or_equal };
    Relation relation = Relation::equal;
    bool is_signed = false;
    ExpressionId left = 0;
    ExpressionId right = 0;
    friend bool operator==(const Condition&, const Condition&) = default;
  };
  /// A load or store in the code. `offset` is the distance of its first byte from the argument's address.
  struct Access {
    ExpressionId offset = 0;
    /// `size` is the number of bytes that the access may touch. `certain_size` is the number of bytes, counted from the
    /// first, that the access certainly touches if it happens.
    std::uint32_t size = 0;
    std::uint32_t certain_size = 0;
    /// The access happens only in items for which all of these conditions hold.
    std::vector<Condition> conditions;
    /// True if the access happens in every item for which the conditions hold.
    bool certain = false;
  };
  struct Argument {
    /// `reads` is false if the kernel never reads the memory through this argument, `writes` if the kernel never writes
    /// it.
    bool reads = true;
    bool writes = true;
    /// `knows_loads` is true if `loads` lists every load through this argument, `knows_stores` if `stores` lists every
    /// store.
    bool knows_loads = false;
    bool knows_stores = false;
    std::vector<Access> loads;
    std::vector<Access> stores;
  };
  /// True, by dimension, for each of these built-in functions that the kernel calls. In a slice of a launch they must
  /// return the values of the whole launch.
  struct Questions {
    std::array<bool, 3> global_size{};
    std::array<bool, 3> num_groups{};
    std::array<bool, 3> group_id{};
    friend bool operator==(const Questions&, const Questions&) = default;
  };

  std::string name;
  std::vector<Argument> arguments;
  Questions asks;
  /// True, by dimension, if a launch can be split along this dimension. The launch is cut into slices at borders of
  /// groups. Each slice runs on a device with memory of its own, and the functions in `asks` return the values of the
  /// whole launch. The bytes that each slice may store (`stored_bytes`) are then copied to one place. The result equals
  /// that of the whole launch if these ranges of bytes are known and no two of them overlap. The caller must check this
  /// for each launch.
  ///
  /// False if the kernel has global atomics, volatile accesses, global fences, printf, images or calls of unknown
  /// functions; if it calls get_global_offset; if it stores to an unknown place, or to the same place for all ids of
  /// the dimension; or if it loads from an argument that it stores to, unless an item loads only from the place of its
  /// own store.
  std::array<bool, 3> can_split{};
  /// The reason why the launch cannot be split along any dimension, in words; empty if it can be split along at least
  /// one.
  std::string refusal;
  std::vector<Expression> expressions;
};

/// Returns the bytes that items of the box may store through the argument; an empty range if there are none. The range
/// can go beyond the buffer if a condition that is not understood keeps items from storing there. Returns nothing if
/// the range is not known.
[[nodiscard]] std::optional<ByteRange> stored_bytes(const KernelFacts& facts, std::size_t argument,
                                                    const ItemBox& items, const LaunchValues& values);

/// Returns the bytes that items of the box may load through the argument. The rules are those of `stored_bytes`.
[[nodiscard]] std::optional<ByteRange> loaded_bytes(const KernelFacts& facts, std::size_t argument,
                                                    const ItemBox& items, const LaunchValues& values);

/// Returns true if all bytes of `stored_bytes` are certainly written when the items of the box have run. Even then the
/// old content is needed if the kernel also reads the argument (`reads`), because the kernel may write old values back.
[[nodiscard]] bool stores_all(const KernelFacts& facts, std::size_t argument, const ItemBox& items,
                              const LaunchValues& values);

}  // namespace troupe::opencl
