/// The integers that a kernel computes from its item's ids, its arguments and the sizes of its launch, as far as they
/// are known before the kernel runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace troupe::opencl {

/// One node of a kernel's expressions. Its operands are earlier nodes. Its value has `bits` bits, and wraps around as
/// in the kernel.
struct Expression {
  enum class Kind : std::uint8_t {
    constant,   ///< The value is `number`.
    argument,   ///< `bits` bits of value argument number `left`, from that argument's byte `number` on.
    global_id,  ///< `left` is the dimension; also for the next five kinds.
    group_id,   ///< Counted from the first group of the whole launch.
    local_id,
    global_size,
    local_size,
    num_groups,
    add,  ///< The operands are `left` and `right`; also for the next ten kinds.
    subtract,
    multiply,
    shift_left,
    shift_right,  ///< Shifts in zeros.
    shift_right_signed,
    divide,
    divide_signed,
    remainder,
    remainder_signed,
    bit_or,
    sign_extend,  ///< The operand is `left`; also for the next two kinds.
    zero_extend,
    truncate,
  };
  Kind kind = Kind::constant;
  std::uint8_t bits = 64;
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::int64_t number = 0;

  friend bool operator==(const Expression&, const Expression&) = default;
};

/// The number of a node in one kernel.
using ExpressionId = std::int32_t;

/// The items of a launch whose ids lie in [first, first + count) in each dimension. Global ids include the launch's
/// offset.
struct ItemBox {
  std::array<std::size_t, 3> first{};
  std::array<std::size_t, 3> count{1, 1, 1};
};

/// The values on which expressions can depend, except for the item's ids. Expressions of a slice also use the values of
/// the whole launch, as the program requested it.
struct LaunchValues {
  /// The bytes of each value argument; empty for other arguments.
  std::vector<std::span<const std::byte>> arguments;
  std::array<std::size_t, 3> offset{};
  std::array<std::size_t, 3> global{1, 1, 1};
  /// The sizes of a group; zeros if the device chooses the sizes.
  std::array<std::size_t, 3> local{};
};

}  // namespace troupe::opencl
