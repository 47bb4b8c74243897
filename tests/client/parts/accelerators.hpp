/// Options for runtimes with emulated accelerators.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/client/fixture.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

/// Returns options with emulated accelerators that have this much memory each.
inline RuntimeOptions with_accelerators(std::size_t count, std::uint64_t memory = 1U << 20U, bool peers = false) {
  RuntimeOptions options = with_workers(2);
  options.threads.oversubscribe = true;
  platform::EmulationOptions accelerator;
  accelerator.memory = Bytes{memory};
  if (peers) accelerator.peer_bytes_per_s = 1e10;
  options.accelerators.emulated_gpus.assign(count, accelerator);
  return options;
}

}  // namespace troupe::tests
