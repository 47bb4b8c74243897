/// Emulated accelerators on the command line and in configurations.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/errors.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::platform {

/// Parses "2" or "2:memory=256MiB,bandwidth=8GB/s": the number of accelerators, and the properties of each.
///
/// | option | what | default |
/// |---|---|---|
/// | memory | its memory | 256MiB |
/// | bandwidth | of copies to it and from it, each | 8GB/s |
/// | to-device, to-host | of copies in one direction, whatever `bandwidth` says | |
/// | latency | of each copy, in ns, us, ms or s | 10us |
/// | peer | of copies between two of them | none: through host memory |
/// | copy-fault, kernel-fault, allocation-fault | the probability that one fails | 0 |
/// | lost-after | kernels after which each of them stops working | never |
/// | seed | of the faults: the first one's, the others' follow | 1 |
///
/// Fails with `invalid_argument`; the message quotes the text that cannot be used and says what could be.
[[nodiscard]] Result<std::vector<EmulationOptions>> parse_emulated_gpus(std::string_view text);

/// Returns the text that `parse_emulated_gpus` reads: the number of accelerators, and those properties of the first
/// that differ from the defaults. Empty if there are no accelerators.
[[nodiscard]] std::string emulated_gpus_text(std::span<const EmulationOptions> gpus);

}  // namespace troupe::platform
