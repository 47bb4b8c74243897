#include "opencl/splitting/splittable_kernel.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace troupe::opencl {

namespace {

/// Returns the written parameters; nothing if one of them has no name in the source.
std::optional<std::vector<WrittenParameter>> written_by(const Kernel& kernel, const KernelFacts& facts) {
  std::vector<WrittenParameter> written;
  for (std::size_t i = 0; i < kernel.parameters().size(); ++i) {
    const Parameter& parameter = kernel.parameters()[i];
    if (parameter.kind != ParameterKind::memory || !facts.arguments[i].writes) continue;
    if (!parameter.described || parameter.name.empty()) return std::nullopt;
    written.push_back({i, parameter.name});
  }
  return written;
}

std::shared_ptr<SplittableKernel> splittable_of(const Kernel& kernel) {
  const SplitMode mode = split_mode();
  const KernelFacts* const facts = mode == SplitMode::never ? nullptr : kernel.facts();
  if (facts == nullptr || facts->arguments.size() != kernel.parameters().size()) return nullptr;
  if (std::ranges::none_of(facts->can_split, std::identity())) return nullptr;
  auto written = written_by(kernel, *facts);
  if (!written) return nullptr;
  return std::make_shared<SplittableKernel>(kernel, *facts, std::move(*written), mode);
}

}  // namespace

const std::shared_ptr<SplittableKernel>& Kernel::splittable() {
  if (!splittable_) {
    splittable_ = program_->splittable(name_, [this] { return splittable_of(*this); });
  }
  return *splittable_;
}

}  // namespace troupe::opencl
