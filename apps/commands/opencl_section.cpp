#include "apps/commands/opencl_section.hpp"

#include <fmt/format.h>

#include "platform/opencl/opencl_devices.hpp"
#include "platform/opencl/opencl_in_place.hpp"
#include "proto/json/json.hpp"
#include "traces/text/human.hpp"

namespace troupe::apps {

namespace {

/// Returns the version's first two words: "OpenCL 3.0" for "OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu".
std::string short_version(const std::string& version) {
  const auto space = version.find(' ');
  return space == std::string::npos ? version : version.substr(0, version.find(' ', space + 1));
}

std::string in_place_line(const platform::OpenClDevice& device) {
  const platform::OpenClInPlace& in_place = platform::opencl_in_place(device);
  return in_place.works ? "    works in place, on host memory\n"
                        : fmt::format("    works on copies of data: {}\n", in_place.why_not);
}

std::string line_of(const platform::OpenClDevice& device) {
  return fmt::format("  device {}: {} ({}), {}, {} compute unit(s), {}{}; {}\n{}", device.index, device.name,
                     to_string(device.sort), device.platform_name, device.compute_units,
                     traces::human_bytes(device.memory), device.shares_host_memory ? " of the host" : "",
                     short_version(device.version), device.shares_host_memory ? in_place_line(device) : "");
}

}  // namespace

void add_opencl(Json& json) {
  const platform::OpenClDevices& all = platform::list_opencl_devices();
  json["opencl_devices"] = Json::array();
  for (const platform::OpenClDevice& device : all.devices) {
    const platform::OpenClInPlace& in_place = platform::opencl_in_place(device);
    json["opencl_devices"].push_back({{"index", device.index},
                                      {"name", device.name},
                                      {"vendor", device.vendor},
                                      {"platform", device.platform_name},
                                      {"version", device.version},
                                      {"driver_version", device.driver_version},
                                      {"sort", to_string(device.sort)},
                                      {"compute_units", device.compute_units},
                                      {"memory_bytes", device.memory.count},
                                      {"largest_buffer_bytes", device.largest_buffer.count},
                                      {"local_memory_bytes", device.local_memory.count},
                                      {"shares_host_memory", device.shares_host_memory},
                                      {"in_place", in_place.works},
                                      {"not_in_place_because", in_place.why_not}});
  }
  json["opencl_skipped"] = Json::array();
  for (const platform::SkippedOpenCl& skipped : all.skipped) {
    json["opencl_skipped"].push_back({{"what", skipped.what}, {"why", skipped.why}});
  }
}

std::string opencl_text() {
  const platform::OpenClDevices& all = platform::list_opencl_devices();
  if (all.devices.empty() && all.skipped.empty()) return "OpenCL devices: none: no driver is installed\n";
  std::string text = all.devices.empty() ? "OpenCL devices: none that could be used\n" : "OpenCL devices\n";
  for (const platform::OpenClDevice& device : all.devices) text += line_of(device);
  for (const platform::SkippedOpenCl& skipped : all.skipped) {
    text += fmt::format("  not used: {}: {}\n", skipped.what, skipped.why);
  }
  return text;
}

}  // namespace troupe::apps
