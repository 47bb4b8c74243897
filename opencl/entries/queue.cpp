#include "opencl/objects/queue.hpp"

#include "opencl/entries/entries.hpp"
#include "opencl/entries/guard.hpp"

namespace troupe::opencl {
namespace {

/// Returns the device of a handle. Returns null for a null handle, which stands for a queue on all devices of the
/// context.
Device* device_or_all(cl_device_id device) { return device == nullptr ? nullptr : &need<Device>(device); }

}  // namespace

cl_command_queue create_command_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                      cl_int* errcode_ret) {
  return guarded_result(errcode_ret, [&] {
    Context& owner = need<Context>(context);
    Device* where = device_or_all(device);
    require(where == nullptr || owner.has(*where), CL_INVALID_DEVICE);
    return (new Queue(owner, where, QueueProperties::of_bits(properties)))->handle();
  });
}

cl_command_queue create_command_queue_with_properties(cl_context context, cl_device_id device,
                                                      const cl_queue_properties* properties, cl_int* errcode_ret) {
  return guarded_result(errcode_ret, [&] {
    Context& owner = need<Context>(context);
    Device* where = device_or_all(device);
    require(where == nullptr || owner.has(*where), CL_INVALID_DEVICE);
    return (new Queue(owner, where, QueueProperties::of_list(properties)))->handle();
  });
}

cl_int retain_command_queue(cl_command_queue queue) {
  return guarded([&] { need<Queue>(queue).retain(); });
}

cl_int release_command_queue(cl_command_queue queue) {
  return guarded([&] { need<Queue>(queue).release(); });
}

cl_int get_command_queue_info(cl_command_queue queue, cl_command_queue_info what, std::size_t size, void* value,
                              std::size_t* size_ret) {
  return guarded([&] { need<Queue>(queue).info(what, Info(size, value, size_ret)); });
}

/// Always refuses. The function is from OpenCL 1.0; in later versions the support is optional, and no device here
/// supports it.
cl_int set_command_queue_property(cl_command_queue queue, cl_command_queue_properties, cl_bool,
                                  cl_command_queue_properties*) {
  return guarded([&] {
    (void)need<Queue>(queue);
    throw Refusal(CL_INVALID_OPERATION);
  });
}

}  // namespace troupe::opencl
