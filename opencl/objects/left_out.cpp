#include "opencl/objects/left_out.hpp"

#include <fmt/format.h>

#include <string>

#include "opencl/objects/report.hpp"
#include "platform/opencl/opencl_devices.hpp"

namespace troupe::opencl {

void report_left_out() {
  static const bool said = [] {
    for (const platform::SkippedOpenCl& one : platform::list_opencl_devices().skipped) {
      if (one.faulty) report_once(fmt::format("not used: {}: {}", one.what, one.why));
    }
    return true;
  }();
  (void)said;
}

void report_no_devices() {
  std::string why;
  const auto is_troupe = [](const platform::SkippedOpenCl& one) { return one.why.starts_with("it is Troupe"); };
  for (const platform::SkippedOpenCl& one : platform::list_opencl_devices().skipped) {
    if (!is_troupe(one)) why += fmt::format("{}{}: {}", why.empty() ? ": " : "; ", one.what, one.why);
  }
  report_once("no devices", fmt::format("there is no platform, since no other driver has devices that can be used{}",
                                        why.empty() ? ": none is installed" : why));
}

}  // namespace troupe::opencl
