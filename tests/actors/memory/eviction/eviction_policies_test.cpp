#include "actors/memory/eviction/eviction_policies.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <vector>

#include "actors/memory/eviction/furthest_next_use.hpp"
#include "actors/memory/eviction/reuse_index.hpp"
#include "tests/actors/memory/memory_fixture.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(eviction_policies)

namespace {

constexpr NodeId kNode{1};
constexpr NodeId kOther{2};
constexpr std::size_t kAll = 1000;
const EvictionPolicy::Candidate kAny = [](HandleId) { return true; };

HandleId first(EvictionPolicy& policy, NodeId node = kNode) { return policy.next_victim(node, kAny, kAll); }

BOOST_AUTO_TEST_CASE(policies_have_names_and_others_are_refused_with_all_of_them) {
  for (const std::string_view name : eviction_policy_names()) BOOST_TEST(make_eviction_policy(name).ok());
  const auto unknown = make_eviction_policy("belady");
  BOOST_REQUIRE(!unknown);
  BOOST_TEST((unknown.failure().code == ErrorCode::invalid_argument));
  for (const std::string_view part : {"'belady'", "lru", "reuse", "next-use"}) {
    BOOST_TEST(unknown.failure().message.find(part) != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(the_lowest_reuse_index_goes_first_and_of_equals_the_oldest) {
  ReuseIndex policy;
  policy.set_reuse(HandleId(1), 5);
  policy.set_reuse(HandleId(2), -1);
  for (const std::uint64_t id : {1, 2, 3, 4}) policy.inserted(kNode, HandleId(id));
  BOOST_TEST((first(policy) == HandleId(2)));
  policy.removed(kNode, HandleId(2));
  // The test has set no reuse for handle 3, so the policy assumes a reuse of 0.
  BOOST_TEST((first(policy) == HandleId(3)));
  policy.touched(kNode, HandleId(3));
  BOOST_TEST((first(policy) == HandleId(4)));
  policy.set_reuse(HandleId(4), 6);
  policy.set_reuse(HandleId(3), 6);
  BOOST_TEST((first(policy) == HandleId(1)));
  policy.removed(kNode, HandleId(1));
  BOOST_TEST((first(policy) == HandleId(4)));
}

BOOST_AUTO_TEST_CASE(only_so_many_of_the_first_are_looked_at) {
  ReuseIndex policy;
  for (const std::uint64_t id : {1, 2, 3}) policy.inserted(kNode, HandleId(id));
  const auto last = [](HandleId handle) { return handle == HandleId(3); };
  BOOST_TEST((policy.next_victim(kNode, last, 3) == HandleId(3)));
  BOOST_TEST(!policy.next_victim(kNode, last, 2).valid());
}

/// Two nodes that hold handles 0 to 5, which were used in this order.
struct Foreseen {
  Foreseen() : upcoming(std::make_shared<UpcomingTasks>()), policy(upcoming) {
    for (std::uint64_t id = 0; id < 6; ++id) {
      policy.inserted(kNode, HandleId(id));
      policy.inserted(kOther, HandleId(id));
    }
  }
  void submit(std::uint64_t task, const std::vector<Use>& uses) { upcoming->add(TaskId(task), uses); }
  /// Returns the order in which the node would evict its data.
  std::vector<std::uint64_t> order(NodeId node = kNode) {
    std::vector<std::uint64_t> order;
    const auto not_yet = [&](HandleId handle) { return std::ranges::find(order, handle.value()) == order.end(); };
    for (HandleId next; (next = policy.next_victim(node, not_yet, kAll)).valid();) order.push_back(next.value());
    return order;
  }
  std::shared_ptr<UpcomingTasks> upcoming;
  FurthestNextUse policy;
};

using Order = std::vector<std::uint64_t>;

BOOST_AUTO_TEST_CASE(numbers_of_tasks_may_have_gaps) {
  Foreseen known;
  known.submit(1, {{HandleId(0), AccessMode::read, {}}});
  known.submit(std::uint64_t{1} << 50U, {{HandleId(1), AccessMode::read, {}}});
  BOOST_TEST((known.order() == Order{2, 3, 4, 5, 0, 1}));
  known.policy.begun(TaskId(1));
  known.policy.begun(TaskId(std::uint64_t{1} << 50U));
  BOOST_TEST((known.order() == Order{0, 1, 2, 3, 4, 5}));
}

BOOST_AUTO_TEST_CASE(without_a_known_future_the_least_recently_used_goes_first) {
  Foreseen known;
  known.policy.touched(kNode, HandleId(0));
  BOOST_TEST(known.order() == (Order{1, 2, 3, 4, 5, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_no_task_uses_goes_first) {
  Foreseen known;
  known.submit(10, {read(0), read(1)});
  known.submit(15, {read(0), read(3)});  // Task ids may have gaps.
  BOOST_TEST(known.order() == (Order{2, 4, 5, 0, 1, 3}), boost::test_tools::per_element());
  known.policy.begun(TaskId(15));
  BOOST_TEST(known.order() == (Order{2, 3, 4, 5, 0, 1}), boost::test_tools::per_element());
  known.policy.begun(TaskId(10));
  BOOST_TEST(known.order() == (Order{0, 1, 2, 3, 4, 5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(where_tasks_are_placed_well_ahead_what_is_used_by_those_submitted_last_goes_first) {
  Foreseen known;
  known.submit(10, {read(0), read(1)});
  known.submit(11, {read(2), read(1)});
  known.submit(15, {read(0), read(3)});
  for (std::uint64_t task = 20; task < 28; ++task) {
    known.submit(task, {read(5)});
    known.policy.expected(kNode, TaskId(task), {});
  }
  BOOST_TEST(known.order() == (Order{4, 3, 2, 0, 1, 5}), boost::test_tools::per_element());
  BOOST_TEST(known.order(kOther) == (Order{4, 5, 0, 1, 2, 3}), boost::test_tools::per_element());
  known.policy.begun(TaskId(10));
  for (std::uint64_t task = 20; task < 24; ++task) known.policy.begun(TaskId(task));
  BOOST_TEST(known.order() == (Order{4, 0, 3, 1, 2, 5}), boost::test_tools::per_element());
  known.policy.begun(TaskId(24));  // The node expects too few tasks to know how early tasks are placed.
  BOOST_TEST(known.order() == (Order{4, 0, 1, 2, 3, 5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_expected_on_the_node_stays_longest_and_what_another_expects_goes_first) {
  Foreseen known;
  for (std::uint64_t task = 0; task < 4; ++task) known.submit(task, {read(task)});
  known.policy.expected(kNode, TaskId(3), {});
  known.policy.expected(kNode, TaskId(2), {});
  known.policy.expected(kOther, TaskId(0), {});
  BOOST_TEST(known.order() == (Order{0, 4, 5, 1, 2, 3}), boost::test_tools::per_element());
  BOOST_TEST(known.order(kOther) == (Order{2, 3, 4, 5, 1, 0}), boost::test_tools::per_element());
  BOOST_TEST(!known.policy.gives_way_to_prefetches(kNode, HandleId(3)));
  BOOST_TEST(known.policy.gives_way_to_prefetches(kNode, HandleId(1)));
  known.policy.expected(kOther, TaskId(3), {});  // Another worker has stolen the task.
  BOOST_TEST(known.order() == (Order{0, 3, 4, 5, 1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(tasks_that_are_dropped_need_nothing) {
  Foreseen known;
  known.submit(0, {read(0), read(0)});
  known.submit(1, {read(1)});
  known.policy.expected(kNode, TaskId(0), {});
  known.upcoming->dropped(TaskId(0));
  BOOST_TEST(known.order() == (Order{0, 2, 3, 4, 5, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(tasks_that_use_the_same_data_may_go_in_any_order) {
  Foreseen known;
  const auto expect = [&](std::uint64_t task, std::uint64_t handle) {
    known.submit(task, {read(handle)});
    known.policy.expected(kNode, TaskId(task), {});
  };
  for (const std::uint64_t task : {10, 20, 30}) {
    expect(task, 0);
    if (task < 30) expect(task + 5, task / 10);
  }
  BOOST_TEST(known.order() == (Order{3, 4, 5, 2, 1, 0}), boost::test_tools::per_element());
  known.policy.begun(TaskId(20));
  BOOST_TEST(known.order() == (Order{3, 4, 5, 2, 1, 0}), boost::test_tools::per_element());
  known.policy.begun(TaskId(10));
  BOOST_TEST(known.order() == (Order{3, 4, 5, 0, 2, 1}), boost::test_tools::per_element());
  known.policy.begun(TaskId(30));
  BOOST_TEST(known.order() == (Order{0, 3, 4, 5, 2, 1}), boost::test_tools::per_element());
  expect(40, 0);
  BOOST_TEST(known.order() == (Order{3, 4, 5, 0, 2, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(locked_data_go_when_nothing_else_can) {
  Driven memory(tiles({2}));
  memory.run(1, 1, {read(0)});
  memory.run(2, 1, {read(1)});
  memory.core.lock(HandleId(0));
  memory.core.lock(HandleId(0));
  memory.core.unlock(HandleId(0));
  memory.run(3, 1, {read(2)});
  BOOST_TEST((memory.state(0, 1) == ReplicaState::shared));
  BOOST_TEST((memory.state(1, 1) == ReplicaState::invalid));
  memory.core.lock(HandleId(2));
  memory.run(4, 1, {read(3), read(4)});
  BOOST_TEST((memory.state(0, 1) == ReplicaState::invalid));
  BOOST_TEST((memory.state(2, 1) == ReplicaState::invalid));
}

BOOST_AUTO_TEST_CASE(unlocked_or_forgotten_data_go_like_all_others) {
  for (const bool forget : {true, false}) {
    Driven memory(tiles({2}));
    memory.core.lock(HandleId(0));
    if (forget) memory.forget(0);
    memory.core.unlock(HandleId(0));
    memory.core.unlock(HandleId(0));
    memory.run(1, 1, {read(0)});
    memory.run(2, 1, {read(1)});
    memory.run(3, 1, {read(2)});
    BOOST_TEST((memory.state(0, 1) == ReplicaState::invalid));
  }
}

BOOST_AUTO_TEST_CASE(a_prefetch_does_not_take_the_place_of_locked_data) {
  Driven memory(tiles({1}));
  memory.run(1, 1, {read(0)});
  memory.core.lock(HandleId(0));
  memory.prefetch(1, {read(1)});
  BOOST_TEST(memory.commands.empty());
  memory.core.unlock(HandleId(0));
  memory.prefetch(1, {read(1)});
  BOOST_TEST(memory.transfers().size() == 1U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
