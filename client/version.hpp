/// Which Troupe this is.
#pragma once

#include <string>

namespace troupe {

/// Of the library that a program has loaded, however old the headers are that it was compiled with.
struct Version {
  /// "0.1.0"; docs/releasing.md says what changes which number.
  std::string number;
  /// The first twelve digits, with a '+' behind them where files had been changed; empty where it was not built in a
  /// git work tree.
  std::string commit;
  /// "GNU 12.2.0".
  std::string compiler;
  /// "Release".
  std::string build_type;
  /// `Runtime::connect` and the C interface's `troupe_connect`, and the command `troupe serve`.
  bool service = false;
  bool cuda = false;
  bool opencl = false;
  /// The Python package was built with it.
  bool python = false;
  /// As the compiler's option -fsanitize has them, "address,undefined"; empty: none.
  std::string sanitizers;
};

/// Never changes. Any thread.
[[nodiscard]] const Version& version();
/// For people, two lines: "troupe 0.1.0 (commit 0fd0af8a1b2c)", and how it was built.
[[nodiscard]] std::string describe(const Version& version);

}  // namespace troupe
