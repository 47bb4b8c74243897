// Tests of discarded content: what is refused afterwards, and in which order. Tasks run one at a time.
#include <array>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/graph/recording_fixture.hpp"
#include "tests/support/random/recording_data.hpp"

namespace troupe::graph {

namespace task_graph_discard {

using tests::contains;
using tests::RecordingFixture;
using tests::submit;
using tests::try_submit;

struct Fixture : RecordingFixture {
  std::vector<double> memory = std::vector<double>(4, 100);
  Handle w = tests::register_matrix(graph, memory, 4, 1, "w");
  Codelet any = Codelet::variadic("any").cpu([](const KernelContext&) {});
  /// A codelet whose kernel performs the action in its argument, and modifies its data.
  Codelet does = Codelet("does", {AccessMode::read_write}).cpu([](double& x, const std::function<void()>* action) {
    (*action)();
    x += 1;
  });

  void refuses(std::initializer_list<Access> accesses, const std::string& why) {
    expect_failure(try_submit(graph, any, accesses), ErrorCode::invalid_argument, why);
  }
  void refuses_discard(const Handle& handle, ErrorCode code, const std::string& why) {
    const Result<void> outcome = graph.discard(handle);
    BOOST_TEST_REQUIRE(!outcome.ok());
    BOOST_TEST((outcome.failure().code == code), outcome.failure().message);
    BOOST_TEST(contains(outcome.failure().message, why), outcome.failure().message);
  }
};

/// A host that notes whose content it is told to be worthless.
class NotingHost final : public GraphHost {
 public:
  void activate(TaskList& tasks, WorkerId) noexcept override { ready.append(tasks); }
  Pump pump() override { return Pump::exhausted; }
  void discard(const DataRecord& data) noexcept override { discarded.push_back(data.handle_id()); }
  void step() {
    TaskList next;
    tests::run_task(graph, *ready.pop_front(), WorkerId(0), next);
    ready.append(next);
  }

  TaskList ready;
  std::vector<HandleId> discarded;
  TaskGraph graph{GraphOptions{}, *this};
};

}  // namespace task_graph_discard

BOOST_FIXTURE_TEST_SUITE(task_graph_discard, Fixture)

BOOST_AUTO_TEST_CASE(discarded_content_cannot_be_read_until_a_task_writes_and_nobody_waits) {
  host.pumps = false;
  submit(graph, twice, {ha});
  submit(graph, copy, {ha, hb});
  BOOST_TEST(graph.discard(ha).ok());
  for (const AccessMode mode : {AccessMode::read, AccessMode::read_write, AccessMode::commute}) {
    refuses({Access(ha, mode)}, "'a' has no valid content: the program has discarded it");
  }
  BOOST_TEST(!graph.acquire(ha, AccessMode::read).ok());
  BOOST_TEST(!graph.begin_acquire(ha, AccessMode::read_write, [] {}).ok());
  submit(graph, set, {ha}, args(7.0));
  submit(graph, copy, {ha, hc});
  // The tasks before the discard see the old content, and the task that writes comes after them.
  host.run_all();
  BOOST_TEST(b == 2);
  BOOST_TEST(c == 7);
  host.pumps = true;
  BOOST_TEST(graph.wait_all().ok());
}

BOOST_AUTO_TEST_CASE(the_program_may_write_what_it_has_discarded) {
  BOOST_TEST(graph.discard(ha).ok());
  graph.give_back(graph.acquire(ha, AccessMode::write).value_or_throw());
  submit(graph, twice, {ha});
  host.run_all();
  BOOST_TEST(a == 2);
}

BOOST_AUTO_TEST_CASE(content_is_discarded_in_kernels_and_callbacks_too) {
  const std::function<void()> action = [&] {
    BOOST_TEST(graph.discard(ha).ok());
    submit(graph, set, {ha}, args(5.0));
  };
  // The kernel still uses the data that it discards: what it writes comes before the discard.
  submit(graph, does, {ha}, args(&action));
  host.run_all();
  BOOST_TEST(a == 5);
  submit(graph, twice, {ha}, {}, {.callback = [&](const TaskOutcome&) { action(); }});
  host.run_all();
  BOOST_TEST(a == 5);
  BOOST_TEST(graph.wait_all().ok());
}

BOOST_AUTO_TEST_CASE(a_whole_is_discarded_with_its_parts_and_a_part_without_its_neighbours) {
  const auto parts = graph.partition(w, std::array{Block{0, 0, 2, 1}, Block{2, 0, 2, 1}}).value_or_throw();
  BOOST_TEST(graph.discard(parts[0]).ok());
  refuses({read(w)}, "'w[0,0]' has no valid content: the program has discarded it");
  refuses({read(parts[0])}, "'w[0,0]'");
  submit(graph, any, {read(parts[1])});
  submit(graph, any, {write(parts[0])});
  submit(graph, any, {read(w)});
  BOOST_TEST(graph.discard(w).ok());
  for (const Handle& part : parts) refuses({read(part)}, "the program has discarded it");
  submit(graph, any, {write(parts[0])});
  refuses({read(w)}, "'w[2,0]' has no valid content");
  submit(graph, any, {write(w)});
  submit(graph, any, {read(w), read(parts[1])});
  host.run_all();
  BOOST_TEST(graph.wait_all().ok());
}

BOOST_AUTO_TEST_CASE(parts_inherit_what_was_discarded_and_hand_it_back) {
  BOOST_TEST(graph.discard(w).ok());
  const auto parts = graph.partition(w, std::array{Block{0, 0, 2, 1}, Block{2, 0, 2, 1}}).value_or_throw();
  refuses({read(parts[1])}, "'w[2,0]' has no valid content: the program has discarded it");
  submit(graph, any, {write(w)});
  BOOST_TEST(graph.discard(parts[1]).ok());
  BOOST_TEST(graph.release(parts[1]).ok());
  refuses({read(w)}, "'w' has no valid content: the program has discarded it");
  submit(graph, any, {write(w)});
  submit(graph, any, {read(w)});
  host.run_all();
}

BOOST_AUTO_TEST_CASE(what_cannot_be_discarded_is_refused_with_the_reason) {
  const double fixed = 1;
  DataDescription description{layout_of<double>(1, 1, 1),
                              const_cast<std::byte*>(reinterpret_cast<const std::byte*>(&fixed)), nullptr, "fixed"};
  description.read_only = true;
  const Handle constant = graph.register_data(std::move(description));
  refuses_discard(constant, ErrorCode::invalid_argument, "'fixed' was registered as const");
  submit(graph, any, {read(constant)});
  const auto inside = tests::record(graph, [&] {
    submit(graph, set, {hb}, args(1.0));
    refuses_discard(ha, ErrorCode::invalid_argument, "'a' was discarded inside of a recording");
  });
  BOOST_TEST(inside->size() == 1U);
  refuses_discard(Handle(), ErrorCode::invalid_handle, "empty handle");
  BOOST_TEST(graph.release(ha).ok());
  refuses_discard(ha, ErrorCode::invalid_handle, "was used after its data were released");
  host.run_all();
}

BOOST_AUTO_TEST_CASE(a_run_of_a_recording_needs_content_where_it_reads_first) {
  const auto reads = tests::record(graph, [&] { submit(graph, copy, {ha, hb}); });
  const auto writes = tests::record(graph, [&] { submit(graph, set, {ha}, args(5.0)); });
  BOOST_TEST(graph.discard(ha).ok());
  expect_failure(graph.replay(reads, {}), ErrorCode::invalid_argument, "the program has discarded it");
  BOOST_TEST(graph.replay(writes, {}).ok());
  BOOST_TEST(graph.replay(reads, {}).ok());
  host.run_all();
  BOOST_TEST(b == 5);
}

BOOST_AUTO_TEST_CASE(a_reduction_begins_anew_and_earlier_reductions_keep_their_beginning) {
  BOOST_TEST(graph.set_reduction(hc, sum_reduction<double>()).ok());
  double sum = 0;
  const Handle seen = tests::register_scalar(graph, sum, "seen");
  // None of these tasks has run when the content is discarded.
  submit(graph, add, {ha, hc});
  submit(graph, copy, {hc, seen});
  BOOST_TEST(graph.discard(hc).ok());
  submit(graph, add, {hb, hc});
  submit(graph, add, {hb, hc});
  host.run_all();
  BOOST_TEST(sum == 4);
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(c == 4);
  // A task that writes comes between the discard and the reduction, which adds to what the task has written.
  BOOST_TEST(graph.discard(hc).ok());
  submit(graph, set, {hc}, args(10.0));
  submit(graph, add, {ha, hc});
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(c == 11);
  // A reduction that nobody has read is discarded with the content.
  submit(graph, add, {ha, hc});
  BOOST_TEST(graph.discard(hc).ok());
  submit(graph, add, {hb, hc});
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(c == 2);
}

BOOST_AUTO_TEST_CASE(a_run_of_a_recording_may_reduce_what_was_discarded) {
  BOOST_TEST(graph.set_reduction(hc, sum_reduction<double>()).ok());
  const auto sums = tests::record(graph, [&] {
    submit(graph, add, {ha, hc});
    submit(graph, copy, {hc, hb});
    submit(graph, add, {ha, hc});
  });
  BOOST_TEST(graph.replay(sums, {}).ok());
  BOOST_TEST(graph.discard(hc).ok());
  BOOST_TEST(graph.replay(sums, {}).ok());
  // The first of the two runs that wait still begins with the old content.
  double first = 0;
  const Handle kept = tests::register_scalar(graph, first, "first");
  while (!host.ready.empty() && b != 4) host.step();
  BOOST_TEST(b == 4);
  host.run_all();
  BOOST_TEST(b == 1);
  BOOST_TEST(c == 2);
  BOOST_TEST(graph.replay(sums, {}).ok());
  submit(graph, copy, {hc, kept});
  host.run_all();
  BOOST_TEST(first == 4);
}

BOOST_AUTO_TEST_CASE(a_failure_before_the_discard_does_not_reach_beyond_it) {
  BOOST_TEST(graph.set_reduction(ha, sum_reduction<double>()).ok());
  broken = true;
  submit(graph, may_fail, {ha}, args(static_cast<RecordingFixture*>(this)));
  BOOST_TEST(graph.discard(ha).ok());
  submit(graph, add, {hb, ha});
  submit(graph, copy, {ha, hc});
  const auto summary = graph.wait_all();
  BOOST_TEST_REQUIRE(!summary.ok());
  BOOST_TEST(contains(summary.failure().message, "failed: disk full"), summary.failure().message);
  BOOST_TEST(!contains(summary.failure().message, "cancelled"), summary.failure().message);
  BOOST_TEST(c == 2);
}

BOOST_AUTO_TEST_CASE(other_memories_hear_of_it_after_the_last_use_and_once_for_each_piece) {
  NotingHost noting;
  const Handle whole = tests::register_matrix(noting.graph, memory, 4, 1, "whole");
  submit(noting.graph, any, {write(whole)});
  BOOST_TEST(noting.graph.discard(whole).ok());
  BOOST_TEST(noting.graph.discard(whole).ok());
  BOOST_TEST(noting.discarded.empty());
  submit(noting.graph, any, {write(whole)});
  noting.step();
  BOOST_TEST((noting.discarded == std::vector{whole.id()}));
  noting.step();
  const auto parts = noting.graph.partition(whole, std::array{Block{0, 0, 1, 1}, Block{1, 0, 3, 1}}).value_or_throw();
  noting.discarded.clear();
  BOOST_TEST(noting.graph.discard(whole).ok());
  BOOST_TEST((noting.discarded == std::vector{parts[0].id(), parts[1].id()}));
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_discards_wait_for_one_task_without_a_chain) {
  submit(graph, twice, {ha});
  for (int i = 0; i < 100000; ++i) BOOST_REQUIRE(graph.discard(ha).ok());
  for (int i = 0; i < 1000; ++i) {
    submit(graph, set, {ha}, args(1.0 * i));
    BOOST_REQUIRE(graph.discard(ha).ok());
  }
  submit(graph, set, {ha}, args(3.0));
  host.run_all();
  BOOST_TEST(a == 3);
}

BOOST_AUTO_TEST_CASE(a_registration_ends_after_a_discard_that_waits) {
  auto memory_of_the_runtime = std::make_shared<double>(1);
  const std::weak_ptr<void> watch = memory_of_the_runtime;
  DataDescription description{layout_of<double>(1, 1, 1), reinterpret_cast<std::byte*>(memory_of_the_runtime.get()),
                              std::move(memory_of_the_runtime), "own"};
  description.hidden = true;
  const Handle own = graph.register_apart(std::move(description)).value_or_throw();
  host.pumps = false;
  submit(graph, twice, {own});
  BOOST_TEST(graph.discard(own).ok());
  BOOST_TEST(graph.release(own).ok());
  BOOST_TEST(!watch.expired());
  host.step();
  BOOST_TEST(watch.expired());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
