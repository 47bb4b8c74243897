// A plug-in of Troupe's service whose codelet submits tasks: docs/plugins.md.
#include <array>
#include <cstdint>
#include <troupe/plugin.hpp>
#include <troupe/runtime.hpp>

namespace {

using namespace troupe;

const Codelet& add_by_halves_codelet();

/// Adds a number to each element: short vectors at once, others by two children.
void add_by_halves(const KernelContext& context, VectorView<double> x, double by) {
  const auto size = static_cast<std::int64_t>(x.size()), half = size / 2;
  if (size < 1000) {
    for (double& value : x) value += by;
    return;
  }
  Runtime runtime = Runtime::here();
  const std::array<Block, 2> halves{Block{0, 0, half, 1}, Block{half, 0, size - half, 1}};
  for (const Handle& part : runtime.partition(context.handle(0), halves)) {
    runtime.submit(add_by_halves_codelet(), {part}, args(by), {.nested = true});
  }
}

const Codelet& add_by_halves_codelet() {
  static const Codelet codelet = Codelet("add_by_halves", {AccessMode::read_write}).cpu(&add_by_halves);
  return codelet;
}

void add_codelets(PluginRegistrar& registrar) { registrar.add(add_by_halves_codelet()); }

}  // namespace

TROUPE_PLUGIN("nested example", add_codelets)
