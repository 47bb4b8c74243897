#include "actors/simulating/stand_ins.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "actors/simulating/kernel_duration.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

namespace {

/// The times that are known for one codelet: the kinds of device for which the program gives times (`given`), the kinds
/// for which the program or the description gives times (`all`), and the largest number of cores that a task can use.
struct TimesThere {
  KindSet given = 0;
  KindSet all = 0;
  int most_cores = 1;
};

KindSet kinds_with(bool core, bool gpu) {
  return kinds_where([&](const DeviceTraits& row) { return row.accelerator ? gpu : core; });
}

TimesThere times_there(const SimulationOptions& options, const std::string& name) {
  if (const auto own = options.times.find(name); own != options.times.end()) {
    const CodeletTimes& times = own->second;
    const KindSet kinds = kinds_with(static_cast<bool>(times.core), static_cast<bool>(times.gpu));
    return {kinds, kinds, times.most_cores};
  }
  const platform::KernelTimes* const times = find_times(options.machine, name);
  if (times == nullptr) return {};
  return {0, kinds_with(times->on_cpu(), times->on_gpus()), times->on_clusters() ? options.machine.cores : 1};
}

}  // namespace

StandIns::Entry StandIns::make(const Codelet& codelet, bool nested) const {
  const CodeletDefinition& definition = codelet.definition();
  Entry entry{codelet, codelet};
  if (definition.internal) {
    entry.somewhere = true;
    return entry;
  }
  const TimesThere times = times_there(options_, definition.timed_name());
  const KindSet own = definition.kinds();
  if (nested && times.all == 0 && (own & kOnCores & kinds_) != 0) {
    entry.somewhere = true;
    entry.runs = codelet.untimed_on(own & kOnCores & kinds_);
    return entry;
  }
  const bool invents = !options_.real_buffers && !nested;
  KindSet runs = own;
  if (invents) runs |= own == 0 ? times.all : times.given;
  runs &= times.all;
  // A missing implementation is no reason to fail here, because the graph reports it.
  const bool lacks_implementation = own == 0 ? !invents : (own & kinds_) == 0;
  entry.somewhere = (runs & kinds_) != 0 || lacks_implementation;
  if (lacks_implementation && (runs & kinds_) == 0) return entry;
  if ((runs & kinds_) == (own & kinds_) && !definition.timed_as.empty()) return entry;
  entry.runs = codelet.modelled_on(runs & kinds_, times.most_cores);
  entry.runs.timed_as(definition.timed_name());
  return entry;
}

Result<const Codelet*> StandIns::of(const Codelet& codelet, bool nested) {
  const CodeletDefinition* const key = &codelet.definition();
  auto& known = known_[nested ? 1 : 0];
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(key, make(codelet, nested)).first;
  if (!found->second.somewhere) return no_time(codelet.definition());
  return &found->second.runs;
}

Failure StandIns::no_time(const CodeletDefinition& codelet) const {
  const KindSet own = codelet.kinds();
  std::vector<std::string> kinds;
  for (const DeviceTraits& row : kDeviceTraits) {
    const KindSet kind = kind_set(row.kind);
    if ((kind & kinds_ & (own == 0 ? kEveryKind : own)) != 0) kinds.emplace_back(row.name);
  }
  return {ErrorCode::bad_input,
          fmt::format("there is no kernel time for a {} in virtual time: give one by SimulationOptions::times[\"{}\"], "
                      "or let Codelet::timed_as name a kernel that machine '{}' has times for there",
                      fmt::join(kinds, " or a "), codelet.timed_name(), options_.machine.name)};
}

}  // namespace troupe::actors
