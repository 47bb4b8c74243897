/// LU with partial pivoting of a few columns in a team: the step that cannot be done by matrix products.
#pragma once

#include <cstdint>
#include <span>

#include "troupe/layout.hpp"
#include "troupe/team.hpp"

namespace troupe::kernels {

/// The largest number of columns of `factor_columns`.
constexpr std::int64_t kFewColumns = 16;

/// Factorizes as `factor_panel` (kernels/factor.hpp) does, column by column. Each member of the team has rows of its
/// own. In its rows the member finds the largest element of a column, and subtracts multiples of the column from the
/// later columns.
template <class T>
int factor_columns(Team& team, MatrixView<T> a, std::span<int> pivots);

}  // namespace troupe::kernels
