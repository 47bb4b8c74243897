/// What the compiler's intermediate code says of a kernel's accesses to the memory of its arguments.
///
/// All of it is proven, never guessed: what the code's reader does not understand counts as an access of any kind to
/// any byte. Not known here: whether two arguments are the same buffer. That is the caller's to see.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opencl/analysis/expression.hpp"

namespace troupe::opencl {

/// [begin, end), counted from the byte that the argument points to.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] bool empty() const { return begin >= end; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct KernelFacts {
  /// A comparison of two numbers of equal width, which holds where the access happens.
  struct Condition {
    enum class Relation : std::uint8_t { equal, less, less_or_equal };
    Relation relation = Relation::equal;
    bool is_signed = false;
    ExpressionId left = 0;
    ExpressionId right = 0;
    friend bool operator==(const Condition&, const Condition&) = default;
  };
  /// A load or store in the code. `offset`: of its first byte, from where the argument points to.
  struct Access {
    ExpressionId offset = 0;
    /// How many bytes it may touch, and how many of them, from the first on, it does if it happens.
    std::uint32_t size = 0;
    std::uint32_t certain_size = 0;
    /// It happens in those items only in which all of these hold.
    std::vector<Condition> conditions;
    /// It happens in each of those.
    bool certain = false;
  };
  struct Argument {
    /// False: its memory is never read, or written, through this argument.
    bool reads = true;
    bool writes = true;
    /// False: there are loads, or stores, that `loads`, or `stores`, does not list.
    bool knows_loads = false;
    bool knows_stores = false;
    std::vector<Access> loads;
    std::vector<Access> stores;
  };
  /// What the kernel asks, by dimension: a launch in chunks must be given the whole launch's answers.
  struct Questions {
    std::array<bool, 3> global_size{};
    std::array<bool, 3> num_groups{};
    std::array<bool, 3> group_id{};
    friend bool operator==(const Questions&, const Questions&) = default;
  };

  std::string name;
  std::vector<Argument> arguments;
  Questions asks;
  /// By dimension: chunks of a launch along it, cut at borders of groups, each on a device with memory of its own and
  /// the answers to `asks` as in the whole launch, give what the launch gives when the bytes that each chunk may store
  /// (`stored_bytes`) are copied together. For the launches in which those ranges are known and no two overlap: that is
  /// to be asked for each launch. False where the kernel has global atomics, volatile accesses, global fences, printf,
  /// images or calls of unknown functions, asks for the offset, stores to somewhere unknown or to the same place for
  /// all ids of the dimension, or loads from an argument that it stores to, unless the item has it from its own store's
  /// place.
  std::array<bool, 3> can_split{};
  /// Why it cannot be split along any dimension, in words; empty where it can along some.
  std::string refusal;
  std::vector<Expression> expressions;
};

/// What items of the box may store through the argument; empty where nothing. Can reach beyond the buffer: where a
/// condition that is not understood keeps items from storing there. Nothing where it is not known.
[[nodiscard]] std::optional<ByteRange> stored_bytes(const KernelFacts& facts, std::size_t argument,
                                                    const ItemBox& items, const LaunchValues& values);

/// The same of loads.
[[nodiscard]] std::optional<ByteRange> loaded_bytes(const KernelFacts& facts, std::size_t argument,
                                                    const ItemBox& items, const LaunchValues& values);

/// All bytes of `stored_bytes` are certain to be written when the items of the box have run. Where the argument is
/// read, too (`reads`), some may be written with what they were: then what was there still matters.
[[nodiscard]] bool stores_all(const KernelFacts& facts, std::size_t argument, const ItemBox& items,
                              const LaunchValues& values);

}  // namespace troupe::opencl
