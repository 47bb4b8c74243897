#include "opencl/entries/guard.hpp"

namespace troupe::opencl {

cl_int status_of_exception() noexcept {
  try {
    throw;
  } catch (const Refusal& refusal) {
    return refusal.status();
  } catch (const std::bad_alloc&) {
    return CL_OUT_OF_HOST_MEMORY;
  } catch (...) {
    return CL_OUT_OF_RESOURCES;
  }
}

}  // namespace troupe::opencl
