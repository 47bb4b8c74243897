#include "troupe/opencl.hpp"

#include <CL/cl_icd.h>

#include <algorithm>
#include <string>

#include "troupe/errors.hpp"

namespace troupe {

_cl_mem* OpenClLaunch::buffer(const void* address) const {
  const auto found = std::ranges::find(buffers_, static_cast<const std::byte*>(address), &Buffer::address);
  if (found != buffers_.end()) return found->buffer;
  throw Error(ErrorCode::invalid_argument,
              "a kernel asked for the buffer of an address where none of its task's " +
                  std::to_string(buffers_.size()) +
                  " pieces of data begins: give it the pointer of a view as the kernel got it");
}

void OpenClLaunch::wait_for(_cl_event* event) {
  awaited_.reserve(awaited_.size() + 1);
  if (const cl_int status = api().clRetainEvent(event); status != CL_SUCCESS) {
    throw Error(ErrorCode::kernel_failed,
                "a kernel named an event that cannot be waited for: clRetainEvent answers " + std::to_string(status));
  }
  awaited_.push_back(event);
}

}  // namespace troupe
