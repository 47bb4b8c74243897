/// The entries for events, and for waiting for them.
#include "opencl/objects/event.hpp"

#include "opencl/commands/worker_scope.hpp"
#include "opencl/entries/entries.hpp"
#include "opencl/entries/guard.hpp"

namespace troupe::opencl {

cl_event create_user_event(cl_context context, cl_int* errcode_ret) {
  return guarded_result(errcode_ret, [&] { return (new Event(need<Context>(context)))->handle(); });
}

cl_int set_user_event_status(cl_event event, cl_int status) {
  return guarded([&] {
    // This reference keeps the event alive: a thread that waits for the event may release it before this call has
    // ended.
    const Ref user_event(&need<Event>(event));
    require(user_event->type() == CL_COMMAND_USER, CL_INVALID_EVENT);
    require(status <= CL_COMPLETE, CL_INVALID_VALUE);
    require(user_event->context().order().set(user_event->state(), status), CL_INVALID_OPERATION);
  });
}

cl_int wait_for_events(cl_uint count, const cl_event* events) {
  return guarded([&] {
    require(count > 0 && events != nullptr, CL_INVALID_VALUE);
    std::vector<const Event*> all;
    for (cl_uint i = 0; i < count; ++i) all.push_back(&need<Event>(events[i]));
    for (const Event* event : all) require(&event->context() == &all.front()->context(), CL_INVALID_CONTEXT);
    bool well = true;
    for (const Event* event : all) well = event->state().wait() >= 0 && well;
    require(well, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  });
}

cl_int get_event_info(cl_event event, cl_event_info what, std::size_t size, void* value, std::size_t* size_ret) {
  return guarded([&] { need<Event>(event).info(what, Info(size, value, size_ret)); });
}

cl_int get_event_profiling_info(cl_event event, cl_profiling_info what, std::size_t size, void* value,
                                std::size_t* size_ret) {
  return guarded([&] { need<Event>(event).profiling_info(what, Info(size, value, size_ret)); });
}

cl_int set_event_callback(cl_event event, cl_int at, void(CL_CALLBACK* function)(cl_event, cl_int, void*),
                          void* user_data) {
  return guarded([&] {
    Event& of = need<Event>(event);
    require(function != nullptr, CL_INVALID_VALUE);
    require(at == CL_SUBMITTED || at == CL_RUNNING || at == CL_COMPLETE, CL_INVALID_VALUE);
    of.state().when(at, [kept = Ref(&of), function, user_data](int status) {
      program_callbacks().run([kept, function, user_data, status] { function(kept->handle(), status, user_data); });
    });
  });
}

cl_int retain_event(cl_event event) {
  return guarded([&] { need<Event>(event).retain(); });
}

cl_int release_event(cl_event event) {
  return guarded([&] { need<Event>(event).release(); });
}

}  // namespace troupe::opencl
