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
/// | memory | the size of the accelerator's memory | 256MiB |
/// | bandwidth | the rate of copies to the accelerator, and of copies from it | 8GB/s |
/// | to-device, to-host | the rate of copies in one direction; replaces `bandwidth` | |
/// | latency | the latency of each copy, in ns, us, ms or s | 10us |
/// | peer | the rate of copies between two accelerators | none: such copies go through host memory |
/// | copy-fault, kernel-fault, allocation-fault | the probability that a copy, kernel or allocation fails | 0 |
/// | lost-after | the number of kernels after which each accelerator stops working | never |
/// | seed | the seed of the first accelerator's faults; each further accelerator has the next number | 1 |
///
/// Fails with `invalid_argument`; the message quotes the invalid text and says which text is valid.
[[nodiscard]] Result<std::vector<EmulationOptions>> parse_emulated_gpus(std::string_view text);

/// Returns a text that `parse_emulated_gpus` reads: the number of accelerators, and the properties of the first
/// accelerator that differ from the defaults. Returns an empty text if there are no accelerators.
[[nodiscard]] std::string emulated_gpus_text(std::span<const EmulationOptions> gpus);

}  // namespace troupe::platform
