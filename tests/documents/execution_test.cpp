// Compiles and runs the code of docs/clusters.md, docs/pieces.md, docs/models.md, docs/eviction.md and
// docs/extending.md.
#include <boost/test/unit_test.hpp>
#include <iostream>
#include <memory>
#include <vector>

#include <troupe/troupe.hpp>

#include <troupe/openmp_team.hpp>

#include "actors/options/option_values.hpp"
#include "tests/actors/scheduler/policies_of_the_manual.hpp"

namespace troupe::documents {

BOOST_AUTO_TEST_SUITE(fragments_of_execution)

namespace {

BOOST_AUTO_TEST_CASE(a_team_scales_a_vector) {
#include <document_blocks/clusters/scale.inc>
  std::vector<double> x(100, 3);
  RuntimeOptions options;
  options.threads.synthetic_topology = "package:1 core:4 pu:1";
  options.clusters = "1x4";
  Runtime runtime(options);
  const Data data = runtime.vector(x);
  runtime.submit(scale, {data});
  runtime.wait();
  BOOST_TEST(x == std::vector<double>(100, 6), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(clusters_can_be_left_to_the_machine) {
#include <document_blocks/clusters/auto.inc>
  Runtime runtime(options);
  BOOST_TEST(runtime.policy() == "homeward");
}

using cudaStream_t = CUstream_st*;
void subtract_on_gpu(cudaStream_t, MatrixView<const double>, MatrixView<double>) {}

BOOST_AUTO_TEST_CASE(pieces_of_a_task_are_all_of_it) {
  std::vector<double> a(10 * 384, 1), c(10 * 384, 5);
  Runtime runtime;
  const Data ha = runtime.matrix(a.data(), 10, 384, 10), hc = runtime.matrix(c.data(), 10, 384, 10);
#include <document_blocks/pieces/update.inc>
  runtime.wait();
  BOOST_TEST(c == std::vector<double>(10 * 384, 4), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(kernel_times_can_be_kept) {
#include <document_blocks/models/model-folder.inc>
  BOOST_TEST(model_folder_of(options.placement.models) == default_model_folder());
}

BOOST_AUTO_TEST_CASE(data_are_given_a_use_and_kept) {
  Runtime runtime;
  const Data data = runtime.allocate_vector<double>(10);
  const Handle handle = data;
  const int i = 1, j = 2;
#include <document_blocks/eviction/discard.inc>
#include <document_blocks/eviction/keep.inc>
#include <document_blocks/eviction/reuse.inc>
}

using scheduler::Thrifty;

BOOST_AUTO_TEST_CASE(a_policy_of_the_programs_own_places_tasks) {
#include <document_blocks/extending/own-policy.inc>
  int count = 0;
  const Data data = runtime.scalar(count);
  const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](int& value) { ++value; });
  for (int task = 0; task < 10; ++task) runtime.submit(add, {data});
  runtime.wait();
  BOOST_TEST(count == 10);
}

}  // namespace

// This code is compiled but not run: `openmp_team` needs OpenMP, and this machine may have fewer than twenty cores.

TeamPrologue openmp_team;

inline void prologue(Codelet codelet, void (*f)(Team&, VectorView<double>)) {
#include <document_blocks/clusters/openmp.inc>
}

inline void regroup(){
#include <document_blocks/clusters/regroup.inc>
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::documents
