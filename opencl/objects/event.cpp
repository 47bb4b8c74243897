#include "opencl/objects/event.hpp"

namespace troupe::opencl {

void Event::info(cl_event_info what, const Info& answer) {
  switch (what) {
    case CL_EVENT_COMMAND_QUEUE: return answer.value(queue_ ? queue_->handle() : nullptr);
    case CL_EVENT_CONTEXT: return answer.value(context_->handle());
    case CL_EVENT_COMMAND_TYPE: return answer.value(type_);
    case CL_EVENT_COMMAND_EXECUTION_STATUS: return answer.value(cl_int{state_->status()});
    case CL_EVENT_REFERENCE_COUNT: return answer.value(user_references());
    default: throw Refusal(CL_INVALID_VALUE);
  }
}

void Event::profiling_info(cl_profiling_info what, const Info& answer) {
  require(queue_ && queue_->profiling() && state_->status() == CL_COMPLETE, CL_PROFILING_INFO_NOT_AVAILABLE);
  const EventState::Times times = state_->times();
  switch (what) {
    case CL_PROFILING_COMMAND_QUEUED: return answer.value(cl_ulong{times.queued});
    case CL_PROFILING_COMMAND_SUBMIT: return answer.value(cl_ulong{times.submitted});
    case CL_PROFILING_COMMAND_START: return answer.value(cl_ulong{times.started});
    case CL_PROFILING_COMMAND_END:
    // CL_PROFILING_COMMAND_COMPLETE also includes child commands, but no command has any here.
    case CL_PROFILING_COMMAND_COMPLETE: return answer.value(cl_ulong{times.ended});
    default: throw Refusal(CL_INVALID_VALUE);
  }
}

}  // namespace troupe::opencl
