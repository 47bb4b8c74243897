// The main function of all test executables.
#define BOOST_TEST_MODULE troupe
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace troupe::tests {
namespace {

/// A cache folder for this process. It replaces the user's cache folder, so that tests neither read old files from the
/// user's cache nor leave files there.
class OwnCache {
 public:
  OwnCache() {
    constexpr int kKeep = 0;
    constexpr int kReplace = 1;
    // Pocl's compiled kernels stay in the user's cache, because compiling a kernel takes a second.
    if (const std::string kernels = folder_of_pocl(); !kernels.empty())
      ::setenv("POCL_CACHE_DIR", kernels.c_str(), kKeep);
    ::setenv("XDG_CACHE_HOME", folder_->path().c_str(), kReplace);
  }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;
  ~OwnCache() {
    // A child process after `fork` uses its parent's folder, so only the parent removes the folder.
    if (process_ == ::getpid()) delete folder_;
  }

 private:
  static std::string folder_of_pocl() {
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache != '\0') return std::string(cache) + "/pocl/kcache";
    const char* const home = std::getenv("HOME");
    return home == nullptr ? std::string() : std::string(home) + "/.cache/pocl/kcache";
  }

  const pid_t process_ = ::getpid();
  TemporaryFolder* const folder_ = new TemporaryFolder;
};

/// The folder must exist before `main` begins, and until the runtimes' work at the end of the program is done.
const OwnCache own_cache;

}  // namespace
}  // namespace troupe::tests
