#include "lab/bench/service/raw_calls.hpp"

#include "client/remote/connection/socket_connection.hpp"
#include "client/remote/connection/socket_folder.hpp"

namespace troupe::bench {

platform::FileDescriptor connect_raw(const std::string& folder) {
  return remote::connect_to(remote::service_socket(folder), SOCK_STREAM | SOCK_CLOEXEC).value_or_throw();
}

}  // namespace troupe::bench
