#include "opencl/objects/context.hpp"

#include "opencl/entries/entries.hpp"
#include "opencl/entries/guard.hpp"
#include "opencl/objects/left_out.hpp"
#include "opencl/objects/platform.hpp"

namespace troupe::opencl {

cl_context create_context(const cl_context_properties* properties, cl_uint num_devices, const cl_device_id* devices,
                          void(CL_CALLBACK* notify)(const char*, const void*, std::size_t, void*), void* user_data,
                          cl_int* errcode_ret) {
  return guarded_result(errcode_ret, [&] {
    report_left_out();
    auto parsed = ContextProperties::parse(properties);
    require(devices != nullptr && num_devices != 0, CL_INVALID_VALUE);
    require(notify != nullptr || user_data == nullptr, CL_INVALID_VALUE);
    std::vector<Device*> found;
    for (cl_uint i = 0; i < num_devices; ++i) found.push_back(&need<Device>(devices[i]));
    return (new Context(std::move(parsed), found, {notify, user_data}))->handle();
  });
}

cl_context create_context_from_type(const cl_context_properties* properties, cl_device_type types,
                                    void(CL_CALLBACK* notify)(const char*, const void*, std::size_t, void*),
                                    void* user_data, cl_int* errcode_ret) {
  return guarded_result(errcode_ret, [&] {
    report_left_out();
    auto parsed = ContextProperties::parse(properties);
    require(notify != nullptr || user_data == nullptr, CL_INVALID_VALUE);
    return (new Context(std::move(parsed), Platform::get().devices_of(types), {notify, user_data}))->handle();
  });
}

cl_int retain_context(cl_context context) {
  return guarded([&] { need<Context>(context).retain(); });
}

cl_int release_context(cl_context context) {
  return guarded([&] { need<Context>(context).release(); });
}

cl_int get_context_info(cl_context context, cl_context_info what, std::size_t size, void* value,
                        std::size_t* size_ret) {
  return guarded([&] { need<Context>(context).info(what, Info(size, value, size_ret)); });
}

cl_int set_context_destructor_callback(cl_context context, void(CL_CALLBACK* function)(cl_context, void*),
                                       void* user_data) {
  return guarded([&] {
    Context& target = need<Context>(context);
    require(function != nullptr, CL_INVALID_VALUE);
    target.on_destruction(function, user_data);
  });
}

}  // namespace troupe::opencl
