#include "graph/codelets/known_codelets.hpp"

#include <string>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/submission_checks.hpp"

namespace troupe::graph {

Result<void> KnownCodelets::add(const Codelet& codelet) {
  const CodeletDefinition* definition = &codelet.definition();
  const LockGuard lock(mutex_);
  definitions_.try_emplace(definition, codelet.shared_definition());
  if (const Environment make = definition->environment; make != nullptr) {
    bool known = false;
    for (const auto& environment : environments_) known = known || environment.first == make;
    try {
      if (!known) environments_.emplace_back(make, make());
    } catch (const Error& error) {
      return Failure{error.code(), error.what()};
    }
  }
  // This release store pairs with the acquire load in `knows`.
  recent(*definition).store(definition, std::memory_order_release);
  return {};
}

CodeletDefinitions KnownCodelets::take() {
  const LockGuard lock(mutex_);
  return std::exchange(definitions_, {});
}

Result<const Codelet*> KnownCodelets::only_on(const Codelet& codelet, const DeviceSet& devices, std::size_t most_named,
                                              const std::function<Result<DevicesHere>()>& find) {
  const LockGuard lock(mutex_);
  const std::pair key(&codelet.definition(), devices);
  const auto found = restricted_.find(key);
  if (found != restricted_.end()) return &found->second;
  const std::size_t named = devices.choices().empty() ? 0 : 1;
  if (named > most_named - named_devices_) {
    return Failure{ErrorCode::invalid_argument,
                   quoted(codelet) + ": it is the program's " + std::to_string(named_devices_ + 1) +
                       "th restriction of a codelet to devices by number or name: use fewer different ones"};
  }
  auto here = find();
  if (!here) {
    return Failure{here.failure().code, quoted(codelet) + ": its task is restricted to " + to_string(devices) + ": " +
                                            here.failure().message};
  }
  named_devices_ += named;
  // This entry keeps the definition alive, so that no other codelet gets its address.
  definitions_.try_emplace(&codelet.definition(), codelet.shared_definition());
  return &restricted_.emplace(key, codelet.only_on(devices, std::move(here).value())).first->second;
}

}  // namespace troupe::graph
