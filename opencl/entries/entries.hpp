/// The standard's functions that Troupe implements, grouped by the files that define them. Functions that only return
/// an error are in absent.hpp, and opencl/dispatch_table.cpp lists them. Arguments and errors are those of the
/// standard.
#pragma once

#include <CL/cl_icd.h>

#include <type_traits>

namespace troupe::opencl {

// Defined in platform.cpp.
/// Implements clIcdGetPlatformIDsKHR of the extension cl_khr_icd. Refuses with CL_PLATFORM_NOT_FOUND_KHR if there is no
/// device.
cl_int icd_get_platform_ids(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms);
std::remove_pointer_t<cl_api_clGetPlatformIDs> get_platform_ids;
std::remove_pointer_t<cl_api_clGetPlatformInfo> get_platform_info;
std::remove_pointer_t<cl_api_clGetExtensionFunctionAddress> get_extension_function_address;
std::remove_pointer_t<cl_api_clGetExtensionFunctionAddressForPlatform> get_extension_function_address_for_platform;
std::remove_pointer_t<cl_api_clUnloadCompiler> unload_compiler;
std::remove_pointer_t<cl_api_clUnloadPlatformCompiler> unload_platform_compiler;

// Defined in device.cpp.
std::remove_pointer_t<cl_api_clGetDeviceIDs> get_device_ids;
std::remove_pointer_t<cl_api_clGetDeviceInfo> get_device_info;
std::remove_pointer_t<cl_api_clCreateSubDevices> create_sub_devices;
std::remove_pointer_t<cl_api_clRetainDevice> retain_device;
std::remove_pointer_t<cl_api_clReleaseDevice> release_device;

// Defined in context.cpp.
std::remove_pointer_t<cl_api_clCreateContext> create_context;
std::remove_pointer_t<cl_api_clCreateContextFromType> create_context_from_type;
std::remove_pointer_t<cl_api_clRetainContext> retain_context;
std::remove_pointer_t<cl_api_clReleaseContext> release_context;
std::remove_pointer_t<cl_api_clGetContextInfo> get_context_info;
std::remove_pointer_t<cl_api_clSetContextDestructorCallback> set_context_destructor_callback;

// Defined in queue.cpp.
std::remove_pointer_t<cl_api_clCreateCommandQueue> create_command_queue;
std::remove_pointer_t<cl_api_clCreateCommandQueueWithProperties> create_command_queue_with_properties;
std::remove_pointer_t<cl_api_clRetainCommandQueue> retain_command_queue;
std::remove_pointer_t<cl_api_clReleaseCommandQueue> release_command_queue;
std::remove_pointer_t<cl_api_clGetCommandQueueInfo> get_command_queue_info;
std::remove_pointer_t<cl_api_clSetCommandQueueProperty> set_command_queue_property;

// Defined in memory.cpp.
std::remove_pointer_t<cl_api_clCreateBuffer> create_buffer;
std::remove_pointer_t<cl_api_clCreateBufferWithProperties> create_buffer_with_properties;
std::remove_pointer_t<cl_api_clCreateSubBuffer> create_sub_buffer;
std::remove_pointer_t<cl_api_clRetainMemObject> retain_mem_object;
std::remove_pointer_t<cl_api_clReleaseMemObject> release_mem_object;
std::remove_pointer_t<cl_api_clGetMemObjectInfo> get_mem_object_info;
std::remove_pointer_t<cl_api_clSetMemObjectDestructorCallback> set_mem_object_destructor_callback;
std::remove_pointer_t<cl_api_clGetSupportedImageFormats> get_supported_image_formats;
std::remove_pointer_t<cl_api_clGetImageInfo> get_image_info;

// Defined in program.cpp.
std::remove_pointer_t<cl_api_clCreateProgramWithSource> create_program_with_source;
std::remove_pointer_t<cl_api_clCreateProgramWithBinary> create_program_with_binary;
std::remove_pointer_t<cl_api_clCreateProgramWithBuiltInKernels> create_program_with_built_in_kernels;
std::remove_pointer_t<cl_api_clRetainProgram> retain_program;
std::remove_pointer_t<cl_api_clReleaseProgram> release_program;
std::remove_pointer_t<cl_api_clBuildProgram> build_program;
std::remove_pointer_t<cl_api_clCompileProgram> compile_program;
std::remove_pointer_t<cl_api_clLinkProgram> link_program;
std::remove_pointer_t<cl_api_clGetProgramInfo> get_program_info;
std::remove_pointer_t<cl_api_clGetProgramBuildInfo> get_program_build_info;

// Defined in kernel.cpp.
std::remove_pointer_t<cl_api_clCreateKernel> create_kernel;
std::remove_pointer_t<cl_api_clCreateKernelsInProgram> create_kernels_in_program;
std::remove_pointer_t<cl_api_clRetainKernel> retain_kernel;
std::remove_pointer_t<cl_api_clReleaseKernel> release_kernel;
std::remove_pointer_t<cl_api_clCloneKernel> clone_kernel;
std::remove_pointer_t<cl_api_clSetKernelArg> set_kernel_arg;
std::remove_pointer_t<cl_api_clGetKernelInfo> get_kernel_info;
std::remove_pointer_t<cl_api_clGetKernelArgInfo> get_kernel_arg_info;
std::remove_pointer_t<cl_api_clGetKernelWorkGroupInfo> get_kernel_work_group_info;

// Defined in events.cpp.
std::remove_pointer_t<cl_api_clCreateUserEvent> create_user_event;
std::remove_pointer_t<cl_api_clSetUserEventStatus> set_user_event_status;
std::remove_pointer_t<cl_api_clWaitForEvents> wait_for_events;
std::remove_pointer_t<cl_api_clGetEventInfo> get_event_info;
std::remove_pointer_t<cl_api_clGetEventProfilingInfo> get_event_profiling_info;
std::remove_pointer_t<cl_api_clSetEventCallback> set_event_callback;
std::remove_pointer_t<cl_api_clRetainEvent> retain_event;
std::remove_pointer_t<cl_api_clReleaseEvent> release_event;

// Defined in enqueue_order.cpp.
std::remove_pointer_t<cl_api_clFlush> flush;
std::remove_pointer_t<cl_api_clFinish> finish;
std::remove_pointer_t<cl_api_clEnqueueMarker> enqueue_marker;
std::remove_pointer_t<cl_api_clEnqueueMarkerWithWaitList> enqueue_marker_with_wait_list;
std::remove_pointer_t<cl_api_clEnqueueBarrier> enqueue_barrier;
std::remove_pointer_t<cl_api_clEnqueueBarrierWithWaitList> enqueue_barrier_with_wait_list;
std::remove_pointer_t<cl_api_clEnqueueWaitForEvents> enqueue_wait_for_events;

// Defined in enqueue_buffers.cpp.
std::remove_pointer_t<cl_api_clEnqueueReadBuffer> enqueue_read_buffer;
std::remove_pointer_t<cl_api_clEnqueueWriteBuffer> enqueue_write_buffer;
std::remove_pointer_t<cl_api_clEnqueueCopyBuffer> enqueue_copy_buffer;
std::remove_pointer_t<cl_api_clEnqueueReadBufferRect> enqueue_read_buffer_rect;
std::remove_pointer_t<cl_api_clEnqueueWriteBufferRect> enqueue_write_buffer_rect;
std::remove_pointer_t<cl_api_clEnqueueCopyBufferRect> enqueue_copy_buffer_rect;
std::remove_pointer_t<cl_api_clEnqueueFillBuffer> enqueue_fill_buffer;
std::remove_pointer_t<cl_api_clEnqueueMapBuffer> enqueue_map_buffer;
std::remove_pointer_t<cl_api_clEnqueueUnmapMemObject> enqueue_unmap_mem_object;
std::remove_pointer_t<cl_api_clEnqueueMigrateMemObjects> enqueue_migrate_mem_objects;

// Defined in enqueue_kernels.cpp.
std::remove_pointer_t<cl_api_clEnqueueNDRangeKernel> enqueue_nd_range_kernel;
std::remove_pointer_t<cl_api_clEnqueueTask> enqueue_task;
std::remove_pointer_t<cl_api_clEnqueueNativeKernel> enqueue_native_kernel;

}  // namespace troupe::opencl
