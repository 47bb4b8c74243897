/// QR of a few columns: the step of a QR factorization that cannot be done by matrix products.
#pragma once

#include <cstdint>

#include "troupe/layout.hpp"

namespace troupe::kernels {

/// The largest number of columns of `factor_narrow_panel`.
constexpr std::int64_t kNarrowPanel = 8;

/// Returns the number of elements of work space that `factor_narrow_panel` needs. The work space must begin at a
/// multiple of 64 bytes.
std::int64_t narrow_panel_work(std::int64_t rows_of_tail, std::int64_t cols);

/// Computes the QR factorization of [H; B], where `head` H is square and has at most `kNarrowPanel` columns. R is
/// stored in the upper triangle of H, and the triangular factor of the block reflector in the upper triangle of `t`. If
/// `stacked` is true, only the upper triangle of H is read and written, and the reflectors are [I; B], as in tpqrt.
/// Otherwise the part of the reflectors in H is unit lower triangular, as in geqrt.
///
/// The function makes one pass over B for each column. The pass applies a reflector, and also computes the length of
/// the next column and its products with all other columns.
template <class T>
void factor_narrow_panel(MatrixView<T> head, MatrixView<T> tail, bool stacked, MatrixView<T> t, T* work);

}  // namespace troupe::kernels
