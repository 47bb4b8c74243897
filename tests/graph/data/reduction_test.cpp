#include "graph/data/reduction.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(reductions)

namespace {

DataView view_of(std::vector<double>& data, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  return {reinterpret_cast<std::byte*>(data.data()), layout_of<double>(rows, cols, ld)};
}

BOOST_AUTO_TEST_CASE(partial_results_begin_neutral_and_are_folded_once) {
  Reduction reduction(sum_reduction<double>(), 3);
  std::vector<double> data{1, 2, -1, 3, 4, -1};
  const DataView into = view_of(data, 2, 2, 3);
  const auto first = reduction.partial(0, into.layout).as_matrix<double>();
  const auto third = reduction.partial(2, into.layout).as_matrix<double>();
  BOOST_TEST(first.ld == 2);
  BOOST_TEST(first(1, 1) == 0);
  first(0, 0) = 10;
  third(0, 0) = 20;
  third(1, 1) = 30;
  BOOST_TEST(reduction.partial(0, into.layout).as_matrix<double>()(0, 0) == 10);
  reduction.combine(into, false);
  reduction.combine(into, false);
  const std::vector<double> expected{31, 2, -1, 3, 34, -1};
  BOOST_TEST(data == expected, boost::test_tools::per_element());
  BOOST_TEST(reduction.partial(0, into.layout).as_matrix<double>()(0, 0) == 0);
}

BOOST_AUTO_TEST_CASE(discarded_partial_results_are_not_folded) {
  Reduction reduction(sum_reduction<double>(), 1);
  std::vector<double> data{5};
  const DataView into = view_of(data, 1, 1, 1);
  reduction.partial(0, into.layout).as_matrix<double>()(0, 0) = 7;
  reduction.discard();
  reduction.combine(into, false);
  BOOST_TEST(data[0] == 5);
}

BOOST_AUTO_TEST_CASE(where_there_is_no_content_the_combination_begins_with_the_neutral_element) {
  Reduction reduction(sum_reduction<double>(), 1);
  std::vector<double> data{5};
  const DataView into = view_of(data, 1, 1, 1);
  const auto add = [&](double value) { reduction.partial(0, into.layout).as_matrix<double>()(0, 0) += value; };
  add(7);
  reduction.combine(into, true);
  BOOST_TEST(data[0] == 7);
  data[0] = 100;
  reduction.begin_with_neutral();
  add(1);
  reduction.combine(into, false);
  BOOST_TEST(data[0] == 1);
  add(2);
  reduction.combine(into, false);
  BOOST_TEST(data[0] == 3);
  // A combination that did not take place takes its beginning with it.
  reduction.begin_with_neutral();
  reduction.discard();
  reduction.combine(into, false);
  BOOST_TEST(data[0] == 3);
}

BOOST_AUTO_TEST_CASE(partial_results_are_folded_in_the_order_of_the_workers) {
  std::vector<double> folded;
  ReductionMethods methods{
      [](const DataView&) {},
      [&](const DataView&, const DataView& from) { folded.push_back(from.as_matrix<double>()(0, 0)); }};
  Reduction reduction(methods, 4);
  std::vector<double> data{0};
  const DataView into = view_of(data, 1, 1, 1);
  for (const std::size_t worker : {3, 0, 2}) {
    reduction.partial(worker, into.layout).as_matrix<double>()(0, 0) = static_cast<double>(worker);
  }
  reduction.combine(into, false);
  const std::vector<double> expected{0, 2, 3};
  BOOST_TEST(folded == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_initializer_that_throws_is_called_again) {
  int calls = 0;
  ReductionMethods methods{[&](const DataView& partial) {
                             if (++calls == 1) throw std::runtime_error("not yet");
                             partial.as_matrix<double>()(0, 0) = 1;
                           },
                           [](const DataView&, const DataView&) {}};
  Reduction reduction(methods, 1);
  BOOST_CHECK_THROW(reduction.partial(0, layout_of<double>(1, 1, 1)), std::runtime_error);
  BOOST_TEST(reduction.partial(0, layout_of<double>(1, 1, 1)).as_matrix<double>()(0, 0) == 1);
  BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(partial_results_may_be_empty_and_are_well_aligned) {
  Reduction reduction(sum_reduction<double>(), 2);
  BOOST_TEST(reduction.partial(0, layout_of<double>(0, 3, 1)).layout.elements() == 0);
  const DataView large = reduction.partial(1, layout_of<double>(9, 1, 9));
  BOOST_TEST(reinterpret_cast<std::uintptr_t>(large.data) % 64 == 0U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
