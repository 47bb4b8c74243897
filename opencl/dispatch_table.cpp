/// The table of functions that every OpenCL handle points to. No entry is null: for functions that Troupe does not
/// implement, the table has entries that return an error.
#include "opencl/entries/absent.hpp"
#include "opencl/entries/entries.hpp"
#include "opencl/objects/platform.hpp"
#include "opencl/objects/queue.hpp"
#include "opencl/programs/kernel.hpp"

namespace troupe::opencl {
namespace {

/// Converts a function to an untyped pointer: for functions of Windows the table has only untyped entries.
template <class Function>
void* untyped(Function* function) {
  return reinterpret_cast<void*>(function);
}

/// Returns the entry for functions of Direct3D and DirectX that list the devices with which they share memory.
void* find_no_devices() {
  return untyped<cl_int(cl_platform_id, cl_uint, void*, cl_uint, cl_uint, cl_device_id*, cl_uint*)>(
      absent<Platform, CL_INVALID_OPERATION>);
}

void* acquire_nothing() {
  return untyped<cl_int(cl_command_queue, cl_uint, const cl_mem*, cl_uint, const cl_event*, cl_event*)>(
      absent<Queue, CL_INVALID_OPERATION>);
}

void* share_no_buffer() {
  return untyped<cl_mem(cl_context, cl_mem_flags, void*, cl_int*)>(absent_object<Context, CL_INVALID_OPERATION>);
}

void* share_no_texture() {
  return untyped<cl_mem(cl_context, cl_mem_flags, void*, cl_uint, cl_int*)>(
      absent_object<Context, CL_INVALID_OPERATION>);
}

void* share_no_surface() {
  return untyped<cl_mem(cl_context, cl_mem_flags, cl_uint, void*, cl_uint, cl_int*)>(
      absent_object<Context, CL_INVALID_OPERATION>);
}

/// The next two stand for functions of shared virtual memory that return no error code.
void* allocate_no_svm(cl_context, cl_svm_mem_flags, std::size_t, cl_uint) { return nullptr; }
void free_no_svm(cl_context, void*) {}

cl_icd_dispatch make_table() {
  return {
      .clGetPlatformIDs = get_platform_ids,
      .clGetPlatformInfo = get_platform_info,
      .clGetDeviceIDs = get_device_ids,
      .clGetDeviceInfo = get_device_info,
      .clCreateContext = create_context,
      .clCreateContextFromType = create_context_from_type,
      .clRetainContext = retain_context,
      .clReleaseContext = release_context,
      .clGetContextInfo = get_context_info,
      .clCreateCommandQueue = create_command_queue,
      .clRetainCommandQueue = retain_command_queue,
      .clReleaseCommandQueue = release_command_queue,
      .clGetCommandQueueInfo = get_command_queue_info,
      .clSetCommandQueueProperty = set_command_queue_property,
      .clCreateBuffer = create_buffer,
      .clCreateImage2D = absent_object<Context, CL_INVALID_OPERATION>,
      .clCreateImage3D = absent_object<Context, CL_INVALID_OPERATION>,
      .clRetainMemObject = retain_mem_object,
      .clReleaseMemObject = release_mem_object,
      .clGetSupportedImageFormats = get_supported_image_formats,
      .clGetMemObjectInfo = get_mem_object_info,
      .clGetImageInfo = get_image_info,
      .clCreateSampler = absent_object<Context, CL_INVALID_OPERATION>,
      .clRetainSampler = absent_for_all<CL_INVALID_SAMPLER>,
      .clReleaseSampler = absent_for_all<CL_INVALID_SAMPLER>,
      .clGetSamplerInfo = absent_for_all<CL_INVALID_SAMPLER>,
      .clCreateProgramWithSource = create_program_with_source,
      .clCreateProgramWithBinary = create_program_with_binary,
      .clRetainProgram = retain_program,
      .clReleaseProgram = release_program,
      .clBuildProgram = build_program,
      .clUnloadCompiler = unload_compiler,
      .clGetProgramInfo = get_program_info,
      .clGetProgramBuildInfo = get_program_build_info,
      .clCreateKernel = create_kernel,
      .clCreateKernelsInProgram = create_kernels_in_program,
      .clRetainKernel = retain_kernel,
      .clReleaseKernel = release_kernel,
      .clSetKernelArg = set_kernel_arg,
      .clGetKernelInfo = get_kernel_info,
      .clGetKernelWorkGroupInfo = get_kernel_work_group_info,
      .clWaitForEvents = wait_for_events,
      .clGetEventInfo = get_event_info,
      .clRetainEvent = retain_event,
      .clReleaseEvent = release_event,
      .clGetEventProfilingInfo = get_event_profiling_info,
      .clFlush = flush,
      .clFinish = finish,
      .clEnqueueReadBuffer = enqueue_read_buffer,
      .clEnqueueWriteBuffer = enqueue_write_buffer,
      .clEnqueueCopyBuffer = enqueue_copy_buffer,
      .clEnqueueReadImage = absent<Queue, CL_INVALID_OPERATION>,
      .clEnqueueWriteImage = absent<Queue, CL_INVALID_OPERATION>,
      .clEnqueueCopyImage = absent<Queue, CL_INVALID_OPERATION>,
      .clEnqueueCopyImageToBuffer = absent<Queue, CL_INVALID_OPERATION>,
      .clEnqueueCopyBufferToImage = absent<Queue, CL_INVALID_OPERATION>,
      .clEnqueueMapBuffer = enqueue_map_buffer,
      .clEnqueueMapImage = absent_object<Queue, CL_INVALID_OPERATION>,
      .clEnqueueUnmapMemObject = enqueue_unmap_mem_object,
      .clEnqueueNDRangeKernel = enqueue_nd_range_kernel,
      .clEnqueueTask = enqueue_task,
      .clEnqueueNativeKernel = enqueue_native_kernel,
      .clEnqueueMarker = enqueue_marker,
      .clEnqueueWaitForEvents = enqueue_wait_for_events,
      .clEnqueueBarrier = enqueue_barrier,
      .clGetExtensionFunctionAddress = get_extension_function_address,
      .clCreateFromGLBuffer = absent_object<Context, CL_INVALID_OPERATION>,
      .clCreateFromGLTexture2D = absent_object<Context, CL_INVALID_OPERATION>,
      .clCreateFromGLTexture3D = absent_object<Context, CL_INVALID_OPERATION>,
      .clCreateFromGLRenderbuffer = absent_object<Context, CL_INVALID_OPERATION>,
      .clGetGLObjectInfo = absent<Memory, CL_INVALID_GL_OBJECT>,
      .clGetGLTextureInfo = absent<Memory, CL_INVALID_GL_OBJECT>,
      .clEnqueueAcquireGLObjects = absent<Queue, CL_INVALID_OPERATION>,
      .clEnqueueReleaseGLObjects = absent<Queue, CL_INVALID_OPERATION>,
      .clGetGLContextInfoKHR = absent_for_all<CL_INVALID_OPERATION>,
      .clGetDeviceIDsFromD3D10KHR = find_no_devices(),
      .clCreateFromD3D10BufferKHR = share_no_buffer(),
      .clCreateFromD3D10Texture2DKHR = share_no_texture(),
      .clCreateFromD3D10Texture3DKHR = share_no_texture(),
      .clEnqueueAcquireD3D10ObjectsKHR = acquire_nothing(),
      .clEnqueueReleaseD3D10ObjectsKHR = acquire_nothing(),
      .clSetEventCallback = set_event_callback,
      .clCreateSubBuffer = create_sub_buffer,
      .clSetMemObjectDestructorCallback = set_mem_object_destructor_callback,
      .clCreateUserEvent = create_user_event,
      .clSetUserEventStatus = set_user_event_status,
      .clEnqueueReadBufferRect = enqueue_read_buffer_rect,
      .clEnqueueWriteBufferRect = enqueue_write_buffer_rect,
      .clEnqueueCopyBufferRect = enqueue_copy_buffer_rect,
      .clCreateSubDevicesEXT = absent<Device, CL_INVALID_VALUE>,
      .clRetainDeviceEXT = retain_device,
      .clReleaseDeviceEXT = release_device,
      .clCreateEventFromGLsyncKHR = absent_object<Context, CL_INVALID_OPERATION>,
      .clCreateSubDevices = absent<Device, CL_INVALID_VALUE>,
      .clRetainDevice = retain_device,
      .clReleaseDevice = release_device,
      .clCreateImage = absent_object<Context, CL_INVALID_OPERATION>,
      .clCreateProgramWithBuiltInKernels = create_program_with_built_in_kernels,
      .clCompileProgram = compile_program,
      .clLinkProgram = link_program,
      .clUnloadPlatformCompiler = unload_platform_compiler,
      .clGetKernelArgInfo = get_kernel_arg_info,
      .clEnqueueFillBuffer = enqueue_fill_buffer,
      .clEnqueueFillImage = absent<Queue, CL_INVALID_OPERATION>,
      .clEnqueueMigrateMemObjects = enqueue_migrate_mem_objects,
      .clEnqueueMarkerWithWaitList = enqueue_marker_with_wait_list,
      .clEnqueueBarrierWithWaitList = enqueue_barrier_with_wait_list,
      .clGetExtensionFunctionAddressForPlatform = get_extension_function_address_for_platform,
      .clCreateFromGLTexture = absent_object<Context, CL_INVALID_OPERATION>,
      .clGetDeviceIDsFromD3D11KHR = find_no_devices(),
      .clCreateFromD3D11BufferKHR = share_no_buffer(),
      .clCreateFromD3D11Texture2DKHR = share_no_texture(),
      .clCreateFromD3D11Texture3DKHR = share_no_texture(),
      .clCreateFromDX9MediaSurfaceKHR = share_no_surface(),
      .clEnqueueAcquireD3D11ObjectsKHR = acquire_nothing(),
      .clEnqueueReleaseD3D11ObjectsKHR = acquire_nothing(),
      .clGetDeviceIDsFromDX9MediaAdapterKHR = find_no_devices(),
      .clEnqueueAcquireDX9MediaSurfacesKHR = acquire_nothing(),
      .clEnqueueReleaseDX9MediaSurfacesKHR = acquire_nothing(),
      .clCreateFromEGLImageKHR = absent_object<Context, CL_INVALID_OPERATION>,
      .clEnqueueAcquireEGLObjectsKHR = absent<Queue, CL_INVALID_OPERATION>,
      .clEnqueueReleaseEGLObjectsKHR = absent<Queue, CL_INVALID_OPERATION>,
      .clCreateEventFromEGLSyncKHR = absent_object<Context, CL_INVALID_OPERATION>,
      .clCreateCommandQueueWithProperties = create_command_queue_with_properties,
      .clCreatePipe = absent_object<Context, CL_INVALID_OPERATION>,
      .clGetPipeInfo = absent<Memory, CL_INVALID_MEM_OBJECT>,
      .clSVMAlloc = allocate_no_svm,
      .clSVMFree = free_no_svm,
      .clEnqueueSVMFree = absent<Queue, CL_INVALID_OPERATION>,
      .clEnqueueSVMMemcpy = absent<Queue, CL_INVALID_OPERATION>,
      .clEnqueueSVMMemFill = absent<Queue, CL_INVALID_OPERATION>,
      .clEnqueueSVMMap = absent<Queue, CL_INVALID_OPERATION>,
      .clEnqueueSVMUnmap = absent<Queue, CL_INVALID_OPERATION>,
      .clCreateSamplerWithProperties = absent_object<Context, CL_INVALID_OPERATION>,
      .clSetKernelArgSVMPointer = absent<Kernel, CL_INVALID_OPERATION>,
      .clSetKernelExecInfo = absent<Kernel, CL_INVALID_OPERATION>,
      .clGetKernelSubGroupInfoKHR = absent<Kernel, CL_INVALID_OPERATION>,
      .clCloneKernel = clone_kernel,
      .clCreateProgramWithIL = absent_object<Context, CL_INVALID_OPERATION>,
      .clEnqueueSVMMigrateMem = absent<Queue, CL_INVALID_OPERATION>,
      .clGetDeviceAndHostTimer = absent<Device, CL_INVALID_OPERATION>,
      .clGetHostTimer = absent<Device, CL_INVALID_OPERATION>,
      .clGetKernelSubGroupInfo = absent<Kernel, CL_INVALID_OPERATION>,
      .clSetDefaultDeviceCommandQueue = absent<Context, CL_INVALID_OPERATION>,
      .clSetProgramReleaseCallback = absent<Program, CL_INVALID_OPERATION>,
      .clSetProgramSpecializationConstant = absent<Program, CL_INVALID_OPERATION>,
      .clCreateBufferWithProperties = create_buffer_with_properties,
      .clCreateImageWithProperties = absent_object<Context, CL_INVALID_OPERATION>,
      .clSetContextDestructorCallback = set_context_destructor_callback,
  };
}

}  // namespace

const cl_icd_dispatch* dispatch_table() {
  static const cl_icd_dispatch table = make_table();
  return &table;
}

}  // namespace troupe::opencl
