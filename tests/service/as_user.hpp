/// Lets one process act as several users.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <stdexcept>

namespace troupe::tests {

/// While an object of this class lives, the calling thread acts as another user, with one group. The service sees this
/// user at sockets that the thread connects. Other threads are not affected. This needs root.
class AsUser {
 public:
  AsUser(uid_t user, gid_t group) {
    // The functions of the C library would change the user in all threads, so this uses the system calls.
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
