#include "service/codelets/plugin_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string_view>

#include "graph/codelets/codelet_definition.hpp"
#include "platform/files/dynamic_library.hpp"

namespace troupe::service {

namespace {

static_assert(std::string_view(kPluginTroupeVersion) == TROUPE_VERSION,
              "include/troupe/plugin.hpp names another version");

Failure refused(const std::string& path, const std::string& why) {
  return {ErrorCode::bad_input, fmt::format("plug-in {}: {}", path, why)};
}

/// Returns the first 80 characters of a text from a plug-in. The text may be null or very long.
std::string shown(const char* text) {
  constexpr std::size_t kMost = 80;
  return text == nullptr ? "nothing" : std::string(text).substr(0, kMost);
}

constexpr const char* kRebuild = ": build it again with this version's headers and the service's compiler";

/// Returns why this service cannot use a plug-in with this descriptor; empty if it can. The magic number is checked
/// first, because without it no other field has a meaning.
std::string mismatch(const PluginDescriptor& plugin) {
  if (plugin.magic != kPluginMagic) {
    return "its 'troupe_plugin' is not what TROUPE_PLUGIN makes (include/troupe/plugin.hpp)";
  }
  if (plugin.interface_version != kPluginInterface) {
    return fmt::format("it was built for plug-in interface {}, this service has {}{}", plugin.interface_version,
                       kPluginInterface, kRebuild);
  }
  if (plugin.troupe_version == nullptr || std::string_view(plugin.troupe_version) != kPluginTroupeVersion) {
    return fmt::format("it was built for Troupe {}, this is {}{}", shown(plugin.troupe_version), kPluginTroupeVersion,
                       kRebuild);
  }
  if (plugin.compiler == nullptr || std::string_view(plugin.compiler) != TROUPE_PLUGIN_COMPILER) {
    return fmt::format("it was built with {}, this service with {}{}", shown(plugin.compiler), TROUPE_PLUGIN_COMPILER,
                       kRebuild);
  }
  if (plugin.codelet_bytes != kPluginCodeletBytes) {
    return fmt::format("its codelets have {} bytes, those of this service {}{}", plugin.codelet_bytes,
                       kPluginCodeletBytes, kRebuild);
  }
  if (plugin.name == nullptr || *plugin.name == '\0' || plugin.register_codelets == nullptr) {
    return "it has no name, or no function that adds its codelets: see TROUPE_PLUGIN in include/troupe/plugin.hpp";
  }
  return {};
}

class Registrar final : public PluginRegistrar {
 public:
  explicit Registrar(Plugin& plugin) : plugin_(plugin) {}

  void add(const Codelet& codelet, PluginCheck check) override {
    const CodeletDefinition& definition = codelet.definition();
    const std::string& name = definition.known_name();
    if (name.empty()) throw Error(ErrorCode::invalid_argument, "a codelet has no name");
    const bool runs = std::ranges::any_of(definition.kernels, [](const Kernel& kernel) { return kernel != nullptr; });
    if (!definition.typed || !runs) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("codelet '{}' has no typed implementation: give it a kernel that takes views of its "
                              "handles, so that what clients send can be compared with what it takes",
                              name));
    }
    for (const PluginCodelet& other : plugin_.codelets) {
      if (other.codelet.definition().known_name() != name) continue;
      throw Error(ErrorCode::invalid_argument, fmt::format("it has two codelets of the name '{}'", name));
    }
    plugin_.codelets.push_back({codelet, std::move(check)});
  }

 private:
  void add_reduction_of(const std::string& name, std::uint64_t element_tag, std::uint32_t element_size,
                        const ReductionMethods& methods) override {
    if (name.empty() || !methods.initialize || !methods.combine) {
      throw Error(ErrorCode::invalid_argument, "a reduction has no name, or lacks one of its methods");
    }
    for (const PluginReduction& other : plugin_.reductions) {
      if (other.name != name) continue;
      throw Error(ErrorCode::invalid_argument, fmt::format("it has two reductions of the name '{}'", name));
    }
    plugin_.reductions.push_back({name, {element_tag, element_size, methods}});
  }

  Plugin& plugin_;
};

}  // namespace

Result<Plugin> load_plugin(const std::string& path) {
  const auto library = platform::DynamicLibrary::open(path, {}, {});
  if (!library) return refused(path, library.failure().message);
  const auto symbol = library.value().find("troupe_plugin");
  if (!symbol)
    return refused(path, "it is no plug-in of Troupe: it has no 'troupe_plugin' (include/troupe/plugin.hpp)");
  const auto& descriptor = *static_cast<const PluginDescriptor*>(symbol.value());
  if (const std::string why = mismatch(descriptor); !why.empty()) return refused(path, why);
  Plugin plugin{.path = path, .name = descriptor.name, .codelets = {}, .reductions = {}};
  Registrar registrar(plugin);
  try {
    descriptor.register_codelets(registrar);
  } catch (const std::exception& error) {
    return refused(path, fmt::format("its register function failed: {}", error.what()));
  } catch (...) {
    return refused(path, "its register function threw something that is no exception of the standard library");
  }
  return plugin;
}

}  // namespace troupe::service
