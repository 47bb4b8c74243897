/// Several users in one process.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <stdexcept>

namespace troupe::tests {

/// While it lives, the calling thread alone acts as another user of one group: so sockets that it connects are that
/// user's to the other side. For root.
class AsUser {
 public:
  AsUser(uid_t user, gid_t group) {
    // Not by the C library, which would do so in all threads.
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
