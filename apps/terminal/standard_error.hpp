/// Messages to people.
#pragma once

#include <cstdio>
#include <string>

namespace troupe::apps {

/// Writes to standard error. Where nothing can be written there (it is closed, or its disk is full), nobody can be
/// told, so that is no error. Any thread.
inline void say(const std::string& text) noexcept { std::fputs(text.c_str(), stderr); }

}  // namespace troupe::apps
