#include "apps/run/sparse_facts.hpp"

#include <boost/test/unit_test.hpp>

#include "linalg/sparse/block_pattern.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(sparse_facts)

BOOST_AUTO_TEST_CASE(many_small_tasks_are_warned_of) {
  const std::string text = small_tasks_warning(2e6, 2e6 * 250);
  BOOST_TEST(text.find("2e+06 tasks of 250 operations") != std::string::npos, text);
  BOOST_TEST(small_tasks_warning(2e6, 2e6 * 1e6) == "");
  BOOST_TEST(small_tasks_warning(1e5, 1e5 * 250) == "");
}

BOOST_AUTO_TEST_CASE(tasks_are_counted_on_super_blocks) {
  linalg::BlockPattern full(8);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) full.set(i, j);
  }
  // With s x s blocks there are s tasks for diagonal blocks, s (s - 1) solves, and one product for each pair of solves
  // in the same step.
  BOOST_TEST(most_tasks(full, 1) == 8 + 56 + 140);
  BOOST_TEST(most_tasks(full, 1, linalg::BlockSteps::products) == 140);
  BOOST_TEST(most_tasks(full, 4) == 2 + 2 + 1);
}

BOOST_AUTO_TEST_CASE(tasks_need_memory_besides_blocks) {
  BOOST_CHECK_NO_THROW(require_block_memory({1}, 1e3));
  const auto blames = [](const char* what) {
    return [what](const Error& error) { return std::string(error.what()).find(what) != std::string::npos; };
  };
  BOOST_CHECK_EXCEPTION(require_block_memory({1}, 1e15), Error, blames("tasks need"));
  BOOST_CHECK_EXCEPTION(require_block_memory({std::uint64_t{1} << 60U}, 1), Error, blames("the blocks need"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
