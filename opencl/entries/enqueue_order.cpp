/// The entries for markers, barriers, and waiting for a queue.
#include "opencl/entries/enqueue.hpp"
#include "opencl/entries/entries.hpp"
#include "opencl/entries/guard.hpp"
#include "opencl/execution/buffer_commands.hpp"

namespace troupe::opencl {

namespace {

using Before = CommandOrder::Before;

void enqueue_marker_of(Queue& queue, cl_command_type type, const WaitList& list, Before with_list, Before without) {
  std::vector<Awaited> awaited = awaited_of(queue.context(), list);
  const Before before = awaited.empty() ? without : with_list;
  enqueue(queue, type, marker_command(queue, std::make_shared<EventState>()), std::move(awaited), list, false, before);
}

}  // namespace

/// Does nothing, because every command is submitted as early as possible.
cl_int flush(cl_command_queue queue) {
  return guarded([&] { (void)need<Queue>(queue); });
}

cl_int finish(cl_command_queue queue) {
  return guarded([&] { need<Queue>(queue).order()->finish(); });
}

cl_int enqueue_marker_with_wait_list(cl_command_queue queue, cl_uint count, const cl_event* events, cl_event* event) {
  return guarded([&] {
    enqueue_marker_of(need<Queue>(queue), CL_COMMAND_MARKER, {count, events, event}, Before::queue, Before::all);
  });
}

cl_int enqueue_marker(cl_command_queue queue, cl_event* event) {
  return guarded([&] {
    Queue& on = need<Queue>(queue);
    require(event != nullptr, CL_INVALID_VALUE);
    enqueue_marker_of(on, CL_COMMAND_MARKER, {0, nullptr, event}, Before::queue, Before::all);
  });
}

cl_int enqueue_barrier_with_wait_list(cl_command_queue queue, cl_uint count, const cl_event* events, cl_event* event) {
  return guarded([&] {
    enqueue_marker_of(need<Queue>(queue), CL_COMMAND_BARRIER, {count, events, event}, Before::hold_later,
                      Before::all_and_hold_later);
  });
}

cl_int enqueue_barrier(cl_command_queue queue) { return enqueue_barrier_with_wait_list(queue, 0, nullptr, nullptr); }

cl_int enqueue_wait_for_events(cl_command_queue queue, cl_uint count, const cl_event* events) {
  return guarded([&] {
    Queue& on = need<Queue>(queue);
    require(count > 0 && events != nullptr, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; ++i) (void)need<Event>(events[i]);
    enqueue_marker_of(on, CL_COMMAND_BARRIER, {count, events, nullptr}, Before::hold_later, Before::all_and_hold_later);
  });
}

}  // namespace troupe::opencl
