/// Checks of single fields that a client sent, and the failures that name them.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "troupe/access.hpp"
#include "troupe/errors.hpp"
#include "troupe/layout.hpp"
#include "troupe/units.hpp"

namespace troupe::service {

/// Longest names, in bytes, and most codelets that a session may open: what people choose is shorter.
inline constexpr std::size_t kLongestName = 256;
inline constexpr std::size_t kMostCodelets = 65'536;
inline constexpr std::uint32_t kLargestElement = 1U << 20U;

/// Why a session ends: a field does not hold what the protocol says. `field` as in the .proto: "register_data.rows".
[[nodiscard]] Failure violation(std::string_view field, const std::string& what);

[[nodiscard]] Result<void> check_name(std::string_view field, const std::string& name);
/// `value` of a `v1::AccessMode`, which a client may fill with any number.
[[nodiscard]] Result<AccessMode> check_mode(std::string_view field, int value);
/// A layout whose sizes can be: not negative, a leading dimension of at least the rows, bytes that can be counted.
[[nodiscard]] Result<Layout> check_layout(const v1::RegisterData& data);
/// Returns the distance from the first byte of the first column to the last byte of the last one, for a layout that was
/// checked.
[[nodiscard]] Bytes extent_of(const Layout& layout);
/// Returns the alignment of an element's address: the largest power of two that divides its size, at most 16.
[[nodiscard]] std::uint64_t alignment_of(std::uint32_t element_size);

void fill(v1::Problem& problem, const Failure& failure);

}  // namespace troupe::service
