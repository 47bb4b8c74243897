#include "service/sessions/wire_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

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

Result<Layout> check_layout(const v1::RegisterData& data) {
  if (data.rows() < 0) return violation("register_data.rows", fmt::format("{} is negative", data.rows()));
  if (data.cols() < 0) return violation("register_data.cols", fmt::format("{} is negative", data.cols()));
  if (data.ld() < std::max<std::int64_t>(data.rows(), 1)) {
    return violation("register_data.ld", fmt::format("{} is below the {} rows, or 1", data.ld(), data.rows()));
  }
  if (data.element_size() == 0 || data.element_size() > kLargestElement) {
    return violation("register_data.element_size",
                     fmt::format("{} bytes; 1 to {} can be", data.element_size(), kLargestElement));
  }
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(data.ld(), std::max<std::int64_t>(data.cols(), 1), &bytes) ||
      __builtin_mul_overflow(bytes, static_cast<std::int64_t>(data.element_size()), &bytes)) {
    return violation("register_data.cols", fmt::format("{} columns, {} elements apart, are more than can be counted",
                                                       data.cols(), data.ld()));
  }
  // The number of rows or columns is limited even for data without elements, because kernels loop over empty rows and
  // columns, too.
  constexpr std::int64_t kMostEmpty = 1 << 24;
  if ((data.rows() == 0 || data.cols() == 0) && std::max(data.rows(), data.cols()) > kMostEmpty) {
    return violation("register_data.cols", fmt::format("{} x {} elements: data without elements may have {} rows or "
                                                       "columns",
                                                       data.rows(), data.cols(), kMostEmpty));
  }
  return Layout{data.rows(), data.cols(), data.ld(), data.element_size(), data.element_tag()};
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
