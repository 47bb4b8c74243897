/// Reports of drivers and devices of the machine that the platform does not use.
#pragma once

namespace troupe::opencl {

/// Writes a line on standard error for each faulty driver or device, once in a process. Drivers and devices that are
/// left out on purpose get no line.
void report_left_out();

/// Writes one line which says that there are no devices and therefore no platform, with the reasons; once in a process.
void report_no_devices();

}  // namespace troupe::opencl
