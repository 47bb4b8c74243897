/// Plug-ins of the service: shared objects with codelets that clients refer to by name. docs/plugins.md says how to
/// write, build and install one.
///
///     #include <troupe/plugin.hpp>
///
///     void add_codelets(troupe::PluginRegistrar& registrar) {
///       registrar.add(troupe::Codelet("halve", {troupe::AccessMode::read_write}).cpu([](troupe::VectorView<double> x)
///       {
///         for (double& value : x) value /= 2;
///       }));
///     }
///     TROUPE_PLUGIN("example", add_codelets)
#pragma once

#if __cplusplus < 202002L
#error \
    "Troupe needs C++20: compile with -std=c++20 (in CMake: target_compile_features(your_program PRIVATE cxx_std_20))"
#else

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"
#include "troupe/layout.hpp"

namespace troupe {

/// Refuses a task whose shapes or arguments its kernel cannot process: see `PluginRegistrar::add`.
using PluginCheck = std::function<Result<void>(std::span<const Layout> layouts, const Arguments& arguments)>;

/// The object that a plug-in's register function gets. It is valid during that call only.
class PluginRegistrar {
 public:
  /// Adds a codelet that clients may use. Clients find the codelet by its name, or by the name in `Codelet::known_as`,
  /// which no other codelet of the service may have. The codelet must be typed, so that the service can compare what
  /// clients send with the kernel's parameters.
  ///
  /// `check` is called for every task of a client before it is submitted, with the layouts of its data in the order of
  /// the kernel's parameters, and with its arguments. It must refuse every combination with which the kernel could read
  /// or write outside of its data, because clients can send anything. The service has already compared the numbers and
  /// types of handles and arguments; sizes are not negative, and columns do not overlap; arguments lie at
  /// `arguments.offsets()` in `arguments.bytes()`. Several threads may call `check` at the same time. If `check` is
  /// empty, the kernel must accept everything that its types allow.
  ///
  /// Throws `Error` (`invalid_argument`) for a name that is in use, and for a codelet that is not typed or has no
  /// implementation.
  virtual void add(const Codelet& codelet, PluginCheck check = nullptr) = 0;

  /// Adds a reduction of elements of type `T` that clients may choose by its name. Throws `Error` (`invalid_argument`)
  /// for a name that is in use.
  template <class T>
  void add_reduction(const std::string& name, const ReductionMethods& methods) {
    add_reduction_of(name, type_tag<T>(), sizeof(T), methods);
  }

 protected:
  ~PluginRegistrar() = default;

 private:
  virtual void add_reduction_of(const std::string& name, std::uint64_t element_tag, std::uint32_t element_size,
                                const ReductionMethods& methods) = 0;
};

/// The symbol `troupe_plugin` that the service looks up in a shared object. The service refuses a plug-in if any field,
/// except the name and the function, differs from the service's own value.
struct PluginDescriptor {
  std::uint64_t magic;
  /// The version of this header. Every change that old plug-ins would misunderstand raises the version.
  std::uint32_t interface_version;
  /// The sum of the sizes of the objects that the plug-in and the service pass to each other. A different sum means
  /// another version of Troupe, or of the compiler's library.
  std::uint32_t codelet_bytes;
  /// Troupe's version, such as "0.1.0".
  const char* troupe_version;
  /// The properties of the compiler that the layout of the standard library's types depends on.
  const char* compiler;
  /// The plug-in's name, for people.
  const char* name;
  void (*register_codelets)(PluginRegistrar& registrar);
};

inline constexpr std::uint64_t kPluginMagic = 0x6e69676c5054;  // "TPlgin"
inline constexpr std::uint32_t kPluginInterface = 1;
inline constexpr std::uint32_t kPluginCodeletBytes = sizeof(Codelet) + sizeof(Kernel) + sizeof(KernelContext) +
                                                     sizeof(KernelParameters) + sizeof(HandleGroup) +
                                                     sizeof(ReductionMethods);
inline constexpr const char* kPluginTroupeVersion = "0.1.0";

#define TROUPE_TEXT_OF_(x) #x
#define TROUPE_TEXT_OF(x) TROUPE_TEXT_OF_(x)
#if defined(_GLIBCXX_RELEASE)
#define TROUPE_PLUGIN_LIBRARY \
  "libstdc++ " TROUPE_TEXT_OF(_GLIBCXX_RELEASE) " abi " TROUPE_TEXT_OF(_GLIBCXX_USE_CXX11_ABI)
#elif defined(_LIBCPP_VERSION)
#define TROUPE_PLUGIN_LIBRARY "libc++ " TROUPE_TEXT_OF(_LIBCPP_VERSION)
#else
#define TROUPE_PLUGIN_LIBRARY "unknown library"
#endif
#if defined(__clang__)
#define TROUPE_PLUGIN_COMPILER "clang " TROUPE_TEXT_OF(__clang_major__) ", " TROUPE_PLUGIN_LIBRARY
#elif defined(__GNUC__)
#define TROUPE_PLUGIN_COMPILER "gcc " TROUPE_TEXT_OF(__GNUC__) ", " TROUPE_PLUGIN_LIBRARY
#else
#define TROUPE_PLUGIN_COMPILER "unknown compiler, " TROUPE_PLUGIN_LIBRARY
#endif

}  // namespace troupe

/// Use this once in each plug-in, outside of namespaces, with the name of the plug-in and the function that adds its
/// codelets.
#define TROUPE_PLUGIN(plugin_name, function)                                                        \
  extern "C" __attribute__((visibility("default"))) const ::troupe::PluginDescriptor troupe_plugin; \
  const ::troupe::PluginDescriptor troupe_plugin = {::troupe::kPluginMagic,                         \
                                                    ::troupe::kPluginInterface,                     \
                                                    ::troupe::kPluginCodeletBytes,                  \
                                                    ::troupe::kPluginTroupeVersion,                 \
                                                    TROUPE_PLUGIN_COMPILER,                         \
                                                    plugin_name,                                    \
                                                    function};

#endif
