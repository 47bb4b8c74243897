/// Says which of the machine's drivers and devices the platform is without, where something is wrong with them.
#pragma once

namespace troupe::opencl {

/// A line on standard error for each that is faulty, once in a process; of those that are meant to be left out nothing.
void report_left_out();

/// One line that there are no devices, and so is no platform, and why; once in a process.
void report_no_devices();

}  // namespace troupe::opencl
