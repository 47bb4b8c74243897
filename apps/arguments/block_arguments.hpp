/// The options that cut a sparse matrix into blocks.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace troupe::apps {

/// Adds `--block` and `--super`: rows of a block, and blocks on a side of a super-block. The texts say what they are
/// where they are not given.
void add_block_options(CLI::App& command, std::int64_t& block, int& side, const std::string& usual_block,
                       const std::string& usual_side);

}  // namespace troupe::apps
