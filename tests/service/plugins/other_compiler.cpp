// A plug-in that another compiler made.
#include "client/plugin.hpp"

extern "C" const troupe::PluginDescriptor troupe_plugin;
const troupe::PluginDescriptor troupe_plugin = {troupe::kPluginMagic,
                                                troupe::kPluginInterface,
                                                sizeof(troupe::CodeletDefinition),
                                                troupe::kPluginTroupeVersion,
                                                "cfront 3",
                                                "other",
                                                [](troupe::PluginRegistrar&) {}};
