/// Messages to the user on standard error.
#pragma once

#include <cstdio>
#include <string>

namespace troupe::apps {

/// Writes to standard error. A failure (the stream is closed, or its disk is full) is ignored, because there is no
/// other place to report it. Any thread may call this function.
inline void say(const std::string& text) noexcept { std::fputs(text.c_str(), stderr); }

}  // namespace troupe::apps
