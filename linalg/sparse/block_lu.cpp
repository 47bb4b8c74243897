#include "linalg/sparse/block_lu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "graph/tasks/upward_ranks.hpp"
#include "kernels/blas_threads.hpp"
#include "kernels/breakdown.hpp"
#include "kernels/sparse/super_block_steps.hpp"

namespace troupe::linalg {
namespace {

using kernels::BlockMask;

/// The super-blocks of a pattern that have at least one full block.
class SuperPattern {
 public:
  struct Element {
    int index;
    BlockMask mask;
  };

  SuperPattern(const BlockPattern& pattern, int side) : side_(side) {
    const int supers = (pattern.blocks() + side - 1) / side;
    rows_.resize(static_cast<std::size_t>(supers));
    columns_.resize(rows_.size());
    std::vector<BlockMask> masks(rows_.size());
    for (int row = 0; row < supers; ++row) {
      std::ranges::fill(masks, 0);
      for (int i = 0; i < side && row * side + i < pattern.blocks(); ++i) {
        pattern.for_row(row * side + i, 0,
                        [&](int j) { masks[at(j / side)] |= kernels::block_bit(i, j % side, side); });
      }
      first_.push_back(count_);
      for (int col = 0; col < supers; ++col) {
        if (masks[at(col)] == 0) continue;
        ++count_;
        rows_[at(row)].push_back({col, masks[at(col)]});
        columns_[at(col)].push_back({row, masks[at(col)]});
      }
    }
  }

  [[nodiscard]] int supers() const { return static_cast<int>(rows_.size()); }
  [[nodiscard]] const std::vector<Element>& row(int i) const { return rows_[at(i)]; }
  [[nodiscard]] const std::vector<Element>& column(int j) const { return columns_[at(j)]; }
  [[nodiscard]] BlockMask mask(int i, int j) const {
    const auto found = find(i, j);
    return found != row(i).end() && found->index == j ? found->mask : 0;
  }
  /// Returns the number of a super-block that has full blocks. Such super-blocks are numbered from 0, row by row.
  [[nodiscard]] std::size_t place(int i, int j) const {
    return first_[at(i)] + static_cast<std::size_t>(find(i, j) - row(i).begin());
  }
  /// Returns true if the product of two super-blocks changes a full block of a third super-block.
  [[nodiscard]] bool meet(BlockMask a, BlockMask b, BlockMask c) const {
    return c != 0 && kernels::product_flops(a, b, c, side_, 1) > 0;
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  [[nodiscard]] std::vector<Element>::const_iterator find(int i, int j) const {
    return std::ranges::lower_bound(row(i), j, {}, &Element::index);
  }

  int side_;
  std::size_t count_ = 0;
  /// The number of the first super-block of each row.
  std::vector<std::size_t> first_;
  std::vector<std::vector<Element>> rows_;
  std::vector<std::vector<Element>> columns_;
};

/// Calls `use(step)` for all steps of the factorization, in order.
template <class F>
void for_each_step(const SuperPattern& pattern, F use) {
  using Kind = BlockStep::Kind;
  for (int k = 0; k < pattern.supers(); ++k) {
    use(BlockStep{Kind::diagonal, k, k, k});
    const auto after = [k](const std::vector<SuperPattern::Element>& all) {
      const auto first = std::ranges::upper_bound(all, k, {}, &SuperPattern::Element::index);
      return std::span(first, all.end());
    };
    const auto below = after(pattern.column(k));
    const auto right = after(pattern.row(k));
    // Merge both lists in the order of their indices.
    auto next = right.begin();
    for (const SuperPattern::Element& of : below) {
      for (; next != right.end() && next->index < of.index; ++next) use(BlockStep{Kind::upper, k, next->index, k});
      use(BlockStep{Kind::lower, of.index, k, k});
    }
    for (; next != right.end(); ++next) use(BlockStep{Kind::upper, k, next->index, k});
    for (const SuperPattern::Element& to : right) {
      for (const SuperPattern::Element& of : below) {
        if (pattern.meet(of.mask, to.mask, pattern.mask(of.index, to.index))) {
          use(BlockStep{Kind::product, of.index, to.index, k});
        }
      }
    }
  }
}

/// Estimates the time of each step, in seconds on a typical machine. Solves and small factorizations are slower than
/// products.
class StepCosts {
 public:
  StepCosts(const SuperPattern& pattern, const BlockCut& cut) : pattern_(pattern), cut_(cut) {}

  [[nodiscard]] double of(const BlockStep& step) const {
    constexpr double kSolveSpeed = 0.8;
    constexpr double kDiagonalSpeed = 0.5;
    const int side = cut_.side;
    const std::int64_t block = cut_.block;
    const BlockMask d = mask(step.k, step.k);
    switch (step.kind) {
      case BlockStep::Kind::diagonal: return kernels::factorization_flops(d, side, block) / kDiagonalSpeed;
      case BlockStep::Kind::lower:
        return kernels::upper_solve_flops(d, mask(step.row, step.k), side, block) / kSolveSpeed;
      case BlockStep::Kind::upper:
        return kernels::lower_solve_flops(d, mask(step.k, step.col), side, block) / kSolveSpeed;
      case BlockStep::Kind::product:
        return kernels::product_flops(mask(step.row, step.k), mask(step.k, step.col), mask(step.row, step.col), side,
                                      block);
    }
    return 0;
  }

 private:
  [[nodiscard]] BlockMask mask(int row, int col) const { return pattern_.mask(row, col); }

  const SuperPattern& pattern_;
  const BlockCut cut_;
};

template <class T>
std::vector<int> priorities_of(const BlockMatrix<T>& a, const std::vector<BlockStep>& steps) {
  return block_lu_priorities(a.pattern(), a.cut(), steps);
}

/// The ranks of the steps on a matrix with a given cut.
struct StepRanks {
  UpwardRanks ranks;
  /// The sum of the costs of all steps.
  double work = 0;
};

StepRanks ranks_of(const BlockPattern& pattern, const BlockCut& cut, const std::vector<BlockStep>& steps) {
  const SuperPattern supers(pattern, cut.side);
  const StepCosts costs(supers, cut);
  StepRanks result;
  const auto use = [&](int row, int col, bool writes) { return UpwardRanks::Use{supers.place(row, col), writes}; };
  for (const BlockStep& step : steps) {
    std::vector<UpwardRanks::Use> uses{use(step.row, step.col, true)};
    if (step.kind == BlockStep::Kind::product) {
      uses.push_back(use(step.row, step.k, false));
      uses.push_back(use(step.k, step.col, false));
    } else if (step.kind != BlockStep::Kind::diagonal) {
      uses.push_back(use(step.k, step.k, false));
    }
    const double cost = costs.of(step);
    result.ranks.add(cost, uses);
    result.work += cost;
  }
  return result;
}

/// Computes priorities as if `group` x `group` super-blocks were one super-block, so that all steps on such a group
/// have the same rank.
std::vector<int> priorities_by_group(const BlockPattern& pattern, const BlockCut& cut, int group,
                                     const std::vector<BlockStep>& steps) {
  constexpr std::size_t kMostPriorities = 1000;
  using Place = std::array<int, 3>;
  const BlockCut coarse{cut.block, cut.side * group};
  const std::vector<BlockStep> groups = block_lu_steps(pattern, coarse.side);
  const std::vector<double> ranks = ranks_of(pattern, coarse, groups).ranks.ranks();
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::less<>(), [&](std::size_t i) { return ranks[i]; });
  std::map<Place, int> priorities;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const BlockStep& step = groups[order[i]];
    const std::size_t level = i * std::min(kMostPriorities, order.size()) / order.size();
    priorities[{step.row, step.col, step.k}] = static_cast<int>(level) + 1;
  }
  std::vector<int> result;
  result.reserve(steps.size());
  for (const BlockStep& step : steps) {
    result.push_back(priorities.at(Place{step.row / group, step.col / group, step.k / group}));
  }
  return result;
}

/// Submits steps on super-blocks. If each super-block is a single block, the steps use the codelets of dense tiles,
/// which also run on GPUs.
template <class T>
class StepSubmission {
 public:
  StepSubmission(Runtime& runtime, const BlockMatrix<T>& a, const ReplacedPivotCounts& counts, double least,
                 const BlockLuKernels<T>& kernels)
      : runtime_(runtime), a_(a), counts_(counts), least_(least), super_(kernels.super), tile_(kernels.tile) {}

  void submit(const BlockStep& step, int priority) {
    const TaskOptions options{.priority = priority};
    const auto& c = stored(step.row, step.col);
    const auto& d = stored(step.k, step.k);
    const std::int64_t side = a_.cut().side;
    const std::int64_t offset = 0;
    switch (step.kind) {
      case BlockStep::Kind::diagonal:
        runtime_.submit(super_.factorize, {d.handle(), counts_.of(step.k)},
                        args(d.mask(), side, step.k * side * a_.cut().block, least_), options);
        break;
      case BlockStep::Kind::lower:
        if (side == 1) {
          runtime_.submit(tile_.trsm_right_upper, {d.handle(), c.handle()}, args(offset), options);
        } else {
          runtime_.submit(super_.solve_upper, {d.handle(), c.handle()}, args(d.mask(), c.mask(), side), options);
        }
        break;
      case BlockStep::Kind::upper:
        if (side == 1) {
          runtime_.submit(tile_.solve_unit_lower, {d.handle(), c.handle()}, args(offset), options);
        } else {
          runtime_.submit(super_.solve_lower, {d.handle(), c.handle()}, args(d.mask(), c.mask(), side), options);
        }
        break;
      case BlockStep::Kind::product: submit_product(step, c, options); break;
    }
  }

 private:
  using StoredSuperBlock = typename BlockMatrix<T>::StoredSuperBlock;

  [[nodiscard]] const StoredSuperBlock& stored(int row, int col) const { return *a_.find(row, col); }

  void submit_product(const BlockStep& step, const StoredSuperBlock& c, const TaskOptions& options) {
    const StoredSuperBlock& a = stored(step.row, step.k);
    const StoredSuperBlock& b = stored(step.k, step.col);
    const std::int64_t side = a_.cut().side;
    if (side == 1) {
      runtime_.submit(tile_.gemm_nn, {a.handle(), b.handle(), c.handle()}, args(std::int64_t{0}), options);
    } else {
      runtime_.submit(super_.multiply, {a.handle(), b.handle(), c.handle()}, args(a.mask(), b.mask(), c.mask(), side),
                      options);
    }
  }

  Runtime& runtime_;
  const BlockMatrix<T>& a_;
  const ReplacedPivotCounts& counts_;
  const double least_;
  const kernels::SuperBlockCodelets<T>& super_;
  const kernels::TileCodelets<T>& tile_;
};

Codelet on_cores_only(const Codelet& codelet) {
  Codelet copy = codelet.copy();
  copy.implement(DeviceKind::cuda, nullptr);
  return copy;
}

template <class T>
std::vector<BlockStep> steps_of(const BlockMatrix<T>& a, BlockSteps which) {
  std::vector<BlockStep> steps = block_lu_steps(a.pattern(), a.cut().side);
  if (which == BlockSteps::products) {
    std::erase_if(steps, [](const BlockStep& step) { return step.kind != BlockStep::Kind::product; });
  }
  return steps;
}

template <class Step>
void run_all_pieces(const Step& step) {
  for (int i = 0; i < step.count(); ++i) step.piece(i);
}

}  // namespace

void require_diagonal(const BlockPattern& pattern) {
  const int missing = pattern.first_without_diagonal();
  if (missing < 0) return;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("block {0} on the diagonal is empty: LU without pivoting needs all of them; order the rows so "
                  "that none is",
                  missing + 1));
}

std::vector<BlockStep> block_lu_steps(const BlockPattern& pattern, int side) {
  require_diagonal(pattern);
  std::vector<BlockStep> steps;
  for_each_step(SuperPattern(pattern, side), [&](const BlockStep& step) { steps.push_back(step); });
  return steps;
}

std::vector<int> block_lu_priorities(const BlockPattern& pattern, const BlockCut& cut,
                                     const std::vector<BlockStep>& steps) {
  constexpr int kLevelsPerColumn = 4;
  constexpr std::int64_t kRowsOfGroup = 960;
  constexpr double kMuchParallelism = 40;
  if (steps.empty()) return {};
  const StepRanks all = ranks_of(pattern, cut, steps);
  const auto group =
      static_cast<int>(std::min<std::int64_t>(kRowsOfGroup / (cut.side * cut.block), kernels::kLargestSide / cut.side));
  if (group > 1 && all.work > kMuchParallelism * std::ranges::max(all.ranks.ranks())) {
    return priorities_by_group(pattern, cut, group, steps);
  }
  const int supers = (pattern.blocks() + cut.side - 1) / cut.side;
  return all.ranks.priorities(kLevelsPerColumn * supers);
}

ReplacedPivotCounts::ReplacedPivotCounts(Runtime& runtime, int supers) : runtime_(&runtime) {
  for (int k = 0; k < supers; ++k) {
    handles_.push_back(runtime.allocate_vector<std::int64_t>(2, fmt::format("pivots({})", k)));
  }
}

kernels::ReplacedPivots ReplacedPivotCounts::total() const {
  kernels::ReplacedPivots all;
  for (const Data& data : handles_) {
    const HostAccess access = runtime_->acquire(data, AccessMode::read);
    const auto found = access.matrix<const std::int64_t>();
    all.add({found(0, 0), found(1, 0)}, 0);
  }
  return all;
}

template <class T>
BlockLuKernels<T> block_lu_kernels(kernels::SuperTasks tasks) {
  return {kernels::super_block_codelets<T>(tasks), kernels::codelets<T>()};
}

template <class T>
void block_lu(Runtime& runtime, BlockMatrix<T>& a, const ReplacedPivotCounts& counts, const BlockLuOptions& options,
              const BlockLuKernels<T>& kernels) {
  const std::vector<BlockStep> steps = steps_of(a, options.steps);
  const std::vector<int> priorities = priorities_of(a, steps);
  StepSubmission<T> submission(runtime, a, counts, options.least, kernels);
  for (std::size_t i = 0; i < steps.size(); ++i) submission.submit(steps[i], priorities[i]);
}

template <class T>
kernels::ReplacedPivots block_lu_in_sequence(BlockMatrix<T>& a, double least) {
  const std::shared_ptr<void> quiet = kernels::single_threaded_blas();
  kernels::ReplacedPivots all;
  const auto super_block = [&](int row, int col) { return a.super_block(*a.find(row, col)); };
  for (const BlockStep& step : block_lu_steps(a.pattern(), a.cut().side)) {
    const auto d = super_block(step.k, step.k);
    switch (step.kind) {
      case BlockStep::Kind::diagonal: {
        const std::int64_t first = step.k * a.cut().side * a.cut().block;
        kernels::ReplacedPivots here;
        const int info = kernels::factorize_super_block(d, static_cast<T>(least), here);
        if (info != 0) kernels::singular(first + info);
        all.add(here, first);
        break;
      }
      case BlockStep::Kind::lower:
        run_all_pieces(kernels::SolveWithUpper<T>(d.constant(), super_block(step.row, step.col)));
        break;
      case BlockStep::Kind::upper:
        run_all_pieces(kernels::SolveWithLower<T>(d.constant(), super_block(step.row, step.col)));
        break;
      case BlockStep::Kind::product:
        run_all_pieces(kernels::SubtractProduct<T>(super_block(step.row, step.k).constant(),
                                                   super_block(step.k, step.col).constant(),
                                                   super_block(step.row, step.col)));
        break;
    }
  }
  return all;
}

double block_lu_flops(const BlockPattern& pattern, int side, std::int64_t block, BlockSteps steps) {
  BlockWork work = work_of(pattern);
  if (steps == BlockSteps::all) return work.flops(block);
  work.solves = work.diagonals = 0;
  if (side == 1) return work.flops(block);
  double flops = 0;
  const SuperPattern supers(pattern, side);
  for_each_step(supers, [&](const BlockStep& step) {
    if (step.kind != BlockStep::Kind::product) return;
    flops += kernels::product_flops(supers.mask(step.row, step.k), supers.mask(step.k, step.col),
                                    supers.mask(step.row, step.col), side, block);
  });
  return flops;
}

const char* to_string(BlockSteps steps) { return steps == BlockSteps::all ? "all" : "3"; }

const char* to_string(BlockReuse reuse) { return reuse == BlockReuse::position ? "position" : "uses"; }

template <class T>
std::vector<std::int64_t> reuse_indexes(const BlockMatrix<T>& a, BlockReuse reuse, BlockSteps steps) {
  std::vector<std::int64_t> indexes;
  for (const auto& stored : a.super_blocks())
    indexes.push_back(reuse == BlockReuse::position ? stored.row() + stored.col() : 0);
  if (reuse == BlockReuse::position) return indexes;
  const auto count = [&](int row, int col) {
    ++indexes[static_cast<std::size_t>(a.find(row, col) - a.super_blocks().data())];
  };
  for (const BlockStep& step : steps_of(a, steps)) {
    count(step.row, step.col);
    if (step.kind == BlockStep::Kind::product) {
      count(step.row, step.k);
      count(step.k, step.col);
    } else if (step.kind != BlockStep::Kind::diagonal) {
      count(step.k, step.k);
    }
  }
  return indexes;
}

template <class T>
void set_reuse(Runtime& runtime, const BlockMatrix<T>& a, BlockReuse reuse, BlockSteps steps) {
  const std::vector<std::int64_t> indexes = reuse_indexes(a, reuse, steps);
  for (std::size_t i = 0; i < indexes.size(); ++i) runtime.set_reuse(a.super_blocks()[i].handle(), indexes[i]);
}

template <class T>
void block_lu_of_tiles(Runtime& runtime, TiledMatrix<T>& a, const BlockPattern& pattern,
                       const kernels::TileCodelets<T>& kernel, PanelPlace panel) {
  require_diagonal(pattern);
  const bool cores = panel == PanelPlace::cores;
  const Codelet factorize = cores ? on_cores_only(kernel.getrf_without_pivoting) : kernel.getrf_without_pivoting;
  const Codelet solve_right = cores ? on_cores_only(kernel.trsm_right_upper) : kernel.trsm_right_upper;
  const Codelet solve_left = cores ? on_cores_only(kernel.solve_unit_lower) : kernel.solve_unit_lower;
  const std::int64_t offset = 0;
  for_each_step(SuperPattern(pattern, 1), [&](const BlockStep& step) {
    const int k = step.k;
    switch (step.kind) {
      case BlockStep::Kind::diagonal: runtime.submit(factorize, {a(k, k)}, args(offset, k * a.tile().cols)); break;
      case BlockStep::Kind::lower: runtime.submit(solve_right, {a(k, k), a(step.row, k)}, args(offset)); break;
      case BlockStep::Kind::upper: runtime.submit(solve_left, {a(k, k), a(k, step.col)}, args(offset)); break;
      case BlockStep::Kind::product:
        runtime.submit(kernel.gemm_nn, {a(step.row, k), a(k, step.col), a(step.row, step.col)}, args(offset));
        break;
    }
  });
}

template <class T>
double block_difference(const BlockMatrix<T>& a, const BlockMatrix<T>& b) {
  double difference = 0;
  double largest = 0;
  for (int i = 0; i < a.blocks(); ++i) {
    a.pattern().for_row(i, 0, [&](int j) {
      const MatrixView<T> mine = a.block(i, j);
      const MatrixView<T> other = b.block(i, j);
      for (std::int64_t k = 0; k < mine.rows * mine.cols; ++k) {
        const double apart = std::abs(static_cast<double>(mine.data[k]) - static_cast<double>(other.data[k]));
        difference = std::isnan(apart) ? apart : std::max(difference, apart);
        largest = std::max(largest, std::abs(static_cast<double>(other.data[k])));
      }
    });
  }
  return difference == 0 ? 0 : difference / largest;
}

#define TROUPE_INSTANTIATE(T)                                                                                      \
  template BlockLuKernels<T> block_lu_kernels(kernels::SuperTasks);                                                \
  template void block_lu(Runtime&, BlockMatrix<T>&, const ReplacedPivotCounts&, const BlockLuOptions&,             \
                         const BlockLuKernels<T>&);                                                                \
  template std::vector<std::int64_t> reuse_indexes(const BlockMatrix<T>&, BlockReuse, BlockSteps);                 \
  template void set_reuse(Runtime&, const BlockMatrix<T>&, BlockReuse, BlockSteps);                                \
  template kernels::ReplacedPivots block_lu_in_sequence(BlockMatrix<T>&, double);                                  \
  template double block_difference(const BlockMatrix<T>&, const BlockMatrix<T>&);                                  \
  template void block_lu_of_tiles(Runtime&, TiledMatrix<T>&, const BlockPattern&, const kernels::TileCodelets<T>&, \
                                  PanelPlace);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::linalg
