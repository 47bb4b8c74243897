/// Quantities as people read them.
#pragma once

#include <cstdint>
#include <string>

#include "proto/human_count.hpp"
#include "proto/team_use.hpp"
#include "proto/units.hpp"

namespace troupe::traces {

/// "1.23 s", "45.6 ms", "7.89 us", "2 min 05 s": three digits and a unit that fits.
std::string human_seconds(double seconds);

/// "93.1 %"; "unknown" where all that ran brought threads of its own, and "93.1 % + unknown" where some did; "-" where
/// nothing ran.
std::string human_share(const TeamUse& use);

/// "512 B", "1.5 KiB", "3.2 GiB".
std::string human_bytes(Bytes bytes);

}  // namespace troupe::traces
