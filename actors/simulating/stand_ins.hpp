/// What codelets are in virtual time: times say where their tasks run.
#pragma once

#include <unordered_map>

#include "actors/simulating/simulation_options.hpp"
#include "graph/codelets/codelet.hpp"
#include "proto/device_kinds.hpp"
#include "proto/errors.hpp"

namespace troupe::actors {

/// A codelet runs on a kind of device where it has an implementation or the program gives it a time; one without any
/// implementation, where there is a time. Never where there is none. With real buffers it needs both. One thread at a
/// time.
class StandIns {
 public:
  /// `options` outlives this. `kinds`: those of the run's devices.
  StandIns(const SimulationOptions& options, KindSet kinds) : options_(options), kinds_(kinds) {}

  /// The codelet itself where nothing is to be changed; else a copy that lives as long as this. Fails with `bad_input`
  /// where none of its devices has a time: the message names the devices.
  Result<const Codelet*> of(const Codelet& codelet);

 private:
  struct Entry {
    /// No other codelet comes to lie where it does.
    Codelet original;
    Codelet runs;
    /// On kinds of device of this run, with times.
    bool somewhere = false;
  };

  [[nodiscard]] Entry make(const Codelet& codelet) const;
  [[nodiscard]] Failure no_time(const CodeletDefinition& codelet) const;

  const SimulationOptions& options_;
  const KindSet kinds_;
  /// Looked up only.
  std::unordered_map<const CodeletDefinition*, Entry> known_;
};

}  // namespace troupe::actors
