#include "proto/handle_table.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

namespace troupe {

BOOST_AUTO_TEST_SUITE(handle_table)

namespace {

/// Counts the objects of this class that exist.
struct Counted {
  Counted() { ++alive; }
  Counted(const Counted&) { ++alive; }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive; }
  static inline std::size_t alive = 0;
};

BOOST_AUTO_TEST_CASE(a_row_is_there_from_when_it_is_made_until_it_is_removed) {
  HandleTable<int> table;
  for (const std::uint64_t id : {0U, 3U, 255U, 256U, 100'000U}) {
    const HandleId handle(id);
    const std::size_t before = table.size();
    BOOST_TEST(table.find(handle) == nullptr);
    table.make(handle) = 7;
    BOOST_TEST(table.make(handle) == 7);
    BOOST_TEST(*table.find(handle) == 7);
    BOOST_TEST(table[handle] == 7);
    table.remove(handle);
    BOOST_TEST(!table.contains(handle));
    table.remove(handle);
    BOOST_TEST(table.size() == before);
    BOOST_TEST(table.make(handle) == 0);
  }
  BOOST_TEST(table.size() == 5U);
  BOOST_TEST(!table.contains(HandleId()));
}

BOOST_AUTO_TEST_CASE(rows_of_several_values_lie_side_by_side) {
  HandleTable<int> table(3);
  table.make(HandleId(1));
  table.make(HandleId(2));
  for (int i = 0; i < 3; ++i) (&table[HandleId(1)])[i] = i + 1;
  for (int i = 0; i < 3; ++i) BOOST_TEST((&table[HandleId(2)])[i] == 0);
  table.remove(HandleId(1));
  table.make(HandleId(1));
  for (int i = 0; i < 3; ++i) BOOST_TEST((&table[HandleId(1)])[i] == 0);
}

BOOST_AUTO_TEST_CASE(all_rows_are_visited_in_order) {
  HandleTable<int> table;
  const std::vector<std::uint64_t> ids{2, 64, 255, 256, 1000, 70'000};
  for (const std::uint64_t id : ids) table.make(HandleId(id));
  table.make(HandleId(512));
  table.remove(HandleId(512));
  std::vector<std::uint64_t> visited;
  table.visit([&](HandleId handle) { visited.push_back(handle.value()); });
  BOOST_TEST(visited == ids, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_million_handles_that_come_and_go_leave_no_more_than_the_few_that_stay) {
  HandleTable<Counted> table;
  table.make(HandleId(5));
  for (std::uint64_t id = 10; id < 1'000'000; ++id) {
    table.make(HandleId(id));
    table.remove(HandleId(id - 3));
  }
  BOOST_TEST(table.size() == 4U);
  BOOST_TEST(Counted::alive <= 3 * 256U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
