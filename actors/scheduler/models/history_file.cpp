#include "actors/scheduler/models/history_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/files/checked_file.hpp"
#include "platform/files/json_field.hpp"
#include "proto/json/json.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

namespace {

using platform::JsonField;

constexpr platform::CheckedFormat kFormat{"troupe kernel times", 2, "kernels", "file of kernel times", 1};
/// The largest count in a file. Counts up to this limit do not overflow when a program adds to them.
constexpr std::uint64_t kMost = std::uint64_t{1} << 60U;
constexpr std::uint64_t kMostCores = std::uint64_t{1} << 20U;
constexpr platform::NumberRange kSeconds{0, 1e9};
constexpr platform::NumberRange kSizes{0, 1e30};
/// The accepted range of logarithms, and of sums of their products, in a file.
constexpr platform::NumberRange kSums{-1e12, 1e12};

template <std::size_t N>
Json as_json(const std::array<double, N>& numbers, std::size_t count) {
  return std::vector<double>(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(std::min(count, N)));
}

Json as_json(const TimeLaw::Sums& sums) {
  const std::size_t terms = TimeLaw::terms(sums.extents);
  return {{"count", sums.count},
          {"origin", as_json(sums.origin, terms)},
          {"origin_time", sums.origin_time},
          {"least", as_json(sums.least, terms)},
          {"most", as_json(sums.most, terms)},
          {"weight", sums.weight},
          {"terms_by_terms", as_json(sums.terms_by_terms, TimeLaw::pairs(terms))},
          {"terms_by_time", as_json(sums.terms_by_time, terms)},
          {"time_by_time", sums.time_by_time}};
}

struct KeptShape {
  std::uint64_t hash = 0;
  const KernelHistory::Shape* shape = nullptr;
};

struct KeptKernel {
  const KernelKey* key = nullptr;
  const KernelHistory* kernel = nullptr;
  /// The number of the last run that had tasks of the kernel.
  std::uint64_t used = 0;
  /// The shapes that are worth keeping, best first.
  std::vector<KeptShape> shapes;
};

/// Returns the shapes that are worth keeping, best first.
std::vector<KeptShape> best_shapes(const KernelHistory& kernel, std::size_t most) {
  std::vector<KeptShape> shapes;
  for (const auto& [hash, shape] : kernel.shapes()) {
    if (shape.times.count() > 0) shapes.push_back({hash, &shape});
  }
  std::ranges::sort(shapes, [](const KeptShape& a, const KeptShape& b) {
    return std::tuple(b.shape->used, b.shape->times.count(), a.hash) <
           std::tuple(a.shape->used, a.shape->times.count(), b.hash);
  });
  shapes.resize(std::min(shapes.size(), most));
  return shapes;
}

/// Returns the kernels that are worth keeping, in the order of their keys.
std::vector<KeptKernel> best_kernels(const ExecutionHistory& history, const HistoryBounds& bounds) {
  std::vector<KeptKernel> kernels;
  for (const auto& [key, kernel] : history.kernels()) {
    KeptKernel kept{&key, &kernel, kernel.used(), best_shapes(kernel, bounds.shapes_of_kernel)};
    if (!kept.shapes.empty() || kernel.law().count() > 0) kernels.push_back(std::move(kept));
  }
  std::ranges::stable_sort(kernels, [](const KeptKernel& a, const KeptKernel& b) {
    return std::pair(b.used, b.kernel->law().count()) < std::pair(a.used, a.kernel->law().count());
  });
  kernels.resize(std::min(kernels.size(), bounds.kernels));
  std::size_t room = bounds.shapes;
  for (KeptKernel& kept : kernels) {
    kept.shapes.resize(std::min(kept.shapes.size(), room));
    room -= kept.shapes.size();
  }
  std::ranges::sort(kernels, {}, [](const KeptKernel& kept) { return *kept.key; });
  return kernels;
}

Json as_json(const KeptKernel& kept) {
  Json shapes = Json::array();
  for (const auto& [hash, shape] : kept.shapes) {
    shapes.push_back({{"shapes", hash},
                      {"size", shape->size},
                      {"count", shape->times.count()},
                      {"mean_s", shape->times.mean_s()},
                      {"deviation_s", shape->times.deviation_s()},
                      {"strange", shape->times.strange()},
                      {"used", shape->used}});
    if (shape->extent_count > 0) shapes.back()["extents"] = as_json(shape->extents, shape->extent_count);
  }
  const KernelKey& key = *kept.key;
  Json written{{"codelet", key.name},
               {"kind", to_string(key.device.kind)},
               {"element_bytes", key.element_bytes},
               {"size_in", key.in_flops ? "flops" : "bytes"},
               {"measured", std::move(shapes)}};
  if (kept.kernel->law().count() > 0) written["law"] = as_json(kept.kernel->law().sums());
  // Default values are left out, as in older files, which did not have these fields.
  if (key.device.cores != 1) written["cores"] = key.device.cores;
  if (!key.device.model.empty()) written["model"] = key.device.model;
  return written;
}

DeviceKind kind_in(const JsonField& field) {
  if (const auto kind = device_kind_named(field.text("a kind of device"))) return *kind;
  field.refuse("a kind of device");
}

template <std::size_t N>
void read_numbers(const JsonField& field, std::size_t count, platform::NumberRange range, std::array<double, N>& into) {
  if (field.size("a list of numbers") != count || count > N) field.fail("has a wrong number of numbers");
  for (std::size_t i = 0; i < count; ++i) into[i] = field.element(i).number(range, "a number");
}

TimeLaw law_in(const JsonField& field) {
  TimeLaw::Sums sums;
  sums.count = field.member("count").count(1, kMost, "how many were measured");
  const std::size_t terms = field.member("origin").size("a list of numbers");
  if (terms < TimeLaw::terms(0) || terms > TimeLaw::kTerms)
    field.member("origin").fail("has a wrong number of numbers");
  sums.extents = terms - TimeLaw::terms(0);
  read_numbers(field.member("origin"), terms, kSums, sums.origin);
  sums.origin_time = field.member("origin_time").number(kSums, "a logarithm");
  read_numbers(field.member("least"), terms, kSums, sums.least);
  read_numbers(field.member("most"), terms, kSums, sums.most);
  sums.weight = field.member("weight").number({0, kSums.most}, "a weight");
  read_numbers(field.member("terms_by_terms"), TimeLaw::pairs(terms), kSums, sums.terms_by_terms);
  read_numbers(field.member("terms_by_time"), terms, kSums, sums.terms_by_time);
  sums.time_by_time = field.member("time_by_time").number({0, kSums.most}, "a sum of squares");
  return TimeLaw(sums);
}

TaskMeasures measures_in(const JsonField& field) {
  TaskMeasures task;
  task.size = field.member("size").number(kSizes, "a size");
  if (const JsonField extents = field.member("extents"); extents.present()) {
    task.extent_count = std::min(extents.size("a list of numbers"), TaskMeasures::kMostExtents);
    read_numbers(extents, task.extent_count, kSizes, task.extents);
  }
  return task;
}

/// Reads the kernel's shapes. Returns the number of the last run in which one of the shapes was used.
std::uint64_t read_shapes(const JsonField& measured, KernelHistory& kernel) {
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < measured.size("a list of shapes"); ++i) {
    const JsonField one = measured.element(i);
    const auto hash = one.member("shapes").count(0, std::numeric_limits<std::uint64_t>::max(), "a hash");
    KernelHistory::Shape& shape = kernel.shape(hash, measures_in(one));
    if (shape.times.count() > 0) one.fail("the same shapes are there twice");
    shape.times = TimeStatistics(
        one.member("count").count(1, kMost, "how many were measured"), one.member("mean_s").number(kSeconds, "seconds"),
        one.member("deviation_s").number(kSeconds, "seconds"), one.member("strange").count(0, kMost, "a number"));
    if (const JsonField used = one.member("used"); used.present()) shape.used = used.count(0, kMost, "a number");
    last = std::max(last, shape.used);
  }
  return last;
}

/// Fits a law to the mean times, for files that contain no law.
TimeLaw law_of_means(const KernelHistory& kernel) {
  TimeLaw law;
  for (const auto& [hash, shape] : kernel.shapes()) law.add(shape, shape.times.mean_s(), shape.times.weight());
  return law;
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
  if (!kernel.shapes().empty() || kernel.law().count() > 0) field.fail("the same kernel is there twice");
  history.set_run(std::max(history.run(), read_shapes(field.member("measured"), kernel) + 1));
  const JsonField law = field.member("law");
  kernel.set_law(law.present() ? law_in(law) : law_of_means(kernel));
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

Result<void> write_history(const std::string& path, const std::string& machine_key, const ExecutionHistory& history,
                           const HistoryBounds& bounds) {
  Json kernels = Json::array();
  for (const KeptKernel& kept : best_kernels(history, bounds)) kernels.push_back(as_json(kept));
  return platform::write_checked(path, kFormat, machine_key, std::move(kernels));
}

}  // namespace troupe::scheduler
