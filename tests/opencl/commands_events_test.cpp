#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>
#include <utility>

#include "tests/opencl/commands_fixture.hpp"

namespace troupe::tests {

BOOST_FIXTURE_TEST_SUITE(commands_events, CommandsFixture)

namespace {

/// Records the calls of event callbacks, which come from another thread.
struct Told {
  std::atomic<int> calls{0};
  std::atomic<int> status{99};

  static void CL_CALLBACK hear(cl_event, cl_int status, void* self) {
    auto& told = *static_cast<Told*>(self);
    told.status = status;
    ++told.calls;
  }
  static void CL_CALLBACK hear_of_memory(cl_mem, void* self) { ++static_cast<Told*>(self)->calls; }
  [[nodiscard]] bool heard() const {
    for (int i = 0; i < 2000 && calls == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return calls == 1;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(commands_run_when_their_user_event_is_set_and_it_is_set_once) {
  if (!has_devices()) return;
  const OwnedMemory buffer = make_words({1});
  const OwnedEventOf user = make_user_event();
  BOOST_TEST(status_of(user) == CL_SUBMITTED);
  const OwnedEventOf first = fill_word(in_order, buffer, 2, user);
  // The second command waits for the first one, which is before it in its queue. The third command is in the other
  // queue and waits for the second command's event.
  const OwnedEventOf second = fill_word(in_order, buffer, 3, nullptr);
  const OwnedEventOf third = fill_word(out_of_order, buffer, 4, second);
  BOOST_TEST(status_of(first) > CL_COMPLETE);
  BOOST_TEST(status_of(third) > CL_COMPLETE);
  BOOST_TEST(table().clSetUserEventStatus(user, CL_RUNNING) == CL_INVALID_VALUE);
  BOOST_TEST(table().clSetUserEventStatus(first, CL_COMPLETE) == CL_INVALID_EVENT);
  BOOST_TEST(table().clSetUserEventStatus(user, CL_COMPLETE) == CL_SUCCESS);
  BOOST_TEST(table().clSetUserEventStatus(user, CL_COMPLETE) == CL_INVALID_OPERATION);
  const cl_event all[] = {third, first, user};
  BOOST_TEST(table().clWaitForEvents(3, all) == CL_SUCCESS);
  BOOST_TEST(content(buffer, 1).front() == 4U);
}

BOOST_AUTO_TEST_CASE(what_waits_for_a_failure_does_not_run_and_says_so) {
  if (!has_devices()) return;
  const OwnedMemory buffer = make_words({1});
  const OwnedEventOf user = make_user_event();
  const OwnedEventOf first = fill_word(out_of_order, buffer, 2, user);
  const OwnedEventOf second = fill_word(out_of_order, buffer, 3, first);
  BOOST_TEST(table().clSetUserEventStatus(user, -7) == CL_SUCCESS);
  const cl_event waited = second;
  BOOST_TEST(table().clWaitForEvents(1, &waited) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  BOOST_TEST(status_of(user) == -7);
  BOOST_TEST(status_of(first) < 0);
  BOOST_TEST(status_of(second) < 0);
  BOOST_TEST(content(buffer, 1).front() == 1U);
  // A blocking command returns the failure.
  cl_uint word = 0;
  const cl_event failed = first;
  BOOST_TEST(table().clEnqueueReadBuffer(out_of_order, buffer, CL_TRUE, 0, 4, &word, 1, &failed, nullptr) ==
             CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  BOOST_TEST(word == 0U);
  BOOST_TEST(table().clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_END, 0, nullptr, nullptr) ==
             CL_PROFILING_INFO_NOT_AVAILABLE);
}

BOOST_AUTO_TEST_CASE(callbacks_are_called_once_for_each_state_with_it_or_with_the_failure) {
  if (!has_devices()) return;
  const OwnedMemory buffer = make_words({1});
  for (const cl_int outcome : {CL_COMPLETE, -5}) {
    const OwnedEventOf user = make_user_event();
    const OwnedEventOf command = fill_word(in_order, buffer, 2, user);
    Told told[3];
    const cl_int states[] = {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE};
    for (int i = 0; i < 3; ++i) {
      BOOST_TEST(table().clSetEventCallback(command, states[i], Told::hear, &told[i]) == CL_SUCCESS);
    }
    BOOST_TEST(told[2].calls == 0);
    BOOST_TEST(table().clSetUserEventStatus(user, outcome) == CL_SUCCESS);
    for (const Told& one : told) BOOST_TEST(one.heard());
    if (outcome == CL_COMPLETE) {
      for (int i = 0; i < 3; ++i) BOOST_TEST(told[i].status == states[i]);
    } else {
      BOOST_TEST(told[2].status < 0);
    }
    // If the command has ended already, a new callback is called at once.
    Told late;
    BOOST_TEST(table().clSetEventCallback(command, CL_COMPLETE, Told::hear, &late) == CL_SUCCESS);
    BOOST_TEST(late.heard());
    BOOST_TEST(table().clSetEventCallback(command, CL_QUEUED, Told::hear, &late) == CL_INVALID_VALUE);
    BOOST_TEST(table().clSetEventCallback(command, CL_COMPLETE, nullptr, nullptr) == CL_INVALID_VALUE);
  }
}

BOOST_AUTO_TEST_CASE(profiling_has_four_times_in_order_where_the_queue_measures) {
  if (!has_devices()) return;
  const OwnedMemory buffer = make_words({1});
  const OwnedEventOf event = fill_word(in_order, buffer, 2, nullptr);
  BOOST_TEST(table().clFinish(in_order) == CL_SUCCESS);
  cl_ulong last = 1;
  for (const cl_profiling_info what : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                       CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END}) {
    const auto time = info_of<cl_ulong>(table().clGetEventProfilingInfo, event.get(), what);
    BOOST_TEST(time >= last);
    last = time;
  }
  const OwnedQueue unmeasured = make_queue(0);
  const OwnedEventOf other = fill_word(unmeasured, buffer, 2, nullptr);
  BOOST_TEST(table().clFinish(unmeasured) == CL_SUCCESS);
  BOOST_TEST(table().clGetEventProfilingInfo(other, CL_PROFILING_COMMAND_END, 0, nullptr, nullptr) ==
             CL_PROFILING_INFO_NOT_AVAILABLE);
}

BOOST_AUTO_TEST_CASE(markers_and_barriers_end_after_all_that_is_before_them) {
  if (!has_devices()) return;
  const OwnedMemory buffer = make_words({1});
  const OwnedMemory other = make_words({1});
  const OwnedEventOf user = make_user_event();
  const OwnedEventOf held = fill_word(out_of_order, buffer, 2, user);
  cl_event made = nullptr;
  BOOST_TEST(table().clEnqueueMarkerWithWaitList(out_of_order, 0, nullptr, &made) == CL_SUCCESS);
  const OwnedEventOf marker(made);
  const OwnedEventOf passes = fill_word(out_of_order, other, 5, nullptr);
  const cl_event waited = passes;
  BOOST_TEST(table().clWaitForEvents(1, &waited) == CL_SUCCESS);
  BOOST_TEST(status_of(marker) > CL_COMPLETE);
  BOOST_TEST(table().clEnqueueBarrierWithWaitList(out_of_order, 0, nullptr, nullptr) == CL_SUCCESS);
  const OwnedEventOf behind = fill_word(out_of_order, other, 6, nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  BOOST_TEST(status_of(behind) > CL_COMPLETE);
  BOOST_TEST(table().clSetUserEventStatus(user, CL_COMPLETE) == CL_SUCCESS);
  BOOST_TEST(table().clFinish(out_of_order) == CL_SUCCESS);
  BOOST_TEST(status_of(marker) == CL_COMPLETE);
  BOOST_TEST(content(other, 1).front() == 6U);
}

BOOST_AUTO_TEST_CASE(finishing_an_empty_queue_returns) {
  if (!has_devices()) return;
  for (const OwnedQueue* queue : {&in_order, &out_of_order}) {
    BOOST_TEST(table().clFinish(*queue) == CL_SUCCESS);
    BOOST_TEST(table().clFlush(*queue) == CL_SUCCESS);
  }
}

BOOST_AUTO_TEST_CASE(everything_may_be_released_while_commands_that_use_it_are_held) {
  if (!has_devices()) return;
  const OwnedMemory kept = make_words({1});
  Told destroyed;
  const OwnedEventOf user = make_user_event();
  OwnedEventOf last;
  {
    const OwnedQueue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const OwnedMemory gone = make_words({7});
    BOOST_TEST(table().clSetMemObjectDestructorCallback(gone, Told::hear_of_memory, &destroyed) == CL_SUCCESS);
    const OwnedEventOf first = fill_word(queue, gone, 8, user);
    const cl_event after = first;
    cl_event copied = nullptr;
    BOOST_TEST(table().clEnqueueCopyBuffer(queue, gone, kept, 0, 0, 4, 1, &after, &copied) == CL_SUCCESS);
    BOOST_TEST(table().clEnqueueBarrierWithWaitList(queue, 0, nullptr, nullptr) == CL_SUCCESS);
    last = OwnedEventOf(copied);
  }
  BOOST_TEST(destroyed.calls == 0);
  BOOST_TEST(table().clSetUserEventStatus(user, CL_COMPLETE) == CL_SUCCESS);
  const cl_event waited = last;
  BOOST_TEST(table().clWaitForEvents(1, &waited) == CL_SUCCESS);
  BOOST_TEST(destroyed.heard());
  BOOST_TEST(content(kept, 1).front() == 8U);
}

BOOST_AUTO_TEST_CASE(wrong_lists_of_events_are_refused) {
  if (!has_devices()) return;
  const OwnedMemory buffer = make_words({1});
  const OwnedEventOf user = make_user_event();
  const cl_event event = user;
  const cl_event no_event = nullptr;
  cl_int status = 1;
  const OwnedEventOf of_other_context(table().clCreateUserEvent(context, &status));
  const cl_event foreign = of_other_context;
  const auto marker = table().clEnqueueMarkerWithWaitList;
  BOOST_TEST(marker(in_order, 1, nullptr, nullptr) == CL_INVALID_EVENT_WAIT_LIST);
  BOOST_TEST(marker(in_order, 0, &event, nullptr) == CL_INVALID_EVENT_WAIT_LIST);
  BOOST_TEST(marker(in_order, 1, &no_event, nullptr) == CL_INVALID_EVENT_WAIT_LIST);
  BOOST_TEST(marker(in_order, 1, &foreign, nullptr) == CL_INVALID_CONTEXT);
  BOOST_TEST(table().clWaitForEvents(0, &event) == CL_INVALID_VALUE);
  BOOST_TEST(table().clWaitForEvents(1, &no_event) == CL_INVALID_EVENT);
  const cl_event both[] = {event, foreign};
  BOOST_TEST(table().clWaitForEvents(2, both) == CL_INVALID_CONTEXT);
  BOOST_TEST(table().clEnqueueWaitForEvents(in_order, 1, &no_event) == CL_INVALID_EVENT);
  BOOST_TEST(table().clEnqueueMarker(in_order, nullptr) == CL_INVALID_VALUE);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
