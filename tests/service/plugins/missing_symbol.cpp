// A plug-in that needs a symbol that no library defines.
#include "troupe/plugin.hpp"

extern "C" void troupe_test_nobody_has_this();

TROUPE_PLUGIN("missing", [](troupe::PluginRegistrar&) { troupe_test_nobody_has_this(); })
