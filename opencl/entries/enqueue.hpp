/// What all entries that enqueue a command have in common.
#pragma once

#include <CL/cl.h>

#include <memory>
#include <vector>

#include "opencl/commands/command_order.hpp"
#include "opencl/objects/event.hpp"
#include "opencl/objects/memory.hpp"
#include "opencl/objects/queue.hpp"

namespace troupe::opencl {

/// The arguments of an entry by which its command waits for others, and can be waited for.
struct WaitList {
  cl_uint count = 0;
  const cl_event* events = nullptr;
  /// Null: nobody wants an event.
  cl_event* event = nullptr;
};

/// The events of a list. Refuses with CL_INVALID_EVENT_WAIT_LIST and, for one of another context, CL_INVALID_CONTEXT.
[[nodiscard]] std::vector<Awaited> awaited_of(const Context& context, const WaitList& list);

/// Enqueues a command, and returns its event where one is wanted. `blocking`: after its end. Refuses with what the
/// command fails with, as far as it is known by then. `awaited`: of `awaited_of`.
void enqueue(Queue& queue, cl_command_type type, const std::shared_ptr<Command>& command, std::vector<Awaited> awaited,
             const WaitList& list, bool blocking = false, CommandOrder::Before before = CommandOrder::Before::queue);

/// The buffer of a command on this queue. Refuses with CL_INVALID_MEM_OBJECT, CL_INVALID_CONTEXT and, for a part that
/// the queue's devices cannot address, CL_MISALIGNED_SUB_BUFFER_OFFSET.
[[nodiscard]] Memory& need_buffer(const Queue& queue, cl_mem handle);
void require_aligned(const Queue& queue, const Memory& memory);

}  // namespace troupe::opencl
