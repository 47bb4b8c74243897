#include "client/matrix_shape.hpp"

#include <algorithm>
#include <string>

#include "troupe/errors.hpp"

namespace troupe::client {

void check_matrix_shape(std::int64_t rows, std::int64_t cols, std::int64_t ld, std::size_t element_size) {
  // Each registration passes here, so the text is made only where it is needed.
  const auto which = [=] {
    return "a matrix of " + std::to_string(rows) + " x " + std::to_string(cols) + " with leading dimension " +
           std::to_string(ld);
  };
  if (rows < 0 || cols < 0 || ld < std::max<std::int64_t>(rows, 1)) {
    throw Error(ErrorCode::invalid_argument,
                which() + ": sizes must not be negative, and the leading dimension at least the rows and 1");
  }
  std::int64_t size = 0;
  if (__builtin_mul_overflow(ld, cols, &size) || __builtin_mul_overflow(size, element_size, &size)) {
    throw Error(ErrorCode::invalid_argument, which() + " is too large for any memory");
  }
}

}  // namespace troupe::client
