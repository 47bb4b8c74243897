/// Stand-ins: the codelets that run in virtual time. Their times decide which devices their tasks run on.
#pragma once

#include <array>
#include <unordered_map>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

/// A codelet runs on a kind of device if it has an implementation for that kind, or if the program gives it a time
/// there. A codelet without any implementation runs on every kind for which there is a time. No codelet runs on a kind
/// for which it has no time. With real buffers, a codelet needs both an implementation and a time for a kind. The
/// kernels of nested tasks are called, so these need an implementation, and take no time on cores if there is no time
/// for the codelet at all. One thread at a time.
class StandIns {
 public:
  /// `options` outlives this object. `kinds` holds the kinds of the run's devices.
  StandIns(const SimulationOptions& options, KindSet kinds) : options_(options), kinds_(kinds) {}

  /// Returns the codelet itself if nothing is to be changed; otherwise a copy that lives as long as this object. Fails
  /// with `bad_input` if none of its devices has a time: the message names the devices.
  Result<const Codelet*> of(const Codelet& codelet, bool nested);

 private:
  struct Entry {
    /// Keeps the original codelet alive, so that no other codelet gets its address.
    Codelet original;
    Codelet runs;
    /// True if the codelet runs on some kind of device of this run that has times.
    bool somewhere = false;
  };

  [[nodiscard]] Entry make(const Codelet& codelet, bool nested) const;
  [[nodiscard]] Failure no_time(const CodeletDefinition& codelet) const;

  const SimulationOptions& options_;
  const KindSet kinds_;
  /// The stand-ins for tasks that are nested (`[1]`) and that are not (`[0]`). The maps are never iterated over.
  std::array<std::unordered_map<const CodeletDefinition*, Entry>, 2> known_;
};

}  // namespace troupe::actors
