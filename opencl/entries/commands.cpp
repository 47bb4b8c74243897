/// Commands and events, which nothing runs yet: all are refused, after their first handle was looked at. This file goes
/// as soon as each has an entry of its own.
#include "opencl/entries/absent.hpp"
#include "opencl/entries/entries.hpp"
#include "opencl/objects/event.hpp"

namespace troupe::opencl {

cl_event create_user_event(cl_context context, cl_int* errcode_ret) {
  return absent_object<Context, CL_INVALID_OPERATION, cl_event>(context, errcode_ret);
}
cl_int set_user_event_status(cl_event event, cl_int) { return absent<Event, CL_INVALID_OPERATION>(event); }
cl_int wait_for_events(cl_uint count, const cl_event* events) {
  return count == 0 || events == nullptr ? CL_INVALID_VALUE : absent<Event, CL_INVALID_OPERATION>(*events);
}
cl_int get_event_info(cl_event event, cl_event_info, std::size_t, void*, std::size_t*) {
  return absent<Event, CL_INVALID_OPERATION>(event);
}
cl_int get_event_profiling_info(cl_event event, cl_profiling_info, std::size_t, void*, std::size_t*) {
  return absent<Event, CL_INVALID_OPERATION>(event);
}
cl_int set_event_callback(cl_event event, cl_int, void(CL_CALLBACK*)(cl_event, cl_int, void*), void*) {
  return absent<Event, CL_INVALID_OPERATION>(event);
}
cl_int retain_event(cl_event event) { return absent<Event, CL_INVALID_OPERATION>(event); }
cl_int release_event(cl_event event) { return absent<Event, CL_INVALID_OPERATION>(event); }
cl_int flush(cl_command_queue queue) { return absent<Queue, CL_INVALID_OPERATION>(queue); }
cl_int finish(cl_command_queue queue) { return absent<Queue, CL_INVALID_OPERATION>(queue); }
cl_int enqueue_marker(cl_command_queue queue, cl_event*) { return absent<Queue, CL_INVALID_OPERATION>(queue); }
cl_int enqueue_marker_with_wait_list(cl_command_queue queue, cl_uint, const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
cl_int enqueue_barrier(cl_command_queue queue) { return absent<Queue, CL_INVALID_OPERATION>(queue); }
cl_int enqueue_barrier_with_wait_list(cl_command_queue queue, cl_uint, const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
cl_int enqueue_wait_for_events(cl_command_queue queue, cl_uint, const cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
cl_int enqueue_read_buffer(cl_command_queue queue, cl_mem, cl_bool, std::size_t, std::size_t, void*, cl_uint,
                           const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
cl_int enqueue_write_buffer(cl_command_queue queue, cl_mem, cl_bool, std::size_t, std::size_t, const void*, cl_uint,
                            const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
cl_int enqueue_copy_buffer(cl_command_queue queue, cl_mem, cl_mem, std::size_t, std::size_t, std::size_t, cl_uint,
                           const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
cl_int enqueue_read_buffer_rect(cl_command_queue queue, cl_mem, cl_bool, const std::size_t*, const std::size_t*,
                                const std::size_t*, std::size_t, std::size_t, std::size_t, std::size_t, void*, cl_uint,
                                const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
cl_int enqueue_write_buffer_rect(cl_command_queue queue, cl_mem, cl_bool, const std::size_t*, const std::size_t*,
                                 const std::size_t*, std::size_t, std::size_t, std::size_t, std::size_t, const void*,
                                 cl_uint, const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
cl_int enqueue_copy_buffer_rect(cl_command_queue queue, cl_mem, cl_mem, const std::size_t*, const std::size_t*,
                                const std::size_t*, std::size_t, std::size_t, std::size_t, std::size_t, cl_uint,
                                const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
cl_int enqueue_fill_buffer(cl_command_queue queue, cl_mem, const void*, std::size_t, std::size_t, std::size_t, cl_uint,
                           const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
void* enqueue_map_buffer(cl_command_queue queue, cl_mem, cl_bool, cl_map_flags, std::size_t, std::size_t, cl_uint,
                         const cl_event*, cl_event*, cl_int* errcode_ret) {
  return absent_object<Queue, CL_INVALID_OPERATION, void*>(queue, errcode_ret);
}
cl_int enqueue_unmap_mem_object(cl_command_queue queue, cl_mem, void*, cl_uint, const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
cl_int enqueue_migrate_mem_objects(cl_command_queue queue, cl_uint, const cl_mem*, cl_mem_migration_flags, cl_uint,
                                   const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
cl_int enqueue_nd_range_kernel(cl_command_queue queue, cl_kernel, cl_uint, const std::size_t*, const std::size_t*,
                               const std::size_t*, cl_uint, const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
cl_int enqueue_task(cl_command_queue queue, cl_kernel, cl_uint, const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}
cl_int enqueue_native_kernel(cl_command_queue queue, void(CL_CALLBACK*)(void*), void*, std::size_t, cl_uint,
                             const cl_mem*, const void**, cl_uint, const cl_event*, cl_event*) {
  return absent<Queue, CL_INVALID_OPERATION>(queue);
}

}  // namespace troupe::opencl
