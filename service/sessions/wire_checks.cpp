#include "service/sessions/wire_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "service/views/prometheus_text.hpp"

namespace troupe::service {

Failure violation(std::string_view field, const std::string& what) {
  return {ErrorCode::invalid_argument, fmt::format("the service ended the session, as the client's message is not what "
                                                   "the protocol says: {}: {}",
                                                   field, what)};
}

Result<void> check_name(std::string_view field, const std::string& name) {
  if (name.size() > kLongestName) {
    return violation(field, fmt::format("a name of {} bytes; {} are the most", name.size(), kLongestName));
  }
  if (valid_text(name) != name) return violation(field, "a name that is no UTF-8");
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control)) {
    return violation(field, "a name with control characters");
  }
  return {};
}

Result<AccessMode> check_mode(std::string_view field, int value) {
  switch (value) {
    case v1::READ: return AccessMode::read;
    case v1::WRITE: return AccessMode::write;
    case v1::READ_WRITE: return AccessMode::read_write;
    case v1::COMMUTE: return AccessMode::commute;
    case v1::REDUCE: return AccessMode::reduce;
    default: return violation(field, fmt::format("there is no access mode {}", value));
  }
}

namespace {

std::int64_t planes_of(const v1::RegisterData& data) { return data.has_planes() ? data.planes() : 1; }

/// Checks that the bytes of data can be counted, and that their planes do not overlap. No size is negative.
Result<void> check_size(const v1::RegisterData& data) {
  const std::int64_t planes = planes_of(data);
  std::int64_t plane = 0;
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(data.ld(), std::max<std::int64_t>(data.cols(), 1), &plane) ||
      __builtin_mul_overflow(plane, static_cast<std::int64_t>(data.element_size()), &bytes)) {
    return violation("register_data.cols", fmt::format("{} columns, {} elements apart, are more than can be counted",
                                                       data.cols(), data.ld()));
  }
  const std::int64_t stride = std::max(plane, data.plane_stride());
  if (__builtin_mul_overflow(stride, std::max<std::int64_t>(planes, 1), &bytes) ||
      __builtin_mul_overflow(bytes, static_cast<std::int64_t>(data.element_size()), &bytes)) {
    return violation("register_data.planes",
                     fmt::format("{} planes, {} elements apart, are more than can be counted", planes, stride));
  }
  if (planes > 1 && data.cols() > 0 && data.plane_stride() < plane - data.ld() + data.rows()) {
    return violation("register_data.plane_stride", fmt::format("planes of {} x {} elements, {} apart, overlap",
                                                               data.rows(), data.cols(), data.plane_stride()));
  }
  return {};
}

/// The numbers of rows, columns and planes are limited even for data without elements, because kernels loop over empty
/// rows, columns and planes, too.
Result<void> check_empty(const v1::RegisterData& data) {
  constexpr std::int64_t kMostEmpty = 1 << 24;
  const std::array sizes{data.rows(), data.cols(), planes_of(data)};
  if (std::ranges::find(sizes, 0) == sizes.end()) return {};
  std::int64_t loops = 1;
  for (const std::int64_t size : sizes) {
    if (size > kMostEmpty) loops = kMostEmpty + 1;
    if (loops <= kMostEmpty) loops *= std::max<std::int64_t>(size, 1);
  }
  if (loops <= kMostEmpty) return {};
  return violation("register_data.cols",
                   fmt::format("{} x {} x {} elements: data without elements may have {} rows, columns and planes, "
                               "multiplied as far as they are not 0",
                               sizes[0], sizes[1], sizes[2], kMostEmpty));
}

}  // namespace

Result<Layout> check_layout(const v1::RegisterData& data) {
  if (data.rows() < 0) return violation("register_data.rows", fmt::format("{} is negative", data.rows()));
  if (data.cols() < 0) return violation("register_data.cols", fmt::format("{} is negative", data.cols()));
  if (data.planes() < 0) return violation("register_data.planes", fmt::format("{} is negative", data.planes()));
  if (data.ld() < std::max<std::int64_t>(data.rows(), 1)) {
    return violation("register_data.ld", fmt::format("{} is below the {} rows, or 1", data.ld(), data.rows()));
  }
  if (data.plane_stride() < 0) {
    return violation("register_data.plane_stride", fmt::format("{} is negative", data.plane_stride()));
  }
  if (data.element_size() == 0 || data.element_size() > kLargestElement) {
    return violation("register_data.element_size",
                     fmt::format("{} bytes; 1 to {} can be", data.element_size(), kLargestElement));
  }
  if (auto countable = check_size(data); !countable) return countable.failure();
  if (auto short_loops = check_empty(data); !short_loops) return short_loops.failure();
  return Layout{data.rows(),        data.cols(),     data.ld(),          data.element_size(),
                data.element_tag(), planes_of(data), data.plane_stride()};
}

Block block_of(const v1::Block& block) {
  return {block.row(),
          block.col(),
          block.rows(),
          block.cols(),
          block.plane(),
          block.has_planes() ? block.planes() : 1,
          block.has_col_step() ? block.col_step() : 1,
          block.has_plane_step() ? block.plane_step() : 1};
}

Bytes extent_of(const Layout& layout) { return {static_cast<std::uint64_t>(layout.extent()) * layout.element_size}; }

std::uint64_t alignment_of(std::uint32_t element_size) {
  constexpr std::uint32_t kMost = 16;
  return std::min(element_size & (~element_size + 1), kMost);
}

void fill(v1::Problem& problem, const Failure& failure) {
  problem.set_code(to_string(failure.code));
  // The text may come from a kernel and may not be valid UTF-8.
  problem.set_message(valid_text(failure.message));
}

}  // namespace troupe::service
