/// OpenCL devices for tests, on machines without any: pocl's.
#pragma once

namespace troupe::tests {

/// Whether this process has the OpenCL devices that tests use; else the running test case is skipped, and says so.
/// Devices 0 and 1 compute in the thread that enqueues, inside the call; device 2 has threads of its own. (The first
/// two must not be made to wait for user events: pocl 3.1 locks itself out then.) The first call must come before
/// anybody asks for OpenCL devices.
[[nodiscard]] bool has_opencl_devices();

}  // namespace troupe::tests
