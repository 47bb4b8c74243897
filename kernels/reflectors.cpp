#include "kernels/reflectors.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

#include "kernels/block_rows.hpp"
#include "kernels/fortran.hpp"
#include "kernels/loops/narrow_panel.hpp"
#include "kernels/products.hpp"

namespace troupe::kernels {

namespace {

/// Allocates pieces of a thread's work space, one after the other, each at a multiple of 64 bytes. A copy of this
/// object allocates the same elements again, so a function that gets a copy frees its pieces when it returns.
template <class T>
class Scratch {
 public:
  explicit Scratch(T* next) : next_(next) {}
  T* take(std::int64_t count) {
    T* const taken = next_;
    next_ += padded(count);
    return taken;
  }
  MatrixView<T> matrix(std::int64_t rows, std::int64_t cols) {
    return {take(rows * cols), rows, cols, std::max<std::int64_t>(rows, 1)};
  }
  [[nodiscard]] static std::int64_t padded(std::int64_t count) {
    constexpr auto kBoundary = static_cast<std::int64_t>(64 / sizeof(T));
    return (count + kBoundary - 1) / kBoundary * kBoundary;
  }

 private:
  T* next_;
};

/// Work space that is kept for the thread's next kernel. A size larger than tiles need is not kept, so that one large
/// task does not occupy the memory of a long-lived program forever.
template <class T>
class WorkSpace {
 public:
  explicit WorkSpace(std::int64_t count) {
    const auto needed = static_cast<std::size_t>(count) + 64 / sizeof(T);
    thread_local std::vector<T> kept;
    std::vector<T>& space = needed > kMostKept ? own_ : kept;
    if (space.size() < needed) space.resize(needed);
    const auto misplaced = reinterpret_cast<std::uintptr_t>(space.data()) % 64 / sizeof(T);
    first_ = space.data() + (misplaced == 0 ? 0 : 64 / sizeof(T) - misplaced);
  }
  [[nodiscard]] Scratch<T> scratch() const { return Scratch<T>(first_); }

 private:
  static constexpr std::size_t kMostKept = std::size_t{1} << 22U;

  std::vector<T> own_;
  T* first_ = nullptr;
};

/// Computes A <- op(U) A (`side` 'L') or A op(U) ('R') for an upper triangle U; the part below U is not read.
template <class T>
void multiply_upper(char side, char trans, MatrixView<const T> u, MatrixView<T> a) {
  if (a.rows == 0 || a.cols == 0) return;
  fortran::trmm(side, 'U', trans, 'N', fortran::as_int(a.rows), fortran::as_int(a.cols), T{1}, u.data,
                fortran::as_int(u.ld), a.data, fortran::as_int(a.ld));
}

/// Reflectors: the columns of [top; tail], where `top` is a unit lower triangle with its ones and zeros stored, or of
/// [I; tail], where `top` is empty.
template <class T>
struct Block {
  MatrixView<const T> top;
  MatrixView<const T> tail;
  [[nodiscard]] bool stacked() const { return top.data == nullptr; }
};

/// Makes the block's columns from V as geqrt stores it.
template <class T>
Block<T> trapezoid(MatrixView<const T> v, Scratch<T>& scratch) {
  const MatrixView<T> top = scratch.matrix(v.cols, v.cols);
  for (std::int64_t j = 0; j < v.cols; ++j) {
    std::fill_n(&top(0, j), j, T{0});
    top(j, j) = T{1};
    std::copy_n(v.data + j + 1 + j * v.ld, v.cols - j - 1, &top(0, j) + j + 1);
  }
  return {.top = constant(top), .tail = rows_below(v, v.cols)};
}
std::int64_t work_for_trapezoid(std::int64_t cols) { return cols * cols; }

/// Calls `visit(A(i, j), i, j)` for all elements of A, one small square after the other. This order is good for the
/// cache if `visit` also accesses a transposed matrix.
template <class T, class F>
void for_each_transposed(MatrixView<T> a, F visit) {
  constexpr std::int64_t kEdge = 16;
  for (std::int64_t col = 0; col < a.cols; col += kEdge) {
    for (std::int64_t row = 0; row < a.rows; row += kEdge) {
      const std::int64_t last_col = std::min(col + kEdge, a.cols);
      const std::int64_t last_row = std::min(row + kEdge, a.rows);
      for (std::int64_t i = row; i < last_row; ++i) {
        for (std::int64_t j = col; j < last_col; ++j) visit(a(i, j), i, j);
      }
    }
  }
}

/// Computes [A; B] <- (I - V op(T) V^T) [A; B] for the block V.
template <class T>
void apply(char trans, const Block<T>& v, MatrixView<const T> t, MatrixView<T> a, MatrixView<T> b, Scratch<T> scratch) {
  // Compute the transpose, ([A; B]^T V) op(T)^T, which has as many rows as B has columns. BLAS is faster for this
  // product than for V^T [A; B], which has only as many rows as an inner block has columns.
  const MatrixView<T> product = scratch.matrix(a.cols, t.cols);
  if (v.stacked()) {
    for_each_transposed(product, [&](T& element, std::int64_t i, std::int64_t j) { element = a(j, i); });
  } else {
    multiply('T', 'N', T{1}, constant(a), v.top, T{0}, product);
  }
  multiply('T', 'N', T{1}, constant(b), v.tail, T{1}, product);
  multiply_upper('R', trans == 'T' ? 'N' : 'T', t, product);
  if (v.stacked()) {
    for_each_transposed(product, [&](T& element, std::int64_t i, std::int64_t j) { a(j, i) -= element; });
  } else {
    multiply('N', 'T', T{-1}, v.top, constant(product), T{1}, a);
  }
  multiply('N', 'T', T{-1}, v.tail, constant(product), T{1}, b);
}
std::int64_t work_to_apply(std::int64_t reflectors, std::int64_t cols) { return reflectors * cols; }

/// A panel that becomes a triangle and reflectors: [head; tail] with a square head. See `factor_narrow_panel` for
/// `stacked`.
template <class T>
struct Panel {
  MatrixView<T> head;
  MatrixView<T> tail;
  bool stacked = false;

  [[nodiscard]] std::int64_t cols() const { return head.cols; }
  /// `first` returns the first `count` columns. `last` returns the columns from `from` on, without the finished rows
  /// above.
  [[nodiscard]] Panel first(std::int64_t count) const {
    if (stacked) return {part(head, 0, 0, count, count), columns_from(tail, 0, count), true};
    return {part(head, 0, 0, count, count), whole(count, 0, count), false};
  }
  [[nodiscard]] Panel last(std::int64_t from) const {
    const std::int64_t count = cols() - from;
    return {part(head, from, from, count, count), columns_from(tail, from, count), stacked};
  }
  /// Return the parts of the later columns that the reflectors of the first `count` columns change: `facing` returns
  /// the first `count` rows of the head, `below` all rows below them.
  [[nodiscard]] MatrixView<T> facing(std::int64_t count) const { return part(head, 0, count, count, cols() - count); }
  [[nodiscard]] MatrixView<T> below(std::int64_t count) const {
    return stacked ? columns_from(tail, count, cols() - count) : whole(count, count, cols() - count);
  }

 private:
  /// Returns `count` columns of the head and the tail as one block, from (`row`, `col`) on; the tail lies below.
  [[nodiscard]] MatrixView<T> whole(std::int64_t row, std::int64_t col, std::int64_t count) const {
    return {head.data + row + col * head.ld, head.rows - row + tail.rows, count, head.ld};
  }
};

template <class T>
Block<T> reflectors_of(const Panel<T>& panel, Scratch<T>& scratch) {
  if (panel.stacked) return {.top = {}, .tail = constant(panel.tail)};
  Block<T> block = trapezoid(constant(panel.head), scratch);
  block.tail = constant(panel.tail);
  return block;
}

/// Factorizes one block, whose columns share one triangular factor.
template <class T>
void factor(const Panel<T>& panel, MatrixView<T> t, Scratch<T> scratch) {
  const std::int64_t n = panel.cols();
  if (n <= kNarrowPanel) {
    T* const work = scratch.take(narrow_panel_work(panel.tail.rows, n));
    return factor_narrow_panel(panel.head, panel.tail, panel.stacked, t, work);
  }
  const std::int64_t half = (n / 2 + kNarrowPanel - 1) / kNarrowPanel * kNarrowPanel;
  const Panel<T> left = panel.first(half);
  const Panel<T> right = panel.last(half);
  const MatrixView<T> t_left = part(t, 0, 0, half, half);
  const MatrixView<T> t_right = part(t, half, half, n - half, n - half);
  factor(left, t_left, scratch);
  {
    Scratch<T> own = scratch;
    const Block<T> reflectors = reflectors_of(left, own);
    apply('T', reflectors, constant(t_left), panel.facing(half), panel.below(half), own);
  }
  factor(right, t_right, scratch);
  // Compute the block of T that couples the halves: -T_left (V_left^T V_right) T_right.
  const MatrixView<T> coupling = part(t, 0, half, half, n - half);
  if (panel.stacked) {
    multiply('T', 'N', T{-1}, constant(left.tail), constant(right.tail), T{0}, coupling);
  } else {
    const Block<T> reflectors = reflectors_of(right, scratch);
    const MatrixView<const T> facing = constant(rows_from(left.tail, 0, n - half));
    multiply('T', 'N', T{-1}, facing, reflectors.top, T{0}, coupling);
    multiply('T', 'N', T{-1}, constant(rows_below(left.tail, n - half)), reflectors.tail, T{1}, coupling);
  }
  multiply_upper('L', 'N', constant(t_left), coupling);
  multiply_upper('R', 'N', constant(t_right), coupling);
}

/// In a team of several members, one member factorizes a block, while the others apply the previous block to the later
/// columns. These columns are divided into at most `kRangesPerMember` ranges per member, of about `kFewestColumns`
/// columns or more.
constexpr std::int64_t kFewestColumns = 2 * kColumnStep;
constexpr int kRangesPerMember = 3;

/// Factorizes block by block; `t` gets the triangular factors of the blocks side by side.
template <class T>
class BlockwiseFactor {
 public:
  BlockwiseFactor(Team& team, const Panel<T>& panel, MatrixView<T> t)
      : team_(team),
        panel_(panel),
        t_(t),
        top_(panel.stacked ? 0 : static_cast<std::size_t>(work_for_trapezoid(t.rows))) {}

  void run() {
    const std::int64_t inner = t_.rows;
    const std::int64_t n = panel_.cols();
    for (std::int64_t j = 0; j < t_.cols; ++j) std::fill_n(&t_(0, j), inner, T{0});
    factor_block(0);
    for (std::int64_t first = 0; first + inner < n; first += inner) {
      const std::int64_t next = first + inner;
      const std::int64_t behind = std::min(next + inner, n);
      Scratch<T> top(top_.data());
      reflectors_ = reflectors_of(panel_.last(first).first(inner), top);
      if (team_.size() == 1) {
        bring(first, next, n);
        factor_block(next);
        continue;
      }
      const std::int64_t steps = (n - behind + kFewestColumns - 1) / kFewestColumns;
      const auto ranges =
          static_cast<int>(std::min<std::int64_t>(steps, std::int64_t{kRangesPerMember} * team_.size()));
      team_.for_each(static_cast<std::size_t>(ranges) + 1, [&](std::size_t i) {
        if (i == 0) {
          bring(first, next, behind);
          return factor_block(next);
        }
        const WorkRange own = work_range_of(n - behind, static_cast<int>(i) - 1, ranges, kColumnStep);
        bring(first, behind + own.first, behind + own.first + own.count);
      });
    }
  }

 private:
  [[nodiscard]] MatrixView<T> factor_of(std::int64_t first, std::int64_t count) const {
    return part(t_, 0, first, count, count);
  }
  void factor_block(std::int64_t first) const {
    const std::int64_t count = std::min(t_.rows, panel_.cols() - first);
    const std::int64_t rows = panel_.head.rows + panel_.tail.rows;
    const WorkSpace<T> space(narrow_panel_work(rows, kNarrowPanel) + work_for_trapezoid(t_.rows) +
                             work_to_apply(t_.rows, t_.rows) + 256);
    factor(panel_.last(first).first(count), factor_of(first, count), space.scratch());
  }
  /// Applies `reflectors_`, which belong to the block that begins at column `first`, to columns `begin` to `end` - 1 of
  /// the panel.
  void bring(std::int64_t first, std::int64_t begin, std::int64_t end) const {
    const Panel<T> rest = panel_.last(first);
    const std::int64_t inner = t_.rows;
    const WorkSpace<T> space(work_to_apply(inner, end - begin) + 256);
    const std::int64_t from = begin - first - inner;
    apply('T', reflectors_, constant(factor_of(first, inner)), columns_from(rest.facing(inner), from, end - begin),
          columns_from(rest.below(inner), from, end - begin), space.scratch());
  }

  Team& team_;
  const Panel<T> panel_;
  const MatrixView<T> t_;
  /// The reflectors of the block that is being applied to other columns, and the memory of their upper part.
  std::vector<T> top_;
  Block<T> reflectors_;
};

template <class T>
void apply_trapezoids(char trans, MatrixView<const T> v, MatrixView<const T> t, MatrixView<T> c) {
  const WorkSpace<T> space(work_for_trapezoid(t.rows) + work_to_apply(t.rows, c.cols) + 256);
  for_each_block(v.cols, t.rows, trans, [&](std::int64_t first, std::int64_t count) {
    Scratch<T> scratch = space.scratch();
    const Block<T> block = trapezoid(rows_below(columns_from(v, first, count), first), scratch);
    apply(trans, block, part(t, 0, first, count, count), rows_from(c, first, count), rows_below(c, first + count),
          scratch);
  });
}

template <class T>
void apply_stacked(char trans, MatrixView<const T> v, MatrixView<const T> t, MatrixView<T> a, MatrixView<T> b) {
  const WorkSpace<T> space(work_to_apply(t.rows, b.cols) + 256);
  for_each_block(v.cols, t.rows, trans, [&](std::int64_t first, std::int64_t count) {
    const Block<T> block{.top = {}, .tail = columns_from(v, first, count)};
    apply(trans, block, part(t, 0, first, count, count), rows_from(a, first, count), b, space.scratch());
  });
}

}  // namespace

template <class T>
void geqrt(Team& team, MatrixView<T> a, MatrixView<T> t) {
  assert(a.rows >= a.cols && t.cols == a.cols && "shapes do not fit");
  if (a.cols == 0) return;
  BlockwiseFactor<T>(team, {rows_from(a, 0, a.cols), rows_below(a, a.cols), false}, t).run();
}

template <class T>
void tpqrt(Team& team, MatrixView<T> upper, MatrixView<T> b, MatrixView<T> t) {
  assert(upper.rows >= b.cols && upper.cols >= b.cols && t.cols == b.cols && "shapes do not fit");
  if (b.cols == 0) return;
  BlockwiseFactor<T>(team, {part(upper, 0, 0, b.cols, b.cols), b, true}, t).run();
}

template <class T>
void gemqrt(Team& team, char trans, MatrixView<const T> v, MatrixView<const T> t, MatrixView<T> c) {
  assert(v.rows == c.rows && v.rows >= v.cols && t.cols == v.cols && "shapes do not fit");
  if (c.cols == 0 || v.cols == 0) return;
  split_among(team, c.cols, kColumnStep, [&](std::int64_t first, std::int64_t count) {
    apply_trapezoids(trans, v, t, columns_from(c, first, count));
  });
}

template <class T>
void tpmqrt(Team& team, char trans, MatrixView<const T> v, MatrixView<const T> t, MatrixView<T> a, MatrixView<T> b) {
  assert(v.rows == b.rows && a.rows >= v.cols && a.cols == b.cols && t.cols == v.cols && "shapes do not fit");
  if (b.rows == 0 || b.cols == 0 || v.cols == 0) return;
  split_among(team, b.cols, kColumnStep, [&](std::int64_t first, std::int64_t count) {
    apply_stacked(trans, v, t, columns_from(a, first, count), columns_from(b, first, count));
  });
}

#define TROUPE_INSTANTIATE(T)                                                                 \
  template void geqrt(Team&, MatrixView<T>, MatrixView<T>);                                   \
  template void gemqrt(Team&, char, MatrixView<const T>, MatrixView<const T>, MatrixView<T>); \
  template void tpqrt(Team&, MatrixView<T>, MatrixView<T>, MatrixView<T>);                    \
  template void tpmqrt(Team&, char, MatrixView<const T>, MatrixView<const T>, MatrixView<T>, MatrixView<T>);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::kernels
