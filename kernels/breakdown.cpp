#include "kernels/breakdown.hpp"

#include <string>

#include "proto/errors.hpp"

namespace troupe::kernels {

void not_positive_definite(std::int64_t row) {
  throw Error(ErrorCode::numerical, "the matrix is not positive definite: its leading minor of order " +
                                        std::to_string(row) + " is not positive");
}

void singular(std::int64_t row) {
  throw Error(ErrorCode::numerical, "the matrix is singular: pivot " + std::to_string(row) + " is exactly zero");
}

}  // namespace troupe::kernels
