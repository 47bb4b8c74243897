/// Stand-ins: the codelets that run in virtual time in place of the program's codelets. On which kinds of device a
/// stand-in runs depends on the kernel times that are known.
#pragma once

#include <array>
#include <unordered_map>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

/// A codelet runs on a kind of device only if there is a time for the codelet on that kind. Besides, it must have an
/// implementation for that kind, or no implementation at all, or the program must be the one that gives the time. With
/// real buffers, and for nested tasks, only an implementation for that kind will do, because the kernels are really
/// called. A codelet of nested tasks that has no time on any kind runs on cores and takes no time. Only one thread at a
/// time may call the functions.
class StandIns {
 public:
  /// `options` outlives this object. `kinds` holds the kinds of the run's devices.
  StandIns(const SimulationOptions& options, KindSet kinds) : options_(options), kinds_(kinds) {}

  /// Returns the stand-in for the codelet, which lives as long as this object. If nothing has to be changed, the
  /// stand-in is equal to the codelet. Fails with `bad_input` if there is no time on any kind of device that the
  /// codelet could use: the message names these kinds.
  Result<const Codelet*> of(const Codelet& codelet, bool nested);

 private:
  struct Entry {
    /// Keeps the original codelet alive, so that no other codelet gets its address.
    Codelet original;
    Codelet runs;
    /// False if `of` has to fail, because there is no time on any kind of device that the codelet could use.
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
