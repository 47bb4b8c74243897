#include "graph/codelets/completion_check.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <vector>

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(completion_check)

namespace {

BOOST_AUTO_TEST_CASE(where_kernels_work_inside_their_call_a_check_is_called_at_once) {
  int called = 0;
  check_at_completion([&] { ++called; });
  BOOST_TEST(called == 1);
  BOOST_CHECK_THROW(check_at_completion([] { throw std::runtime_error("bad"); }), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(a_device_that_enqueues_calls_checks_later_in_their_order_and_once) {
  std::vector<int> order;
  CompletionChecks checks;
  {
    const CompletionChecks::Scope scope(checks);
    check_at_completion([&] { order.push_back(1); });
    check_at_completion([&] { order.push_back(2); });
  }
  BOOST_TEST(order.empty());
  checks.run();
  checks.run();
  const std::vector<int> expected{1, 2};
  BOOST_TEST(order == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(after_a_check_that_throws_no_other_is_called) {
  int called = 0;
  CompletionChecks checks;
  {
    const CompletionChecks::Scope scope(checks);
    check_at_completion([] { throw std::runtime_error("bad"); });
    check_at_completion([&] { ++called; });
  }
  BOOST_CHECK_THROW(checks.run(), std::runtime_error);
  checks.run();
  BOOST_TEST(called == 0);
}

BOOST_AUTO_TEST_CASE(scopes_nest_and_end) {
  CompletionChecks outer;
  CompletionChecks inner;
  int called = 0;
  {
    const CompletionChecks::Scope one(outer);
    {
      const CompletionChecks::Scope two(inner);
      check_at_completion([&] { called += 10; });
    }
    check_at_completion([&] { ++called; });
  }
  inner.clear();
  inner.run();
  BOOST_TEST(called == 0);
  outer.run();
  BOOST_TEST(called == 1);
  check_at_completion([&] { ++called; });
  BOOST_TEST(called == 2);
}

BOOST_AUTO_TEST_CASE(a_kernels_device_is_told_where_its_time_begins_and_nobody_outside_of_kernels) {
  int called = 0;
  CompletionChecks checks([&] { ++called; });
  count_time_from_here();
  BOOST_TEST(called == 0);
  {
    const CompletionChecks::Scope scope(checks);
    count_time_from_here();
  }
  BOOST_TEST(called == 1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
