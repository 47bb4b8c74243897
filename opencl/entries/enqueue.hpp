/// The steps that are the same in all entries that enqueue a command.
#pragma once

#include <CL/cl.h>

#include <memory>
#include <vector>

#include "opencl/commands/command_order.hpp"
#include "opencl/objects/event.hpp"
#include "opencl/objects/memory.hpp"
#include "opencl/objects/queue.hpp"

namespace troupe::opencl {

/// The arguments of an entry that name the events to wait for, and the place for the command's own event.
struct WaitList {
  cl_uint count = 0;
  const cl_event* events = nullptr;
  /// The place for the command's event; null if the program wants no event.
  cl_event* event = nullptr;
};

/// Returns the events of a list. Refuses with CL_INVALID_EVENT_WAIT_LIST and, for an event of another context,
/// CL_INVALID_CONTEXT.
[[nodiscard]] std::vector<Awaited> awaited_of(const Context& context, const WaitList& list);

/// Enqueues a command, and stores its event if the program wants one. If `blocking`, returns only after the command's
/// end. Refuses with the failure if the command could not be submitted or, with `blocking`, if it failed later.
/// `awaited` is the result of `awaited_of`.
void enqueue(Queue& queue, cl_command_type type, const std::shared_ptr<Command>& command, std::vector<Awaited> awaited,
             const WaitList& list, bool blocking = false, CommandOrder::Before before = CommandOrder::Before::queue);

/// `need_buffer` returns the buffer of a command on this queue; it refuses with CL_INVALID_MEM_OBJECT and
/// CL_INVALID_CONTEXT. `require_aligned` refuses with CL_MISALIGNED_SUB_BUFFER_OFFSET if a sub-buffer's offset is not
/// aligned for the queue's devices.
[[nodiscard]] Memory& need_buffer(const Queue& queue, cl_mem handle);
void require_aligned(const Queue& queue, const Memory& memory);

}  // namespace troupe::opencl
