/// How a program finds the service of its node.
#pragma once

#include <string>

namespace troupe {

struct ConnectOptions {
  /// The folder of the service's sockets, an absolute path. Empty: `$TROUPE_SOCKET_FOLDER`, else for root
  /// `/run/troupe`, else `$XDG_RUNTIME_DIR/troupe` where a service of the user's own listens, else `/run/troupe` where
  /// one for members of a group does that the process is in.
  std::string folder = {};
  /// What the program calls itself, for people: in `troupe jobs` and in metrics. Empty: the name of its executable.
  std::string name = {};
};

}  // namespace troupe
