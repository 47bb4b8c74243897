#include "apps/simulate/derived_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace troupe::apps {

namespace {

constexpr std::string_view kLu = "lu";
constexpr std::string_view kQr = "qr";
constexpr std::array<std::string_view, 2> kPrecisions{"single", "double"};

struct Place {
  std::string_view kernel;
  std::string_view in_qr;
  /// The operations of `kernel` divided by those of `in_qr`. This is always a half, for example 2/3 b^3 against 4/3 b^3
  /// for tiles of order b.
  double operations = 0.5;
};
constexpr std::array<Place, 4> kPlaces{
    {{"getrf_incpiv", "geqrt"}, {"gessm", "unmqr"}, {"tstrf", "tsqrt"}, {"ssssm", "tsmqr"}}};

}  // namespace

std::vector<DerivedKernel> derive_incremental_lu(platform::MachineDescription& machine) {
  std::vector<DerivedKernel> derived;
  for (const Place& place : kPlaces) {
    bool added = false;
    for (const std::string_view precision : kPrecisions) {
      if (machine.find_kernel(kLu, place.kernel, precision) != nullptr) continue;
      const platform::KernelTimes* const known = machine.find_kernel(kQr, place.in_qr, precision);
      if (known == nullptr) continue;
      machine.kernels.push_back(known->scaled(std::string(kLu), std::string(place.kernel), place.operations));
      added = true;
    }
    if (added) derived.push_back({std::string(place.kernel), std::string(place.in_qr), place.operations});
  }
  return derived;
}

std::string text_of(const std::vector<DerivedKernel>& derived) {
  if (derived.empty()) return {};
  std::string kernels;
  std::string sources;
  for (const DerivedKernel& one : derived) {
    kernels += (kernels.empty() ? "" : ", ") + one.kernel;
    sources += (sources.empty() ? "" : ", ") + one.from;
  }
  return fmt::format("{}: half the times of {} (QR), which do twice the operations", kernels, sources);
}

}  // namespace troupe::apps
