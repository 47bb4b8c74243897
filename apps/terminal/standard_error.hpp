/// Messages for people.
#pragma once

#include <cstdio>
#include <string>

namespace troupe::apps {

/// Writes to standard error. A failure to write there (it is closed, or its disk is full) is ignored, since nobody can
/// be told. May be called from any thread.
inline void say(const std::string& text) noexcept { std::fputs(text.c_str(), stderr); }

}  // namespace troupe::apps
