// A plug-in that needs a symbol which no library has.
#include "troupe/plugin.hpp"

extern "C" void troupe_test_nobody_has_this();

TROUPE_PLUGIN("missing", [](troupe::PluginRegistrar&) { troupe_test_nobody_has_this(); })
