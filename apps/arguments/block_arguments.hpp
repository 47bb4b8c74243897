/// The options that cut a sparse matrix into blocks.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace troupe::apps {

/// Adds `--block`, the number of rows of a block, and `--super`, the number of blocks on a side of a super-block.
/// `usual_block` and `usual_side` describe the defaults for the help text.
void add_block_options(CLI::App& command, std::int64_t& block, int& side, const std::string& usual_block,
                       const std::string& usual_side);

}  // namespace troupe::apps
