#include "actors/scheduler/models/history_file.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/files/checked_file.hpp"
#include "platform/files/json_field.hpp"

namespace troupe::scheduler {

namespace {

using nlohmann::json;
using platform::JsonField;

constexpr platform::CheckedFormat kFormat{"troupe kernel times", 1, "kernels", "file of kernel times"};
/// Of counts: they stay exact where a program adds to them.
constexpr std::uint64_t kMost = std::uint64_t{1} << 60U;
constexpr std::uint64_t kMostCores = std::uint64_t{1} << 20U;
constexpr platform::NumberRange kSeconds{0, 1e9};
constexpr platform::NumberRange kSizes{0, 1e30};

json as_json(const KernelKey& key, const KernelHistory& kernel) {
  json shapes = json::array();
  for (const auto& [hash, shape] : kernel.shapes()) {
    if (shape.times.count() == 0) continue;
    shapes.push_back({{"shapes", hash},
                      {"size", shape.size},
                      {"count", shape.times.count()},
                      {"mean_s", shape.times.mean_s()},
                      {"deviation_s", shape.times.deviation_s()},
                      {"strange", shape.times.strange()}});
  }
  json written{{"codelet", key.name},
               {"kind", to_string(key.device.kind)},
               {"element_bytes", key.element_bytes},
               {"size_in", key.in_flops ? "flops" : "bytes"},
               {"measured", std::move(shapes)}};
  // Left out where they say nothing, as in files that are older than they.
  if (key.device.cores != 1) written["cores"] = key.device.cores;
  if (!key.device.model.empty()) written["model"] = key.device.model;
  return written;
}

DeviceKind kind_in(const JsonField& field) {
  if (const auto kind = device_kind_named(field.text("a kind of device"))) return *kind;
  field.refuse("a kind of device");
}

void read_kernel(const JsonField& field, ExecutionHistory& history) {
  KernelKey key;
  key.name = field.member("codelet").optional_text("the name of a codelet");
  key.device.kind = kind_in(field.member("kind"));
  if (const JsonField cores = field.member("cores"); cores.present()) {
    key.device.cores = static_cast<int>(cores.count(1, kMostCores, "a number of cores"));
  }
  key.device.model = field.member("model").optional_text("the model of a device");
  key.element_bytes = field.member("element_bytes").count(0, kMost, "bytes");
  const std::string unit = field.member("size_in").text("flops or bytes");
  if (unit != "flops" && unit != "bytes") field.member("size_in").refuse("flops or bytes");
  key.in_flops = unit == "flops";
  KernelHistory& kernel = history.kernel(key);
  if (!kernel.shapes().empty()) field.fail("the same kernel is there twice");
  const JsonField measured = field.member("measured");
  for (std::size_t i = 0; i < measured.size("a list of shapes"); ++i) {
    const JsonField one = measured.element(i);
    const auto hash = one.member("shapes").count(0, std::numeric_limits<std::uint64_t>::max(), "a hash");
    KernelHistory::Shape& shape = kernel.shape(hash, one.member("size").number(kSizes, "a size"));
    if (shape.times.count() > 0) one.fail("the same shapes are there twice");
    shape.times = TimeStatistics(
        one.member("count").count(1, kMost, "how many were measured"), one.member("mean_s").number(kSeconds, "seconds"),
        one.member("deviation_s").number(kSeconds, "seconds"), one.member("strange").count(0, kMost, "a number"));
  }
}

}  // namespace

std::string machine_key(const platform::Machine& machine) {
  constexpr std::size_t kLongest = 100;
  std::string key;
  for (const char c : machine.cpu_model) {
    const bool digit = c >= '0' && c <= '9';
    const bool capital = c >= 'A' && c <= 'Z';
    if (digit || (c >= 'a' && c <= 'z')) key += c;
    if (capital) key += static_cast<char>(c - 'A' + 'a');
    if (!digit && !capital && !(c >= 'a' && c <= 'z') && !key.empty() && key.back() != '-') key += '-';
  }
  key.resize(std::min(key.size(), kLongest));
  if (key.empty()) key = "unknown-processor";
  if (key.back() != '-') key += '-';
  return key + fmt::format("{}x{}c{}t", machine.packages, machine.cores, machine.pus.size());
}

std::string history_path(const std::string& folder, const std::string& machine_key) {
  return folder + "/kernel-times-" + machine_key + ".json";
}

Result<ExecutionHistory> read_history(const std::string& path, const std::string& machine_key) {
  ExecutionHistory history;
  const Result<void> read = platform::read_checked(path, kFormat, machine_key, [&history](const JsonField& kernels) {
    for (std::size_t i = 0; i < kernels.size("a list of kernels"); ++i) read_kernel(kernels.element(i), history);
  });
  if (!read) return read.failure();
  return history;
}

Result<void> write_history(const std::string& path, const std::string& machine_key, const ExecutionHistory& history) {
  json kernels = json::array();
  for (const auto& [key, kernel] : history.kernels()) {
    json one = as_json(key, kernel);
    if (!one["measured"].empty()) kernels.push_back(std::move(one));
  }
  return platform::write_checked(path, kFormat, machine_key, std::move(kernels));
}

}  // namespace troupe::scheduler
