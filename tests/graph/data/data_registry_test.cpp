#include "graph/data/data_registry.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "proto/random.hpp"

namespace troupe::graph {

namespace data_registry {

struct Fixture {
  DataRegistry registry{nullptr};
  std::array<double, 100> memory{};

  DataRecord& add(std::int64_t rows, std::int64_t cols, std::int64_t ld, const std::string& name = {}) {
    return registry.add(
        {layout_of<double>(rows, cols, ld), reinterpret_cast<std::byte*>(memory.data()), nullptr, name});
  }
  ErrorCode refused(DataRecord& parent, const std::vector<Block>& blocks) {
    const std::size_t size = registry.size();
    const auto parts = registry.add_parts(parent, blocks);
    BOOST_TEST_REQUIRE(!parts.ok());
    BOOST_TEST(registry.size() == size);
    BOOST_TEST(!parts.failure().message.empty());
    return parts.failure().code;
  }
};

}  // namespace data_registry

BOOST_FIXTURE_TEST_SUITE(data_registry, Fixture)

BOOST_AUTO_TEST_CASE(finds_what_is_registered_and_nothing_else) {
  DataRecord& x = add(2, 2, 2);
  const Handle handle(&x, x.handle_id());
  BOOST_TEST(registry.find(handle).value() == &x);
  BOOST_TEST((registry.find(Handle()).failure().code == ErrorCode::invalid_handle));
  registry.remove(x);
  BOOST_TEST((registry.find(handle).failure().code == ErrorCode::invalid_handle));
  DataRecord& y = add(1, 1, 1);
  BOOST_TEST(&y == &x);                                                             // The record is used again.
  BOOST_TEST((registry.find(handle).failure().code == ErrorCode::invalid_handle));  // The old handle is invalid.
  BOOST_TEST(registry.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_handle_of_another_graph_is_told_apart) {
  alignas(64) static std::array<std::byte, 64> somewhere;
  DataRegistry other(reinterpret_cast<const TaskOwner*>(somewhere.data()));
  DataRecord& x = other.add({layout_of<double>(1, 1, 1), nullptr, nullptr, {}});
  const auto found = registry.find(Handle(&x, x.handle_id()));
  BOOST_TEST((found.failure().code == ErrorCode::invalid_handle));
  BOOST_TEST(found.failure().message.find("another runtime") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(parts_lie_where_their_block_says) {
  DataRecord& whole = add(6, 4, 8, "A");
  const std::vector<Block> blocks{{0, 0, 2, 4}, {2, 0, 4, 1}, {2, 1, 4, 3}};
  const auto parts = registry.add_parts(whole, blocks).value();
  BOOST_TEST(parts.size() == 3U);
  BOOST_TEST(parts[2]->view.data == reinterpret_cast<std::byte*>(&memory[2 + 8]));
  BOOST_TEST(parts[2]->view.layout.rows == 4);
  BOOST_TEST(parts[2]->view.layout.cols == 3);
  BOOST_TEST(parts[2]->view.layout.ld == 8);
  BOOST_TEST(parts[2]->name == "A[2,1]");
  BOOST_TEST(parts[2]->parent == &whole);
  BOOST_TEST(whole.covered);
  // A part can be divided into parts, too.
  const auto smaller = registry.add_parts(*parts[2], std::vector<Block>{{1, 1, 2, 2}}).value();
  BOOST_TEST(smaller[0]->view.data == reinterpret_cast<std::byte*>(&memory[3 + 2 * 8]));
  BOOST_TEST(!parts[2]->covered);
  BOOST_TEST(registry.size() == 5U);
}

BOOST_AUTO_TEST_CASE(parts_may_come_in_several_goes_and_be_empty) {
  DataRecord& whole = add(4, 4, 4);
  BOOST_TEST(registry.add_parts(whole, std::vector<Block>{{0, 0, 2, 4}}).ok());
  BOOST_TEST(!whole.covered);
  BOOST_TEST((refused(whole, {{1, 0, 1, 1}}) == ErrorCode::overlapping_handles));
  BOOST_TEST(registry.add_parts(whole, std::vector<Block>{{2, 0, 2, 4}, {1, 1, 0, 3}, {4, 4, 0, 0}}).ok());
  BOOST_TEST(whole.covered);
  BOOST_TEST(registry.add_parts(whole, std::vector<Block>{}).ok());
}

BOOST_AUTO_TEST_CASE(a_whole_without_elements_has_data_of_its_own_until_it_has_parts) {
  DataRecord& whole = add(0, 4, 4);
  BOOST_TEST(registry.add_parts(whole, std::vector<Block>{}).ok());
  BOOST_TEST(!whole.covered);
  BOOST_TEST(registry.add_parts(whole, std::vector<Block>{{0, 0, 0, 4}}).ok());
  BOOST_TEST(whole.covered);
}

BOOST_AUTO_TEST_CASE(parts_outside_the_whole_are_refused) {
  DataRecord& whole = add(4, 3, 4);
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  for (const Block& block : {Block{-1, 0, 1, 1}, Block{0, -1, 1, 1}, Block{0, 0, -1, 1}, Block{0, 0, 1, -1},
                             Block{4, 0, 1, 1}, Block{0, 3, 1, 1}, Block{1, 0, 4, 1}, Block{0, 1, 1, 3},
                             Block{1, 0, kHuge, 1}, Block{kHuge, 0, 1, 1}, Block{0, kHuge, 1, kHuge}}) {
    BOOST_TEST((refused(whole, {block}) == ErrorCode::overlapping_handles));
  }
  // If one block does not fit, the whole call is refused.
  BOOST_TEST((refused(whole, {{0, 0, 1, 1}, {3, 2, 2, 1}}) == ErrorCode::overlapping_handles));
  BOOST_TEST(whole.children.empty());
}

BOOST_AUTO_TEST_CASE(overlaps_are_found_wherever_they_are) {
  DataRecord& whole = add(10, 10, 10);
  Random random(7);
  const auto below = [&](std::uint32_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
  int overlapping = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<Block> blocks;
    std::array<std::array<int, 10>, 10> used{};
    bool expected = false;
    for (std::int64_t k = 1 + below(5); k > 0; --k) {
      Block block{below(10), below(10), 0, 0};
      block.rows = below(std::min<std::uint32_t>(5, static_cast<std::uint32_t>(11 - block.row)));
      block.cols = below(std::min<std::uint32_t>(5, static_cast<std::uint32_t>(11 - block.col)));
      for (std::int64_t i = block.row; i < block.row + block.rows; ++i) {
        for (std::int64_t j = block.col; j < block.col + block.cols; ++j) {
          expected = used[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]++ > 0 || expected;
        }
      }
      blocks.push_back(block);
    }
    const auto parts = registry.add_parts(whole, blocks);
    BOOST_TEST_REQUIRE(parts.ok() != expected);
    overlapping += expected ? 1 : 0;
    if (!parts) continue;
    for (DataRecord* part : parts.value()) registry.remove(*part);
    BOOST_TEST_REQUIRE(whole.children.empty());
  }
  BOOST_TEST(overlapping > 300);
  BOOST_TEST(overlapping < 2500);
}

BOOST_AUTO_TEST_CASE(removing_a_whole_removes_its_parts) {
  DataRecord& whole = add(4, 4, 4);
  const auto parts = registry.add_parts(whole, std::vector<Block>{{0, 0, 2, 4}, {2, 0, 2, 4}}).value();
  const auto smaller = registry.add_parts(*parts[0], std::vector<Block>{{0, 0, 1, 1}}).value();
  const Handle part(parts[1], parts[1]->handle_id());
  const Handle smallest(smaller[0], smaller[0]->handle_id());
  registry.remove(*parts[0]);
  BOOST_TEST(!registry.find(smallest).ok());
  BOOST_TEST(registry.find(part).ok());
  BOOST_TEST(!whole.covered);
  BOOST_TEST(registry.size() == 2U);
  registry.remove(whole);
  BOOST_TEST(!registry.find(part).ok());
  BOOST_TEST(registry.size() == 0U);
}

BOOST_AUTO_TEST_CASE(memory_of_the_runtime_goes_with_the_record) {
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = owner;
  DataRecord& x = registry.add({layout_of<int>(1, 1, 1), nullptr, std::move(owner), {}});
  BOOST_TEST(!watch.expired());
  registry.remove(x);
  BOOST_TEST(watch.expired());
}

BOOST_AUTO_TEST_CASE(many_parts_are_checked_quickly) {
  constexpr std::int64_t kTiles = 200;
  DataRecord& whole = registry.add({layout_of<char>(kTiles, kTiles, kTiles), nullptr, nullptr, {}});
  std::vector<Block> blocks;
  for (std::int64_t j = 0; j < kTiles; ++j) {
    for (std::int64_t i = 0; i < kTiles; ++i) blocks.push_back({i, j, 1, 1});
  }
  BOOST_TEST(registry.add_parts(whole, blocks).value().size() == 40000U);
  registry.remove(whole);
  BOOST_TEST(registry.size() == 0U);
}

BOOST_AUTO_TEST_CASE(names_are_for_people) {
  DataRecord& named = add(1, 1, 1, "A(1,2)");
  DataRecord& unnamed = add(1, 1, 1);
  BOOST_TEST(describe(named) == "'A(1,2)'");
  BOOST_TEST(describe(unnamed) == "handle " + std::to_string(unnamed.handle_id().value()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
