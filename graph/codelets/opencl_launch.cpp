#include "graph/codelets/opencl_launch.hpp"

#include "proto/errors.hpp"

namespace troupe {

_cl_mem* OpenClLaunch::buffer(const void* address) const {
  if (_cl_mem* const found = find_(memory_, address)) return found;
  throw Error(ErrorCode::invalid_argument,
              "no data of this task begin at the address whose OpenCL buffer was asked for: pass a view's `data`");
}

}  // namespace troupe
