// The main function that all test executables share.
#define BOOST_TEST_MODULE troupe
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace troupe::tests {
namespace {

/// What runtimes keep in the user's cache they keep in a folder of this process meanwhile: tests neither use what
/// others have left there nor leave anything.
class OwnCache {
 public:
  OwnCache() {
    constexpr int kKeep = 0;
    constexpr int kReplace = 1;
    // pocl's compiled kernels stay where they are: compiling takes a second each.
    if (const std::string kernels = folder_of_pocl(); !kernels.empty())
      ::setenv("POCL_CACHE_DIR", kernels.c_str(), kKeep);
    ::setenv("XDG_CACHE_HOME", folder_->path().c_str(), kReplace);
  }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;
  ~OwnCache() {
    // A child after `fork` has the folder of its parent.
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

/// Made before and destroyed behind everything that runtimes do at the end of the program.
const OwnCache own_cache;

}  // namespace
}  // namespace troupe::tests
