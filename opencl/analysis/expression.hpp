/// The integers that a kernel computes from its item's ids, its arguments and the sizes of its launch, as far as they
/// can be determined before it runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace troupe::opencl {

/// One node of a kernel's expressions; its operands come before it. Values wrap around at `bits`, as in the kernel.
struct Expression {
  enum class Kind : std::uint8_t {
    constant,   ///< `number`
    argument,   ///< `bits` bits of the value that is argument `left`, from its byte `number` on
    global_id,  ///< the id in dimension `left`, as for the next kinds
    group_id,   ///< counted from the first group of the launch that the program asked for
    local_id,
    global_size,
    local_size,
    num_groups,
    add,  ///< its operands are `left` and `right`, as for the next kinds
    subtract,
    multiply,
    shift_left,
    shift_right,  ///< shifts in zeros
    shift_right_signed,
    divide,
    divide_signed,
    remainder,
    remainder_signed,
    bit_or,
    sign_extend,  ///< its operand is `left`, as for the next kinds
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

/// The values besides the item's ids on which expressions can depend. They belong to the whole launch that the program
/// asked for.
struct LaunchValues {
  /// The bytes of each value argument; empty for other arguments.
  std::vector<std::span<const std::byte>> arguments;
  std::array<std::size_t, 3> offset{};
  std::array<std::size_t, 3> global{1, 1, 1};
  /// The sizes of a group; zeros if the device chooses them.
  std::array<std::size_t, 3> local{};
};

}  // namespace troupe::opencl
