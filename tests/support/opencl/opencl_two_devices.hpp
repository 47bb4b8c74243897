/// OpenCL devices for tests, on machines without any: pocl's.
#pragma once

namespace troupe::tests {

/// Whether this process has two OpenCL devices, each of which computes in the thread that enqueues; else the running
/// test case is skipped, and says so. The first call must come before anybody asks for OpenCL devices.
[[nodiscard]] bool has_two_opencl_devices();

}  // namespace troupe::tests
