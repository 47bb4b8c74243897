// A plug-in of Troupe's service with two codelets: docs/plugins.md.
#include <troupe/plugin.hpp>

namespace {

using namespace troupe;

/// Halves a vector. Nothing that a client sends can lead this kernel out of its data, so it needs no check.
void halve(VectorView<double> x) {
  for (double& value : x) value /= 2;
}

/// Copies a part of x: y(i) = x(first + i).
void take_from(VectorView<const double> x, VectorView<double> y, std::int64_t first) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[static_cast<std::size_t>(first) + i];
}

/// Refuses a `first` below zero, or so large that y reaches beyond the end of x, as the kernel would leave its data.
Result<void> check_take_from(std::span<const Layout> layouts, const Arguments& arguments) {
  const std::int64_t first = *reinterpret_cast<const std::int64_t*>(arguments.bytes().data() + arguments.offsets()[0]);
  const std::int64_t x = layouts[0].elements(), y = layouts[1].elements();
  if (y <= x && first >= 0 && first <= x - y) return {};
  return Failure{ErrorCode::invalid_argument, "take_from: first must be from 0 to the size of x less that of y"};
}

void add_codelets(PluginRegistrar& registrar) {
  registrar.add(Codelet("halve", {AccessMode::read_write}).cpu(&halve));
  registrar.add(Codelet("take_from", {AccessMode::read, AccessMode::write}).cpu(&take_from), check_take_from);
}

}  // namespace

TROUPE_PLUGIN("example", add_codelets)
