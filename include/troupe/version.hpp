/// The version of Troupe.
#pragma once

#include <string>

namespace troupe {

/// The version of the library that the program has loaded, even if the program was compiled with older headers.
struct Version {
  /// The number, such as "0.1.0"; docs/releasing.md says which changes raise which of its three numbers.
  std::string number;
  /// The first twelve digits of the commit, with a '+' at the end if files had been changed; empty if the library was
  /// not built in a git work tree.
  std::string commit;
  /// The compiler, such as "GNU 12.2.0".
  std::string compiler;
  /// The build type, such as "Release".
  std::string build_type;
  /// True if the build has `Runtime::connect`, the C interface's `troupe_connect`, and the command `troupe serve`.
  bool service = false;
  bool cuda = false;
  bool opencl = false;
  /// True if the Python package was built, too.
  bool python = false;
  /// The sanitizers, as the compiler's option -fsanitize names them ("address,undefined"); empty if there are none.
  std::string sanitizers;
};

/// Returns the version, which never changes. May be called from any thread.
[[nodiscard]] const Version& version();
/// Returns two lines for people: "troupe 0.1.0 (commit 0fd0af8a1b2c)", and how it was built.
[[nodiscard]] std::string describe(const Version& version);

}  // namespace troupe
