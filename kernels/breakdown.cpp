#include "kernels/breakdown.hpp"

#include <string>

#include "troupe/errors.hpp"

namespace troupe::kernels {

void not_positive_definite(std::int64_t row) {
  throw Error(ErrorCode::numerical, "the matrix is not positive definite: its leading minor of order " +
                                        std::to_string(row) + " is not positive");
}

namespace {

std::string zero_pivot(std::int64_t row) {
  return "the matrix is singular: pivot " + std::to_string(row) + " is exactly zero";
}

}  // namespace

void singular(std::int64_t row) { throw Error(ErrorCode::numerical, zero_pivot(row)); }

void not_finite(std::int64_t column) {
  throw Error(ErrorCode::numerical, "the matrix has an element in column " + std::to_string(column) +
                                        " that is NaN or infinite, which this GPU's library would lose without a word");
}

void singular_or_no_number(std::int64_t row) {
  throw Error(ErrorCode::numerical, zero_pivot(row) + ", or is no number (this GPU's library takes it for zero)");
}

}  // namespace troupe::kernels
