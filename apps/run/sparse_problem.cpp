#include "apps/run/sparse_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "apps/arguments/common_arguments.hpp"
#include "linalg/sparse/block_structure.hpp"
#include "linalg/sparse/sparse_file.hpp"

namespace troupe::apps {

const char* to_string(SparseGrain grain) {
  switch (grain) {
    case SparseGrain::fine: return "fine";
    case SparseGrain::coarse: return "coarse";
    case SparseGrain::multi: return "multi";
  }
  return "";
}

bool is_structure_file(const std::string& structure) {
  return structure.ends_with(".mtx") || structure.find('/') != std::string::npos;
}

namespace {

SparseProblem problem_of_file(const SparseLuArguments& sparse) {
  SparseProblem problem;
  problem.name = sparse.structure;
  linalg::SparseOptions options{sparse.ordering, sparse.block, sparse.super};
  if (sparse.grain == SparseGrain::fine) options.side = 1;
  SparseFile file;
  file.matrix = usable(linalg::read_sparse(sparse.structure));
  try {
    file.analysis = linalg::analyse(file.matrix, options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::numerical) throw;
    throw Error(error.code(),
                fmt::format("{}: {}: it has no LU; remove dependent equations", sparse.structure, error.what()));
  }
  problem.pattern = file.analysis.pattern;
  problem.blocks_before = file.analysis.blocks_before;
  problem.cut = file.analysis.cut;
  problem.file = std::move(file);
  return problem;
}

}  // namespace

SparseProblem problem_of(const SparseLuArguments& sparse, std::int64_t blocks_on_a_side, std::uint64_t seed) {
  if (is_structure_file(sparse.structure)) return problem_of_file(sparse);
  constexpr std::int64_t kPaperBlock = 192;
  constexpr int kPaperSide = 5;
  constexpr std::int64_t kMostBlocks = 1 << 14;
  const linalg::BlockStructure structure = linalg::parse_structure(sparse.structure).value_or_throw();
  if (blocks_on_a_side > kMostBlocks) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--n counts blocks here, {} at most; {} were asked for", kMostBlocks, blocks_on_a_side));
  }
  const auto blocks = static_cast<int>(blocks_on_a_side);
  SparseProblem problem;
  problem.name = to_string(structure);
  problem.seed = seed;
  problem.pattern = linalg::pattern_of(structure, blocks, problem.seed);
  problem.blocks_before = linalg::full_before_fill_in(structure, blocks, problem.seed);
  problem.cut.block = sparse.block > 0 ? sparse.block : kPaperBlock;
  problem.cut.side = sparse.grain == SparseGrain::fine ? 1 : sparse.super > 0 ? sparse.super : kPaperSide;
  linalg::check_cut(problem.cut);
  return problem;
}

std::int64_t SparseProblem::order() const {
  return file ? file->matrix.order : static_cast<std::int64_t>(pattern.blocks()) * cut.block;
}

double SparseProblem::flops(linalg::BlockSteps steps) const {
  return linalg::block_lu_flops(pattern, cut.side, cut.block, steps);
}

std::int64_t SparseProblem::largest_super_block() const {
  const int supers = (pattern.blocks() + cut.side - 1) / cut.side;
  std::int64_t largest = 0;
  for (int super = 0; super < supers; ++super) {
    std::vector<std::int64_t> full(static_cast<std::size_t>(supers));
    for (int row = super * cut.side; row < std::min((super + 1) * cut.side, pattern.blocks()); ++row) {
      pattern.for_row(row, 0, [&](int col) { ++full[static_cast<std::size_t>(col / cut.side)]; });
    }
    largest = std::max(largest, *std::ranges::max_element(full));
  }
  return largest;
}

}  // namespace troupe::apps
