/// LU with partial pivoting of a few columns in a team: the rest of a panel that matrix products cannot do.
#pragma once

#include <cstdint>
#include <span>

#include "troupe/layout.hpp"
#include "troupe/team.hpp"

namespace troupe::kernels {

/// The most columns of `factor_columns`.
constexpr std::int64_t kFewColumns = 16;

/// Factorizes as `factor_panel` does, column by column. Each member has rows of its own: it finds the largest element
/// of a column among them, and subtracts the column from the ones after it there.
template <class T>
int factor_columns(Team& team, MatrixView<T> a, std::span<int> pivots);

}  // namespace troupe::kernels
