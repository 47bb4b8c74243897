#include "service/codelets/kernel_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe::service {
namespace {

/// The first two are speeds that no core and no accelerator reaches today, in operations per second on numbers of eight
/// bytes. On shorter numbers a core is up to twice as fast, and an accelerator up to `kShorterOnAccelerator` times.
constexpr double kFastestCore = 1.5e11;
constexpr double kFastestAccelerator = 1e14;
constexpr double kShorterOnAccelerator = 20;
/// Every core is assumed to be able to reach this speed, though a kernel may be slower.
constexpr double kSlowestCore = 1e9;
/// Load and memory make kernels slower at times. It is assumed that no run is more than `kBetterThanSeen` times as fast
/// as the kernel's best run so far, or more than `kBetterThanProduct` times as fast as a matrix product.
constexpr double kBetterThanSeen = 4;
constexpr double kBetterThanProduct = 1.5;
/// A built-in kernel on fewer elements than this takes less than a millisecond.
constexpr std::int64_t kFewElements = 50'000;

double flops_of(const CodeletDefinition& codelet, std::span<const Layout> layouts, const Arguments& arguments) {
  std::vector<DataView> views;
  std::vector<const DataView*> pointers;
  views.reserve(layouts.size());
  for (const Layout& layout : layouts) {
    views.push_back({nullptr, layout});
    pointers.push_back(&views.back());
  }
  try {
    return codelet.flops(KernelContext(pointers, arguments.view()));
  } catch (...) {
    // The function may come from a plug-in and throw anything.
    return 0;
  }
}

}  // namespace

double KernelLimit::time_on_core_s(const std::string& codelet, double flops, bool doubles) const {
  const double shorter = doubles ? 1 : 2;
  double speed = shorter * kFastestCore;
  const double longest_s = seconds(options_.longest);
  // The speed of this machine's cores matters only if the fastest known core would be fast enough and the slowest would
  // not.
  const bool depends = flops > longest_s * kSlowestCore && flops <= longest_s * speed;
  if (depends && options_.core_speed) {
    speed = std::min(speed, shorter * kBetterThanProduct * std::max(options_.core_speed(), kSlowestCore));
  }
  const double seen = options_.seen ? kBetterThanSeen * options_.seen(codelet) : 0;
  return flops / (seen > 0 ? std::min(seen, speed) : speed);
}

KernelLimit::Verdict KernelLimit::refuse(const ServiceCodelet& codelet, double time_s, const char* where) const {
  return {.refused = Failure{
              ErrorCode::invalid_argument,
              fmt::format("{} would run for {:.1f} s or more on {}, which nobody could interrupt, and the "
                          "service lets a kernel run for {:.1f} s (limits.kernel_s): use smaller blocks of data",
                          codelet.codelet.definition().known_name(), time_s, where, seconds(options_.longest))}};
}

KernelLimit::Verdict KernelLimit::judge(const ServiceCodelet& codelet, std::span<const Layout> layouts,
                                        const Arguments& arguments, const DeviceSet& devices) const {
  if (options_.longest == Duration{}) return {};
  const double longest_s = seconds(options_.longest);
  if (codelet.takes) {
    const double time_s = seconds(codelet.takes(arguments));
    return time_s > longest_s ? refuse(codelet, time_s, "a core") : Verdict{};
  }
  const CodeletDefinition& definition = codelet.codelet.definition();
  if (!definition.flops || definition.pieces != nullptr) return {};
  std::int64_t elements = 0;
  std::uint64_t element_size = sizeof(double);
  for (const Layout& layout : layouts) {
    elements += layout.elements();
    element_size = std::min<std::uint64_t>(element_size, layout.element_size);
  }
  if (codelet.short_on_few_elements && elements < kFewElements) return {};
  const bool doubles = element_size >= sizeof(double);
  const double flops = flops_of(definition, layouts, arguments);
  const double time_s = flops > 0 ? time_on_core_s(definition.name, flops, doubles) : 0;
  if (!(time_s > longest_s)) return {};
  // A device that emulates an accelerator on a core is no faster than the core.
  constexpr KindSet kFast =
      kinds_where([](const DeviceTraits& row) { return row.accelerator && row.stands_in_for != DeviceKind::cpu_core; });
  const auto fast = static_cast<KindSet>(options_.kinds & kFast & devices.kinds() & definition.kinds());
  if (fast == 0) return refuse(codelet, time_s, "a core");
  const double there_s = flops / (kFastestAccelerator * (doubles ? 1 : kShorterOnAccelerator));
  if (there_s > longest_s) return refuse(codelet, there_s, "an accelerator");
  return {.not_on_cores = true};
}

KernelLimit::Verdict judge_task(const ServiceCodelet& codelet, std::span<const Layout> layouts,
                                const Arguments& arguments, const DeviceSet& devices, const KernelLimit& limit) {
  const CodeletDefinition& definition = codelet.codelet.definition();
  if (!definition.variadic && layouts.size() != definition.modes.size()) return {};
  if (definition.typed) {
    if (layouts.size() != definition.parameters.size()) return {};
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      if (layouts[i].element_tag != definition.parameters[i].element_tag) return {};
    }
  }
  if (arguments.size() != definition.argument_types.size()) return {};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments.tag(i) != definition.argument_types[i].tag) return {};
  }
  if (codelet.check) {
    if (auto checked = codelet.check(layouts, arguments); !checked) return {checked.failure()};
  }
  // The function that counts operations may access data that a variadic task does not have, unless the codelet's check
  // has accepted the task.
  if (definition.variadic && !codelet.check) return {};
  return limit.judge(codelet, layouts, arguments, devices);
}

}  // namespace troupe::service
