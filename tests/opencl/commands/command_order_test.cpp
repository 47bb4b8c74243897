#include "opencl/commands/command_order.hpp"

#include <CL/cl.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(opencl_commands)

namespace command_order {

using namespace troupe::opencl;

/// The commands that have been submitted, in their order. Each is stored with the events for which it waits.
struct Submissions {
  struct One {
    std::string name;
    std::vector<std::string> awaited;
  };

  std::vector<One> all;

  [[nodiscard]] std::string names() const {
    std::string text;
    for (const One& one : all) text += one.name;
    return text;
  }
};

class NamedCommand : public Command {
 public:
  NamedCommand(std::string called, Submissions& to)
      : Command(std::make_shared<EventState>()), name(std::move(called)), submissions(&to) {}

  void submit(const std::vector<std::shared_ptr<Command>>& awaited) override {
    if (refuses) throw std::runtime_error("no");
    Submissions::One one{name, {}};
    for (const auto& command : awaited) one.awaited.push_back(static_cast<NamedCommand&>(*command).name);
    submissions->all.push_back(one);
  }

  const std::string name;
  Submissions* submissions;
  bool refuses = false;
};

using NamedPointer = std::shared_ptr<NamedCommand>;

struct Fixture {
  ~Fixture() {
    order.set(*user, CL_COMPLETE);
    order.set(*other, CL_COMPLETE);
    for (const auto& queue : {in_order, out_of_order}) {
      for (const auto& command : queue->outstanding()) {
        if (!command->ended()) queue->end(*command, CL_COMPLETE);
      }
    }
  }

  NamedPointer enqueue(const std::string& name, const std::shared_ptr<QueueOrder>& queue,
                       const std::vector<Awaited>& awaited = {},
                       CommandOrder::Before before = CommandOrder::Before::queue) {
    auto command = std::make_shared<NamedCommand>(name, submissions);
    BOOST_TEST(order.enqueue(command, queue, awaited, before) == CL_SUCCESS);
    return command;
  }
  static Awaited of(const NamedPointer& command) { return {command, nullptr}; }
  static Awaited of(const std::shared_ptr<EventState>& event) { return {nullptr, event}; }

  Submissions submissions;
  CommandOrder order;
  std::shared_ptr<QueueOrder> in_order = std::make_shared<QueueOrder>(true);
  std::shared_ptr<QueueOrder> out_of_order = std::make_shared<QueueOrder>(false);
  std::shared_ptr<EventState> user = std::make_shared<EventState>(CL_SUBMITTED);
  std::shared_ptr<EventState> other = std::make_shared<EventState>(CL_SUBMITTED);
};

}  // namespace command_order

using namespace command_order;  // NOLINT

BOOST_FIXTURE_TEST_CASE(commands_are_submitted_at_once_with_those_that_they_wait_for, Fixture) {
  const NamedPointer a = enqueue("a", in_order);
  const NamedPointer b = enqueue("b", out_of_order, {of(a)});
  BOOST_TEST(submissions.names() == "ab");
  BOOST_TEST(submissions.all[1].awaited == std::vector<std::string>{"a"}, boost::test_tools::per_element());
  in_order->end(*a, CL_COMPLETE);
  enqueue("c", out_of_order, {of(a)});
  BOOST_TEST(submissions.all[2].awaited.empty());
  BOOST_TEST(b->event()->status() == CL_SUBMITTED);
}

BOOST_FIXTURE_TEST_CASE(events_of_an_in_order_queue_complete_in_its_order, Fixture) {
  const NamedPointer a = enqueue("a", in_order);
  const NamedPointer b = enqueue("b", in_order);
  const NamedPointer c = enqueue("c", in_order);
  in_order->end(*c, CL_COMPLETE);
  in_order->end(*b, CL_OUT_OF_RESOURCES);
  BOOST_TEST(b->ended());
  BOOST_TEST(!b->event()->ended());
  in_order->end(*a, CL_COMPLETE);
  BOOST_TEST(a->event()->status() == CL_COMPLETE);
  BOOST_TEST(b->event()->status() == CL_OUT_OF_RESOURCES);
  BOOST_TEST(c->event()->status() == CL_COMPLETE);
  BOOST_TEST((in_order->last() == nullptr));
}

BOOST_FIXTURE_TEST_CASE(events_of_an_out_of_order_queue_complete_as_commands_end, Fixture) {
  const NamedPointer a = enqueue("a", out_of_order);
  const NamedPointer b = enqueue("b", out_of_order);
  const NamedPointer c = enqueue("c", out_of_order);
  out_of_order->end(*b, CL_COMPLETE);
  BOOST_TEST(b->event()->ended());
  BOOST_TEST(!a->event()->ended());
  BOOST_TEST(out_of_order->outstanding().size() == 2U);
  out_of_order->end(*a, CL_COMPLETE);
  BOOST_TEST((out_of_order->last() == c));
  out_of_order->end(*c, CL_COMPLETE);
  BOOST_TEST(out_of_order->outstanding().empty());
}

BOOST_FIXTURE_TEST_CASE(what_depends_on_an_unset_user_event_is_held_however_far, Fixture) {
  const NamedPointer a = enqueue("a", out_of_order, {of(user)});
  const NamedPointer b = enqueue("b", in_order, {of(a)});
  // Command c comes after b in an in-order queue. It has no other reason to wait.
  const NamedPointer c = enqueue("c", in_order);
  enqueue("d", out_of_order);
  BOOST_TEST(submissions.names() == "d");
  BOOST_TEST(order.held() == 3U);
  BOOST_TEST(a->event()->status() == CL_QUEUED);
  BOOST_TEST(order.set(*user, CL_COMPLETE));
  BOOST_TEST(submissions.names() == "dabc");
  BOOST_TEST(order.held() == 0U);
  BOOST_TEST(submissions.all[2].awaited == std::vector<std::string>{"a"}, boost::test_tools::per_element());
  BOOST_TEST(!order.set(*user, CL_COMPLETE));
}

BOOST_FIXTURE_TEST_CASE(what_is_let_go_is_submitted_in_the_order_in_which_it_was_enqueued, Fixture) {
  const NamedPointer a = enqueue("a", out_of_order, {of(user)});
  enqueue("b", out_of_order, {of(other)});
  enqueue("c", out_of_order, {of(a), of(a), of(user)});
  enqueue("d", out_of_order, {of(user)});
  BOOST_TEST(order.set(*user, CL_COMPLETE));
  BOOST_TEST(submissions.names() == "acd");
  BOOST_TEST(order.set(*other, CL_COMPLETE));
  BOOST_TEST(submissions.names() == "acdb");
}

BOOST_FIXTURE_TEST_CASE(a_failure_of_what_was_awaited_is_seen_and_that_of_a_neighbour_is_not, Fixture) {
  const NamedPointer a = enqueue("a", out_of_order);
  const NamedPointer b = enqueue("b", out_of_order, {of(a)});
  const NamedPointer c = enqueue("c", out_of_order, {of(user)});
  const NamedPointer marker = enqueue("m", out_of_order, {}, CommandOrder::Before::all);
  out_of_order->end(*a, CL_INVALID_KERNEL);
  BOOST_TEST(b->awaited_failure());
  BOOST_TEST(order.set(*user, -7));
  BOOST_TEST(c->awaited_failure());
  BOOST_TEST(!marker->awaited_failure());
}

BOOST_FIXTURE_TEST_CASE(a_barrier_waits_for_all_before_it_and_holds_what_comes_later, Fixture) {
  enqueue("a", out_of_order);
  const NamedPointer barrier = enqueue("B", out_of_order, {}, CommandOrder::Before::all_and_hold_later);
  enqueue("c", out_of_order);
  BOOST_TEST(submissions.all[1].awaited == std::vector<std::string>{"a"}, boost::test_tools::per_element());
  BOOST_TEST(submissions.all[2].awaited == std::vector<std::string>{"B"}, boost::test_tools::per_element());
  out_of_order->end(*barrier, CL_COMPLETE);
  enqueue("d", out_of_order);
  BOOST_TEST(submissions.all[3].awaited.empty());
}

BOOST_FIXTURE_TEST_CASE(a_barrier_with_a_list_waits_for_that_and_for_the_barrier_before_it, Fixture) {
  const NamedPointer a = enqueue("a", out_of_order);
  enqueue("b", out_of_order);
  enqueue("B", out_of_order, {}, CommandOrder::Before::all_and_hold_later);
  enqueue("C", out_of_order, {of(a)}, CommandOrder::Before::hold_later);
  enqueue("d", out_of_order);
  BOOST_TEST(submissions.all[3].awaited == (std::vector<std::string>{"a", "B"}), boost::test_tools::per_element());
  BOOST_TEST(submissions.all[4].awaited == std::vector<std::string>{"C"}, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_barrier_that_is_held_holds_what_comes_later, Fixture) {
  enqueue("a", out_of_order, {of(user)});
  enqueue("B", out_of_order, {}, CommandOrder::Before::all_and_hold_later);
  enqueue("c", out_of_order);
  BOOST_TEST(submissions.names().empty());
  BOOST_TEST(order.set(*user, CL_COMPLETE));
  BOOST_TEST(submissions.names() == "aBc");
}

BOOST_FIXTURE_TEST_CASE(a_command_that_cannot_be_submitted_has_failed, Fixture) {
  const auto command = std::make_shared<NamedCommand>("a", submissions);
  command->refuses = true;
  BOOST_TEST(order.enqueue(command, in_order, {}) == CL_OUT_OF_RESOURCES);
  BOOST_TEST(command->event()->status() == CL_OUT_OF_RESOURCES);
  in_order->finish();
}

BOOST_FIXTURE_TEST_CASE(finishing_waits_for_the_events, Fixture) {
  const NamedPointer a = enqueue("a", in_order);
  const NamedPointer b = enqueue("b", in_order);
  in_order->end(*b, CL_COMPLETE);
  std::jthread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    in_order->end(*a, CL_COMPLETE);
  });
  in_order->finish();
  BOOST_TEST(b->event()->ended());
}

BOOST_FIXTURE_TEST_CASE(ended_commands_let_go_of_what_they_waited_for, Fixture) {
  std::weak_ptr<NamedCommand> first;
  NamedPointer last;
  {
    const NamedPointer a = enqueue("a", in_order);
    first = a;
    last = enqueue("b", in_order, {of(a)});
    in_order->end(*a, CL_COMPLETE);
  }
  BOOST_TEST(!first.expired());
  in_order->end(*last, CL_COMPLETE);
  BOOST_TEST(first.expired());
}

BOOST_AUTO_TEST_CASE(listeners_hear_of_a_status_once_and_with_the_failure) {
  EventState state;
  std::string heard;
  const auto note = [&heard](char name) {
    return [&heard, name](int status) { heard += name + std::to_string(status) + ' '; };
  };
  state.when(CL_COMPLETE, note('c'));
  state.when(CL_RUNNING, note('r'));
  state.when(CL_SUBMITTED, note('s'));
  BOOST_TEST(state.advance(CL_RUNNING));
  BOOST_TEST(heard == "r1 s2 ");
  BOOST_TEST(!state.advance(CL_SUBMITTED));
  BOOST_TEST(state.end(-5));
  BOOST_TEST(heard == "r1 s2 c-5 ");
  state.when(CL_COMPLETE, note('l'));
  BOOST_TEST(heard == "r1 s2 c-5 l-5 ");
  BOOST_TEST(!state.end(CL_COMPLETE));
  BOOST_TEST(state.wait() == -5);
}

BOOST_AUTO_TEST_CASE(times_of_an_event_are_in_order) {
  EventState state;
  const std::uint64_t started = EventState::now();
  state.end(CL_COMPLETE, started);
  const EventState::Times times = state.times();
  BOOST_TEST(times.queued != 0U);
  BOOST_TEST(times.queued <= times.submitted);
  BOOST_TEST(times.submitted <= times.started);
  BOOST_TEST(times.started <= times.ended);
  BOOST_TEST(times.started == started);
}

BOOST_AUTO_TEST_SUITE_END()
