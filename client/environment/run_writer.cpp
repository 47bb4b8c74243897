#include "client/environment/run_writer.hpp"

#include <dlfcn.h>

#include <atomic>
#include <string_view>

namespace troupe::client {

namespace {

std::atomic<const RunWriter*> registered{nullptr};

/// The result of the attempt to load libtroupe_traces. An empty `failure` means success.
struct Search {
  std::string failure;
};

/// Returns the path of the library for traces that lies beside the library with this code: "…/libtroupe_traces.so.0.1"
/// beside "…/libtroupe.so.0.1". Empty if this code is not in a shared library: a program that links Troupe statically
/// must not load a second copy.
std::string sibling() {
  constexpr std::string_view kOwn = "libtroupe.so";
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&sibling), &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string path = info.dli_fname;
  const std::size_t name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  if (!std::string_view(path).substr(name).starts_with(kOwn)) return {};
  return path.substr(0, name) + "libtroupe_traces.so" + path.substr(name + kOwn.size());
}

/// Searches for the library once per process, because a missing library will also be missing later.
const Search& search() {
  static const Search found = [] {
    const std::string library = sibling();
    if (library.empty())
      return Search{"the program has Troupe linked into itself, but not Troupe's library for traces"};
    if (::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return Search{};
    const char* const why = ::dlerror();
    return Search{"libtroupe_traces cannot be loaded: " + std::string(why != nullptr ? why : library)};
  }();
  return found;
}

}  // namespace

void register_run_writer(const RunWriter* writer) noexcept {
  // Release: publishes the functions in `*writer` to the acquire loads in `run_writer`.
  registered.store(writer, std::memory_order_release);
}

const RunWriter* run_writer() {
  if (const RunWriter* const writer = registered.load(std::memory_order_acquire)) return writer;
  (void)search();
  return registered.load(std::memory_order_acquire);
}

std::string why_no_run_writer() {
  const std::string& failure = search().failure;
  return failure.empty() ? "libtroupe_traces has no writer: it is of another version" : failure;
}

}  // namespace troupe::client
