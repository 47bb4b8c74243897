/// The options with which a program finds the service of its node.
#pragma once

#include <string>

namespace troupe {

struct ConnectOptions {
  /// The folder of the service's sockets, an absolute path. Empty: `$TROUPE_SOCKET_FOLDER`; else `/run/troupe` for
  /// root; else `$XDG_RUNTIME_DIR/troupe` if a service of this user listens there; else `/run/troupe` if a service
  /// listens there for the members of a group that the process is in.
  std::string folder = {};
  /// The program's name for people: in `troupe jobs` and in metrics. Empty: the name of its executable.
  std::string name = {};
};

}  // namespace troupe
