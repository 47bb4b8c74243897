/// Quantities as people read them.
#pragma once

#include <cstdint>
#include <string>

#include "proto/human_count.hpp"
#include "troupe/team.hpp"
#include "troupe/units.hpp"

namespace troupe::traces {

/// Returns a text with three digits and a fitting unit, such as "1.23 s", "45.6 ms" or "7.89 us"; from two minutes on,
/// a text such as "2 min 05 s" or "1 h 05 min".
std::string human_seconds(double seconds);

/// Returns the used fraction of the cores' time, such as "93.1 %". Returns "unknown" if all tasks used threads of their
/// own, "93.1 % + unknown" if some tasks did, and "-" if no task ran.
std::string human_team_use(const TeamUse& use);

/// Returns a text such as "512 B", "1.5 KiB", "3.2 GiB".
std::string human_bytes(Bytes bytes);

}  // namespace troupe::traces
