/// Lets one process act as several users.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <stdexcept>

namespace troupe::tests {

/// While an object of this class lives, the calling thread alone acts as another user of one group. So the other side
/// sees that user at sockets that it connects. This needs root.
class AsUser {
 public:
  AsUser(uid_t user, gid_t group) {
    // The C library's functions would change the user in all threads, so call the system directly.
    if (::syscall(SYS_setresgid, -1, group, -1) != 0 || ::syscall(SYS_setresuid, -1, user, -1) != 0) {
      throw std::runtime_error("cannot act as another user");
    }
  }
  ~AsUser() {
    ::syscall(SYS_setresuid, -1, 0, -1);
    ::syscall(SYS_setresgid, -1, 0, -1);
  }
  AsUser(const AsUser&) = delete;
  AsUser& operator=(const AsUser&) = delete;
};

}  // namespace troupe::tests
