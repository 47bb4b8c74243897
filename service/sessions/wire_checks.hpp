/// Checks of single fields that a client sent, and failures that name the field.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "troupe/access.hpp"
#include "troupe/data.hpp"
#include "troupe/errors.hpp"
#include "troupe/layout.hpp"
#include "troupe/units.hpp"

namespace troupe::service {

/// The limits for a name in bytes, for the codelets that a session may open, and for an element in bytes. Names that
/// people choose are shorter.
inline constexpr std::size_t kLongestName = 256;
inline constexpr std::size_t kMostCodelets = 65'536;
inline constexpr std::uint32_t kLargestElement = 1U << 20U;

/// Returns the failure that ends a session because a field breaks the protocol. `field` is named as in the .proto file:
/// "register_data.rows".
[[nodiscard]] Failure violation(std::string_view field, const std::string& what);

[[nodiscard]] Result<void> check_name(std::string_view field, const std::string& name);
/// Checks the `value` of a `v1::AccessMode`, which a client may fill with any number.
[[nodiscard]] Result<AccessMode> check_mode(std::string_view field, int value);
/// Checks sizes and returns them as a layout: no size is negative, the leading dimension is at least the number of
/// rows, planes do not overlap, and the number of bytes fits into its type.
[[nodiscard]] Result<Layout> check_layout(const v1::RegisterData& data);
/// Returns the block as the client describes it, which need not lie inside of its whole.
[[nodiscard]] Block block_of(const v1::Block& block);
/// Returns the distance in bytes from the first byte of the first column to the end of the last column, for a checked
/// layout.
[[nodiscard]] Bytes extent_of(const Layout& layout);
/// Returns the alignment of an element's address: the largest power of two that divides its size, at most 16.
[[nodiscard]] std::uint64_t alignment_of(std::uint32_t element_size);

void fill(v1::Problem& problem, const Failure& failure);

}  // namespace troupe::service
