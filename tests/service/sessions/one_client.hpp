/// A service with one client, for tests of sessions.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/running_service.hpp"
#include "tests/support/service_client.hpp"

namespace troupe::tests {

struct OneClient {
  RunningService service;
  ServiceClient client{service.folder()};

  explicit OneClient(const service::ServerOptions& options = {}) : service(options) {}
  const Codelet& codelet(std::string_view name) const { return service.codelets()[name]; }
};

struct Greeted : OneClient {
  Greeted() { BOOST_REQUIRE_GT(client.hello(), 0U); }
};

/// Returns this many blocks of a vector, one behind the other.
inline std::vector<Block> rows_in_turn(std::int64_t count, std::int64_t rows) {
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < count; ++i) blocks.push_back({rows * i, 0, rows, 1});
  return blocks;
}

/// The ways in which a division treats the blocks that are there: it adds to them, or it replaces them, waiting for
/// tasks if it must, or failing if it would have to.
enum class Divides { further, anew, anew_at_once };

/// Returns a request for blocks of the handle `whole`; `first` is the number of the first block.
inline std::function<void(v1::Operation&, std::uint64_t)> division(std::uint64_t whole, std::uint64_t first,
                                                                   std::vector<Block> blocks,
                                                                   Divides how = Divides::further) {
  return [whole, first, blocks = std::move(blocks), how](v1::Operation& operation, std::uint64_t request) {
    v1::Partition& partition = *operation.mutable_partition();
    partition.set_request(request);
    partition.set_whole(whole);
    partition.set_anew(how != Divides::further);
    partition.set_at_once(how == Divides::anew_at_once);
    for (const Block& block : blocks) {
      v1::Block& filled = *partition.add_blocks();
      filled.set_row(block.row);
      filled.set_rows(block.rows);
      filled.set_cols(block.cols);
      filled.set_planes(block.planes);
      partition.add_handles(first + static_cast<std::uint64_t>(partition.handles_size()));
    }
  };
}

}  // namespace troupe::tests
