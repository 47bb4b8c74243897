// A plug-in that was built for another version of the interface.
#include "graph/codelets/codelet_definition.hpp"
#include "troupe/plugin.hpp"

extern "C" const troupe::PluginDescriptor troupe_plugin;
const troupe::PluginDescriptor troupe_plugin = {
    troupe::kPluginMagic,           troupe::kPluginInterface + 1, sizeof(troupe::CodeletDefinition),
    troupe::kPluginTroupeVersion,   TROUPE_PLUGIN_COMPILER,       "old",
    [](troupe::PluginRegistrar&) {}};
