#include "service/codelets/kernel_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/codelets/kernel_context.hpp"

namespace troupe::service {
namespace {

/// Operations per second that no core reaches today: of numbers of eight bytes, twice as many of four.
constexpr double kFastestCore = 1.5e11;
/// Load and memory make kernels slower at times, and nothing makes them twice as fast as they were at best.
constexpr double kBetterThanSeen = 2;
/// With fewer elements no built-in kernel takes a millisecond.
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
    // A plug-in's function.
    return 0;
  }
}

}  // namespace

Duration KernelLimit::at_least(const ServiceCodelet& codelet, std::span<const Layout> layouts,
                               const Arguments& arguments) const {
  if (codelet.takes) return codelet.takes(arguments);
  const CodeletDefinition& definition = codelet.codelet.definition();
  if (!definition.flops || definition.pieces != nullptr) return {};
  std::int64_t elements = 0;
  std::uint64_t element_size = sizeof(double);
  for (const Layout& layout : layouts) {
    elements += layout.elements();
    element_size = std::min<std::uint64_t>(element_size, layout.element_size);
  }
  if (elements < kFewElements) return {};
  const double flops = flops_of(definition, layouts, arguments);
  const double seen = speed_ ? kBetterThanSeen * speed_(definition.name) : 0;
  const double fastest = element_size < sizeof(double) ? 2 * kFastestCore : kFastestCore;
  const double time_s = flops / (seen > 0 ? std::min(seen, fastest) : fastest);
  constexpr double kLongest_s = 1e6;
  if (!(time_s > 0)) return {};
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::min(time_s, kLongest_s)));
}

std::optional<Failure> KernelLimit::why_too_long(const ServiceCodelet& codelet, std::span<const Layout> layouts,
                                                 const Arguments& arguments) const {
  if (longest_ == Duration{}) return std::nullopt;
  const Duration time = at_least(codelet, layouts, arguments);
  if (time <= longest_) return std::nullopt;
  return Failure{ErrorCode::invalid_argument,
                 fmt::format("{} would run for {:.1f} s or more on a core, which nobody could interrupt, and the "
                             "service lets a kernel run for {:.1f} s (limits.kernel_s): use smaller blocks of data",
                             codelet.codelet.definition().known_name(), seconds(time), seconds(longest_))};
}

}  // namespace troupe::service
