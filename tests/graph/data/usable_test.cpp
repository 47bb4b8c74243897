// Tests memory without content, and memory that must not be written. Tasks run one at a time.
#include "graph/data/usable.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/graph/recording_fixture.hpp"

namespace troupe::graph {

namespace usable {

using tests::contains;
using tests::RecordingFixture;
using tests::submit;
using tests::try_submit;

/// A fixture that can also register memory to which nobody has written. Such data have no valid content.
struct Fixture : RecordingFixture {
  std::array<double, 4> memory{100, 100, 100, 100};
  Handle x = memory_named("x", 1);

  Handle memory_named(const std::string& name, std::int64_t count, bool read_only = false) {
    DataDescription description{layout_of<double>(count, 1, count), reinterpret_cast<std::byte*>(memory.data()),
                                nullptr, name};
    description.unwritten = !read_only;
    description.read_only = read_only;
    return graph.register_data(std::move(description));
  }
  void refuses(const Codelet& codelet, std::initializer_list<Access> accesses, const std::string& why) {
    const auto outcome = try_submit(graph, codelet, accesses);
    expect_failure(outcome, ErrorCode::invalid_argument, why);
    expect_failure(outcome, ErrorCode::invalid_argument, "'" + codelet.name() + "'");
  }
};

}  // namespace usable

BOOST_FIXTURE_TEST_SUITE(usable, Fixture)

BOOST_AUTO_TEST_CASE(what_nobody_has_written_cannot_be_read) {
  const Codelet any = Codelet::variadic("any").cpu([](const KernelContext&) {});
  for (const AccessMode mode : {AccessMode::read, AccessMode::read_write, AccessMode::commute}) {
    refuses(any, {Access(x, mode)}, "'x' has no valid content");
  }
  refuses(copy, {x, hb}, "access 0 ('x') is used in mode read");
  BOOST_TEST(!graph.acquire(x, AccessMode::read).ok());
  BOOST_TEST(!graph.acquire(x, AccessMode::read_write).ok());
  BOOST_TEST(!graph.begin_acquire(x, AccessMode::read, [] {}).ok());
  BOOST_TEST(graph.progress().submitted == 0U);
  // Data become usable when a task that writes them has been submitted, even before the task has run.
  submit(graph, set, {x}, args(7.0));
  submit(graph, copy, {x, hb});
  host.run_all();
  BOOST_TEST(b == 7);
}

BOOST_AUTO_TEST_CASE(the_program_may_write_first) {
  graph.give_back(graph.acquire(x, AccessMode::write).value_or_throw());
  submit(graph, twice, {x});
  host.run_all();
  BOOST_TEST(memory[0] == 200);
}

BOOST_AUTO_TEST_CASE(a_writer_that_fails_leaves_no_content_either) {
  const Codelet fails = Codelet("fails", {AccessMode::write}).cpu([](double&) { throw std::runtime_error("broken"); });
  submit(graph, fails, {x});
  submit(graph, copy, {x, hb});
  host.run_all();
  const auto summary = graph.wait_all();
  BOOST_TEST_REQUIRE(!summary.ok());
  BOOST_TEST(contains(summary.failure().message, "1 task failed, 1 task was cancelled"));
}

BOOST_AUTO_TEST_CASE(a_whole_has_content_when_all_its_parts_have) {
  const Handle whole = memory_named("w", 4);
  const Codelet any = Codelet::variadic("any").cpu([](const KernelContext&) {});
  const auto parts = graph.partition(whole, std::array{Block{0, 0, 1, 1}, Block{1, 0, 2, 1}}).value_or_throw();
  submit(graph, set, {parts[0]}, args(1.0));
  submit(graph, any, {read(parts[0])});
  refuses(any, {read(whole)}, "'w'");
  refuses(any, {read(parts[1])}, "'w[1,0]' has no valid content");
  submit(graph, any, {write(parts[1])});
  // The fourth element belongs to no part and has no content.
  refuses(any, {read(whole)}, "'w' has no valid content");
  const Handle rest = graph.partition(whole, std::array{Block{3, 0, 1, 1}}).value_or_throw()[0];
  refuses(any, {read(whole)}, "'w[3,0]' has no valid content");
  submit(graph, any, {write(rest)});
  submit(graph, any, {read(whole)});
  host.run_all();
  // When parts are released, the whole takes over their content.
  const Handle other = memory_named("v", 4);
  const auto halves = graph.partition(other, std::array{Block{0, 0, 2, 1}, Block{2, 0, 2, 1}}).value_or_throw();
  submit(graph, any, {write(halves[0])});
  host.run_all();
  BOOST_TEST(graph.release(halves[1]).ok());
  refuses(any, {read(other)}, "'v' has no valid content");
  submit(graph, any, {write(other)});
  submit(graph, any, {read(other)});
}

BOOST_AUTO_TEST_CASE(a_reduction_begins_with_the_neutral_element) {
  BOOST_TEST(graph.set_reduction(x, sum_reduction<double>()).ok());
  submit(graph, add, {ha, x});
  submit(graph, add, {hb, x});
  submit(graph, copy, {x, hc});
  host.run_all();
  BOOST_TEST(c == 3);
  // A later reduction adds to the sum that the data already contain.
  submit(graph, add, {ha, x});
  submit(graph, copy, {x, hc});
  host.run_all();
  BOOST_TEST(c == 4);
}

BOOST_AUTO_TEST_CASE(a_run_of_a_recording_needs_content_where_it_reads_first) {
  const auto reads = tests::record(graph, [&] { submit(graph, copy, {x, hb}); });
  const auto writes = tests::record(graph, [&] {
    submit(graph, set, {x}, args(5.0));
    submit(graph, copy, {x, hb});
  });
  expect_failure(graph.replay(reads, {}), ErrorCode::invalid_argument, "'x' has no valid content");
  const Rebinding other{ha, x};
  const auto from_a = tests::record(graph, [&] { submit(graph, copy, {ha, hb}); });
  expect_failure(graph.replay(from_a, {&other, 1}), ErrorCode::invalid_argument, "'x' has no valid content");
  BOOST_TEST(graph.replay(writes, {}).ok());
  BOOST_TEST(graph.replay(reads, {}).ok());
  BOOST_TEST(graph.replay(from_a, {&other, 1}).ok());
  host.run_all();
  BOOST_TEST(b == 5);
}

BOOST_AUTO_TEST_CASE(memory_that_is_const_is_only_read) {
  const Handle fixed = memory_named("fixed", 4, true);
  const Codelet any = Codelet::variadic("any").cpu([](const KernelContext&) {});
  for (const AccessMode mode : {AccessMode::write, AccessMode::read_write, AccessMode::commute}) {
    refuses(any, {Access(fixed, mode)}, "'fixed' was registered as const");
  }
  BOOST_TEST(!graph.acquire(fixed, AccessMode::write).ok());
  const Handle part = graph.partition(fixed, std::array{Block{0, 0, 2, 1}}).value_or_throw()[0];
  refuses(any, {write(part)}, "was registered as const");
  submit(graph, any, {read(part), read(fixed)});
  host.run_all();
  const auto writes = tests::record(graph, [&] { submit(graph, any, {write(ha)}); });
  const Handle scalar = memory_named("one", 1, true);
  const Rebinding to_const{ha, scalar};
  expect_failure(graph.replay(writes, {&to_const, 1}), ErrorCode::invalid_argument, "'one' was registered as const");
}

BOOST_AUTO_TEST_CASE(memory_that_is_used_again_is_looked_at_anew) {
  submit(graph, set, {x}, args(7.0));
  host.run_all();
  BOOST_TEST(graph.release(x).ok());
  const Handle again = memory_named("again", 1);
  refuses(copy, {again, hb}, "'again' has no valid content");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
