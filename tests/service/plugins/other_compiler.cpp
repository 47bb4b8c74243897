// A plug-in that was built with another compiler.
#include "graph/codelets/codelet_definition.hpp"
#include "troupe/plugin.hpp"

extern "C" const troupe::PluginDescriptor troupe_plugin;
const troupe::PluginDescriptor troupe_plugin = {troupe::kPluginMagic,
                                                troupe::kPluginInterface,
                                                sizeof(troupe::CodeletDefinition),
                                                troupe::kPluginTroupeVersion,
                                                "cfront 3",
                                                "other",
                                                [](troupe::PluginRegistrar&) {}};
