#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/inline_kernel.hpp"

namespace troupe::detail {

Codelet InlineCodelets::make(std::string name, std::vector<AccessMode> modes, KernelParameters parameters,
                             Kernel kernel) {
  Codelet made(std::move(name), std::move(modes));
  made.take_parameters(to_string(DeviceKind::cpu_core), std::move(parameters));
  made.implement(DeviceKind::cpu_core, std::move(kernel));
  made.definition_->inline_kernel = true;
  return made;
}

namespace {

struct KeptCodelets {
  using Key = std::tuple<const void*, std::uint64_t, std::string>;
  std::mutex mutex;
  std::map<Key, Codelet> codelets;
};

/// Returns codelets that are never destroyed: static objects of the program may submit tasks while they are destroyed.
KeptCodelets& kept_codelets() {
  static auto& kept = *new KeptCodelets;
  return kept;
}

}  // namespace

const Codelet* InlineCodelets::find(const void* key, std::uint64_t number, const std::string& name) {
  KeptCodelets& kept = kept_codelets();
  const std::lock_guard lock(kept.mutex);
  const auto found = kept.codelets.find({key, number, name});
  return found != kept.codelets.end() ? &found->second : nullptr;
}

const Codelet& InlineCodelets::keep(const void* key, std::uint64_t number, const std::string& name, Codelet codelet) {
  KeptCodelets& kept = kept_codelets();
  const std::lock_guard lock(kept.mutex);
  return kept.codelets.try_emplace({key, number, name}, std::move(codelet)).first->second;
}

std::string InlineCodelets::name_of(const KernelPlace& place) {
  if (place.name != nullptr) return place.name;
  std::string_view file = place.file;
  file.remove_prefix(file.find_last_of('/') + 1);
  return std::string(file) + ":" + std::to_string(place.line);
}

}  // namespace troupe::detail
