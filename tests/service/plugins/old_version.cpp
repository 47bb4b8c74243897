// A plug-in that was built for another version of Troupe.
#include "graph/codelets/codelet_definition.hpp"
#include "troupe/plugin.hpp"

extern "C" const troupe::PluginDescriptor troupe_plugin;
const troupe::PluginDescriptor troupe_plugin = {troupe::kPluginMagic,
                                                troupe::kPluginInterface,
                                                sizeof(troupe::CodeletDefinition),
                                                "0.0.1",
                                                TROUPE_PLUGIN_COMPILER,
                                                "old",
                                                [](troupe::PluginRegistrar&) {}};
