/// LU with partial pivoting of a few columns in a team: what is left of a panel when matrix products have done the
/// rest.
#pragma once

#include <cstdint>
#include <span>

#include "graph/codelets/layout.hpp"
#include "graph/codelets/team.hpp"

namespace troupe::kernels {

/// The most columns of `factor_columns`.
constexpr std::int64_t kFewColumns = 16;

/// As `factor_panel`, column by column. Each member has rows of its own: it finds the largest element of a column among
/// them, and takes the column off them.
template <class T>
int factor_columns(Team& team, MatrixView<T> a, std::span<int> pivots);

}  // namespace troupe::kernels
