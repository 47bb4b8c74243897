#include "client/version.hpp"

#include "client/plugin.hpp"

namespace troupe {

const char* library_version() noexcept { return kPluginTroupeVersion; }

}  // namespace troupe
