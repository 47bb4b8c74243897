/// QR of a few columns: the rest of a QR factorization that matrix products cannot do.
#pragma once

#include <cstdint>

#include "troupe/layout.hpp"

namespace troupe::kernels {

/// The most columns of `factor_narrow_panel`.
constexpr std::int64_t kNarrowPanel = 8;

/// The number of elements of work space that `factor_narrow_panel` needs, on a boundary of 64 bytes.
std::int64_t narrow_panel_work(std::int64_t rows_of_tail, std::int64_t cols);

/// QR of [H; B], where `head` H is square and has at most `kNarrowPanel` columns, to R in the upper triangle of H and
/// the triangular factor of the block reflector in the upper triangle of `t`. `stacked`: only the upper triangle of H
/// is read and written, and the reflectors are [I; B], as tpqrt has them. Otherwise they are unit lower triangular in
/// H, as geqrt has them.
///
/// One pass over B for each column, in blocks of rows in their order: it applies a reflector, and finds the length of
/// the next column and its products with all the others on the way.
template <class T>
void factor_narrow_panel(MatrixView<T> head, MatrixView<T> tail, bool stacked, MatrixView<T> t, T* work);

}  // namespace troupe::kernels
