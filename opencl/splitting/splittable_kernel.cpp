#include "opencl/splitting/splittable_kernel.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::opencl {

namespace {

bool switched_on() {
  static const bool on = [] {
    const char* const value = std::getenv("TROUPE_OPENCL_SPLIT");
    return value == nullptr || std::string_view(value) != "off";
  }();
  return on;
}

/// Nothing: something is written that has no name in the source.
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
  const std::shared_ptr<const ProgramFacts> program = kernel.program().facts();
  if (program == nullptr) return nullptr;
  const auto found = program->find(kernel.name());
  if (found == program->end()) return nullptr;
  const KernelFacts& facts = found->second;
  if (std::ranges::none_of(facts.can_split, std::identity()) || facts.arguments.size() != kernel.parameters().size()) {
    return nullptr;
  }
  auto written = written_by(kernel, facts);
  if (!written) return nullptr;
  return std::make_shared<SplittableKernel>(kernel, program, facts, std::move(*written));
}

}  // namespace

const std::shared_ptr<SplittableKernel>& Kernel::splittable() {
  if (!splittable_) {
    splittable_ = switched_on() ? program_->splittable(name_, [this] { return splittable_of(*this); }) : nullptr;
  }
  return *splittable_;
}

}  // namespace troupe::opencl
