/// OpenCL devices for tests on machines that have none: those of pocl.
#pragma once

namespace troupe::tests {

/// Returns true if this process has the OpenCL devices that tests use. Otherwise skips the running test case, and says
/// so. Devices 0 and 1 compute in the thread that enqueues, inside the call; device 2 has threads of its own. (The
/// first two must not wait for user events: pocl 3.1 deadlocks then.) The first call must come before any other code
/// asks for OpenCL devices.
[[nodiscard]] bool has_opencl_devices();

}  // namespace troupe::tests
