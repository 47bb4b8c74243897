#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/errors.hpp"
#include "troupe/inline_kernel.hpp"

namespace troupe::detail {

Codelet InlineCodelets::make(std::string name, std::vector<AccessMode> modes, KernelParameters parameters,
                             Kernel kernel) {
  Codelet made(std::move(name), std::move(modes));
  made.definition_->captures = parameters.captures;
  made.take_parameters(to_string(DeviceKind::cpu_core), std::move(parameters));
  made.implement(DeviceKind::cpu_core, std::move(kernel));
  made.definition_->inline_kernel = true;
  return made;
}

Codelet InlineCodelets::make_call(std::string name, Kernel kernel, void (*ended)(ArgumentsView)) {
  Codelet made(std::move(name), std::vector<AccessMode>());
  made.implement(DeviceKind::cpu_core, std::move(kernel));
  made.definition_->inline_kernel = true;
  made.definition_->ended = ended;
  return made;
}

const Codelet& InlineCodelets::kept(const void* key, std::uint64_t number, const std::string& name,
                                    const std::function<Codelet()>& make) {
  using Key = std::tuple<const void*, std::uint64_t, std::string>;
  // Neither object is ever destroyed, because destructors of the program's static objects may still submit tasks.
  static auto& mutex = *new std::mutex;
  static auto& codelets = *new std::map<Key, Codelet>;
  const std::lock_guard lock(mutex);
  Key all(key, number, name);
  const auto found = codelets.find(all);
  return found != codelets.end() ? found->second : codelets.emplace(std::move(all), make()).first->second;
}

void InlineCodelets::refuse_null() {
  throw Error(ErrorCode::invalid_argument, "a null pointer was given in place of a function");
}

std::string InlineCodelets::name_of(const KernelPlace& place) {
  if (place.name != nullptr) return place.name;
  std::string_view file = place.file;
  file.remove_prefix(file.find_last_of('/') + 1);
  return std::string(file) + ":" + std::to_string(place.line);
}

}  // namespace troupe::detail
