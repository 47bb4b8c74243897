/// OpenCL devices for tests on machines without such devices: the devices of pocl.
#pragma once

namespace troupe::tests {

/// Returns true if this process has the OpenCL devices that tests use. Otherwise skips the running test case, and says
/// so. Devices 0 and 1 run commands in the thread that enqueues them, inside the call. Commands on these devices must
/// not wait for user events, because pocl 3.1 would deadlock. Device 2 has its own threads. The first call must come
/// before other code looks for OpenCL devices.
[[nodiscard]] bool has_opencl_devices();

}  // namespace troupe::tests
