/// The entries for buffers. There are no images: the list of their formats is empty, and functions that make images are
/// absent (opencl/dispatch_table.cpp).
#include "opencl/objects/memory.hpp"

#include "opencl/entries/entries.hpp"
#include "opencl/entries/guard.hpp"

namespace troupe::opencl {

cl_mem create_buffer(cl_context context, cl_mem_flags flags, std::size_t size, void* host_pointer,
                     cl_int* errcode_ret) {
  return create_buffer_with_properties(context, nullptr, flags, size, host_pointer, errcode_ret);
}

cl_mem create_buffer_with_properties(cl_context context, const cl_mem_properties* properties, cl_mem_flags flags,
                                     std::size_t size, void* host_pointer, cl_int* errcode_ret) {
  return guarded_result(errcode_ret, [&] {
    return Memory::make_buffer(need<Context>(context), properties, flags, size, host_pointer)->handle();
  });
}

cl_mem create_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void* info,
                         cl_int* errcode_ret) {
  return guarded_result(errcode_ret,
                        [&] { return Memory::make_sub_buffer(need<Memory>(buffer), flags, type, info)->handle(); });
}

cl_int retain_mem_object(cl_mem memory) {
  return guarded([&] { need<Memory>(memory).retain(); });
}

cl_int release_mem_object(cl_mem memory) {
  return guarded([&] { need<Memory>(memory).release(); });
}

cl_int get_mem_object_info(cl_mem memory, cl_mem_info what, std::size_t size, void* value, std::size_t* size_ret) {
  return guarded([&] { need<Memory>(memory).info(what, Info(size, value, size_ret)); });
}

/// Always refuses, as a buffer is no image.
cl_int get_image_info(cl_mem, cl_image_info, std::size_t, void*, std::size_t*) { return CL_INVALID_MEM_OBJECT; }

cl_int get_supported_image_formats(cl_context context, cl_mem_flags, cl_mem_object_type type, cl_uint num_entries,
                                   cl_image_format* formats, cl_uint* num_formats) {
  return guarded([&] {
    (void)need<Context>(context);
    require(type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_INVALID_VALUE);
    require(formats == nullptr || num_entries != 0, CL_INVALID_VALUE);
    if (num_formats != nullptr) *num_formats = 0;
  });
}

cl_int set_mem_object_destructor_callback(cl_mem memory, void(CL_CALLBACK* function)(cl_mem, void*), void* user_data) {
  return guarded([&] {
    Memory& target = need<Memory>(memory);
    require(function != nullptr, CL_INVALID_VALUE);
    target.on_destruction(function, user_data);
  });
}

}  // namespace troupe::opencl
