#include "opencl/entries/enqueue.hpp"

#include <utility>

namespace troupe::opencl {

std::vector<Awaited> awaited_of(const Context& context, const WaitList& list) {
  require((list.count == 0) == (list.events == nullptr), CL_INVALID_EVENT_WAIT_LIST);
  std::vector<Awaited> awaited;
  awaited.reserve(list.count);
  for (cl_uint i = 0; i < list.count; ++i) {
    const Event* const event = find<Event>(list.events[i]);
    require(event != nullptr, CL_INVALID_EVENT_WAIT_LIST);
    require(&event->context() == &context, CL_INVALID_CONTEXT);
    awaited.push_back(event->awaited());
  }
  return awaited;
}

void enqueue(Queue& queue, cl_command_type type, const std::shared_ptr<Command>& command, std::vector<Awaited> awaited,
             const WaitList& list, bool blocking, CommandOrder::Before before) {
  // The event is made first, because an enqueued command cannot be taken back.
  Event* const event = list.event != nullptr ? new Event(queue, type, command) : nullptr;
  const cl_int status = queue.context().order().enqueue(command, queue.order(), std::move(awaited), before);
  if (status != CL_SUCCESS) {
    if (event != nullptr) event->release();
    throw Refusal(status);
  }
  if (event != nullptr) *list.event = event->handle();
  if (blocking) accept(command->event()->wait());
}

Memory& need_buffer(const Queue& queue, cl_mem handle) {
  Memory& memory = need<Memory>(handle);
  require(&memory.context() == &queue.context(), CL_INVALID_CONTEXT);
  return memory;
}

void require_aligned(const Queue& queue, const Memory& memory) {
  if (memory.offset() == 0) return;
  for (const RealDevice* device : queue.real_devices()) {
    require(memory.offset() % device->offset_alignment() == 0, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  }
}

}  // namespace troupe::opencl
