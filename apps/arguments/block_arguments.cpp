#include "apps/arguments/block_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/arguments/common_arguments.hpp"
#include "kernels/sparse/super_block.hpp"
#include "proto/tokens.hpp"

namespace troupe::apps {

namespace {

std::string check_super(const std::string& text) {
  const auto side = parse_integer(text);
  if (side.status == NumberStatus::ok && side.value >= 1 && side.value <= kernels::kLargestSide) return {};
  return fmt::format("a super-block has from 1 x 1 to {0} x {0} blocks, as many as its mask holds",
                     kernels::kLargestSide);
}

}  // namespace

void add_block_options(CLI::App& command, std::int64_t& block, int& side, const std::string& usual_block,
                       const std::string& usual_side) {
  add_size(command, "--block", block, fmt::format("Sparse: rows of a block ({})", usual_block));
  command.add_option("--super", side, fmt::format("Sparse: blocks on a side of a super-block ({})", usual_side))
      ->check(check_super);
}

}  // namespace troupe::apps
