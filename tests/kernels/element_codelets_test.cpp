#include "kernels/element_codelets.hpp"

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/errors.hpp"

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(codelets_on_elements)

namespace {

using Precisions = boost::mpl::list<float, double>;

/// A block of 2 x 3 elements with a leading dimension of 4. The elements are numbered from `first`; the gaps are -1.
template <class T>
struct Block {
  explicit Block(T first) : values(12, T{-1}) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t i = 0; i < 2; ++i) values[i + 4 * j] = first + static_cast<T>(i + 2 * j);
    }
  }
  [[nodiscard]] DataView view() { return {reinterpret_cast<std::byte*>(values.data()), layout_of<T>(2, 3, 4)}; }
  std::vector<T> values;
};

void run(const Codelet& codelet, std::vector<DataView> views, const Arguments& arguments = {}) {
  std::vector<const DataView*> pointers;
  for (const DataView& view : views) pointers.push_back(&view);
  codelet.definition().kernel_for(DeviceKind::cpu_core)(KernelContext(pointers, arguments.view()));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(each_computes_what_it_says_and_leaves_gaps_alone, T, Precisions) {
  const ElementCodelets<T>& all = kernels::element_codelets<T>();
  Block<T> x(1), y(10);
  run(all.copy, {x.view(), y.view()});
  BOOST_TEST(y.values == Block<T>(1).values, boost::test_tools::per_element());
  run(all.axpy, {x.view(), y.view()}, args(T{2}));
  BOOST_TEST(y.values == (std::vector<T>{3, 6, -1, -1, 9, 12, -1, -1, 15, 18, -1, -1}),
             boost::test_tools::per_element());
  run(all.scale, {x.view()}, args(T{3}));
  BOOST_TEST(x.values == y.values, boost::test_tools::per_element());
  T sum = 5;
  run(all.dot, {x.view(), y.view(), {reinterpret_cast<std::byte*>(&sum), layout_of<T>(1, 1, 1)}});
  BOOST_TEST(sum == T{5 + 9 + 36 + 81 + 144 + 225 + 324});
  run(all.fill, {x.view()}, args(T{4}));
  BOOST_TEST(x.values == (std::vector<T>{4, 4, -1, -1, 4, 4, -1, -1, 4, 4, -1, -1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(different_shapes_are_refused, T, Precisions) {
  Block<T> x(1), y(10);
  DataView narrow = y.view();
  narrow.layout.cols = 2;
  const auto refused = [](const Error& error) { return error.code() == ErrorCode::invalid_argument; };
  BOOST_CHECK_EXCEPTION(run(kernels::element_codelets<T>().copy, {x.view(), narrow}), Error, refused);
  BOOST_CHECK_EXCEPTION(run(kernels::element_codelets<T>().axpy, {x.view(), narrow}, args(T{1})), Error, refused);
}

BOOST_AUTO_TEST_CASE(sleep_sleeps_and_refuses_what_is_too_long) {
  const auto before = std::chrono::steady_clock::now();
  run(trial_codelets().sleep, {}, args(std::int64_t{2'000'000}));
  BOOST_TEST((std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(2)));
  BOOST_CHECK_THROW(run(trial_codelets().sleep, {}, args(kLongestSleep_ns + 1)), Error);
  BOOST_CHECK_THROW(run(trial_codelets().sleep, {}, args(std::int64_t{-1})), Error);
  run(trial_codelets().nothing, {});
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
