// Tests of halo parts that are used or made in a wrong way.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/parts/stencils.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(refused_halos)

BOOST_AUTO_TEST_CASE(a_halo_part_is_only_read) {
  Runtime runtime(with_workers(1));
  InThreeParts x(runtime);
  const Handle halo = x.blocks.halo(1);
  const Codelet changes = Codelet("changes", {AccessMode::read_write}).cpu(add_one);
  const std::string name = "'x[3,0 6x1]' is a halo part";
  const auto refused = failure(ErrorCode::invalid_argument, name, "may only be read");
  BOOST_CHECK_EXCEPTION(runtime.submit(changes, {halo}), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.submit(add_one, halo), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.submit(add_one, commute(halo)), Error, refused);
  BOOST_CHECK_EXCEPTION((void)runtime.acquire(halo, AccessMode::write), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.discard(halo), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.set_reduction(halo, sum_reduction<double>()), Error, refused);
  const std::array<Block, 1> block{Block{0, 0, 1, 1}};
  BOOST_CHECK_EXCEPTION(runtime.partition(halo, block), Error, failure(ErrorCode::invalid_argument, name, "no parts"));
  BOOST_CHECK_EXCEPTION((void)runtime.halos(halo, block, 1), Error,
                        failure(ErrorCode::invalid_argument, name, "no parts"));
  TaskOptions nested;
  nested.nested = true;
  nested.weak = {read(halo)};
  BOOST_CHECK_EXCEPTION(runtime.submit(nested, [] {}), Error, failure(ErrorCode::invalid_argument, name, "weak"));
  using Written = detail::InlineParameter<1, MatrixView<double>, Halo>;
  BOOST_TEST((Written::mistake() == Written::Mistake::writes_halo));
  using Read = detail::InlineParameter<1, MatrixView<const double>, Halo>;
  BOOST_TEST((Read::mistake() == Read::Mistake::none));
  runtime.wait();
  BOOST_TEST(x.x == std::vector<double>(12, 1.0), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(impossible_blocks_rims_and_indexes_are_refused) {
  Runtime runtime(with_workers(1));
  InThreeParts x(runtime);
  const std::array<Block, 1> outside{Block{8, 0, 5, 1}};
  const std::array<Block, 1> block{Block{8, 0, 4, 1}};
  BOOST_CHECK_EXCEPTION((void)runtime.halos(x.whole, outside, 1), Error,
                        failure(ErrorCode::overlapping_handles, "5 x 1 at (8, 0)", "'x'"));
  BOOST_CHECK_EXCEPTION((void)runtime.halos(x.whole, block, -1), Error,
                        failure(ErrorCode::invalid_argument, "negative"));
  BOOST_CHECK_EXCEPTION((void)x.blocks(3), Error, failure(ErrorCode::invalid_argument, "(3, 0)", "3 x 1 blocks"));
  BOOST_CHECK_EXCEPTION((void)x.blocks(-1), Error, failure(ErrorCode::invalid_argument, "(-1, 0)"));
  BOOST_CHECK_EXCEPTION(Blocks(runtime, x.whole, {0, 1}), Error, failure(ErrorCode::invalid_argument, "0 x 1"));
  std::vector<double> y(4);
  const auto other = runtime.vector(y);
  const Blocks without(runtime, other, {2, 1});
  BOOST_CHECK_EXCEPTION((void)without.halo(0), Error, failure(ErrorCode::invalid_argument, "without a rim"));
}

BOOST_AUTO_TEST_CASE(a_block_without_content_cannot_be_read_as_a_rim) {
  Runtime runtime(with_workers(1));
  const auto whole = runtime.allocate_vector<double>(12, "x");
  const Blocks blocks(runtime, whole, {4, 1}, 1);
  const auto fill = [](VectorView<double> x) { std::ranges::fill(x, 1.0); };
  runtime.submit(fill, write(blocks(0)));
  const auto nothing = [](VectorView<const double>) {};
  BOOST_CHECK_EXCEPTION(runtime.submit(nothing, blocks.halo(0)), Error,
                        failure(ErrorCode::invalid_argument, "'x[4,0]' has no valid content"));
  runtime.submit(fill, write(blocks(1)));
  runtime.submit(nothing, blocks.halo(0));
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(a_reduction_beside_a_halo_part_of_the_same_data_is_refused) {
  Runtime runtime(with_workers(2));
  double sum = 1;
  const auto whole = runtime.scalar(sum, "sum");
  runtime.set_reduction(whole, sum_reduction<double>());
  const std::array<Block, 1> all{Block{0, 0, 1, 1}};
  const Halo halo = runtime.halos(whole, all, 0).front();
  const Codelet adds =
      Codelet("adds", {AccessMode::reduce, AccessMode::read}).cpu([](double& to, const double& from) { to += from; });
  BOOST_CHECK_EXCEPTION(runtime.submit(adds, {whole, halo}), Error,
                        failure(ErrorCode::conflicting_access, "'sum', mode reduce", "a halo part"));
}

BOOST_AUTO_TEST_CASE(recorded_data_are_not_exchanged_for_data_whose_halo_parts_the_recording_reads) {
  Runtime runtime(with_workers(2));
  InThreeParts x(runtime);
  InThreeParts y(runtime);
  const auto copy = [](VectorView<const double> from, VectorView<double> to) { to[0] = from[0]; };
  RecordedGraph graph = runtime.record([&] { runtime.submit(copy, x.blocks.halo(0), write(y.blocks(0))); });
  const std::array<Rebinding, 1> onto{Rebinding{y.blocks(0), x.blocks(1)}};
  BOOST_CHECK_EXCEPTION(graph.run(onto), Error, failure(ErrorCode::invalid_argument, "halo parts"));
}

BOOST_AUTO_TEST_CASE(blocks_may_be_as_large_as_numbers_go) {
  Runtime runtime(with_workers(1));
  Grid grid(6, 4);
  const auto whole = runtime.matrix(grid.elements.data(), 6, 4, 6);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const Blocks blocks(runtime, whole, {4, kMost}, kMost);
  BOOST_TEST(blocks.rows() == 2);
  BOOST_TEST(blocks.cols() == 1);
  BOOST_TEST(blocks.halo(1).inside().row == 4);
  const HostAccess held = runtime.acquire(blocks.halo(1), AccessMode::read);
  BOOST_TEST(held.matrix<const double>().rows == 6);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
