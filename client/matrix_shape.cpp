#include "client/matrix_shape.hpp"

#include <algorithm>
#include <string>

#include "troupe/errors.hpp"

namespace troupe::client {

void check_matrix_shape(std::int64_t rows, std::int64_t cols, std::int64_t ld, std::size_t element_size) {
  // Each registration calls this function, so the text is made only in case of an error.
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

void check_volume_shape(const VolumeShape& shape, std::size_t element_size) {
  const auto which = [&shape] {
    return "a volume of " + std::to_string(shape.rows) + " x " + std::to_string(shape.cols) + " x " +
           std::to_string(shape.planes) + " with ld " + std::to_string(shape.ld) + " and plane_stride " +
           std::to_string(shape.plane_stride) + " (0: without gaps)";
  };
  const bool positive = shape.rows >= 0 && shape.cols >= 0 && shape.planes >= 0;
  if (!positive || shape.plane_stride < 0 || (shape.ld != 0 && shape.ld < std::max<std::int64_t>(shape.rows, 1))) {
    throw Error(ErrorCode::invalid_argument,
                which() + ": sizes must not be negative, and ld at least the rows and 1, or 0");
  }
  const std::int64_t ld = shape.ld != 0 ? shape.ld : std::max<std::int64_t>(shape.rows, 1);
  std::int64_t plane = 0;
  std::int64_t size = 0;
  bool too_large = __builtin_mul_overflow(ld, shape.cols, &plane);
  const std::int64_t stride = shape.plane_stride != 0 ? shape.plane_stride : plane;
  too_large = too_large || __builtin_mul_overflow(std::max(stride, plane), shape.planes, &size) ||
              __builtin_mul_overflow(size, element_size, &size);
  if (too_large) throw Error(ErrorCode::invalid_argument, which() + " is too large for any memory");
  if (shape.planes > 1 && shape.cols > 0 && stride < plane - ld + shape.rows) {
    throw Error(ErrorCode::invalid_argument,
                which() + ": planes would overlap, let plane_stride be " + std::to_string(plane) + " or more");
  }
}

}  // namespace troupe::client
