/// The definition of `Runtime::connect`. It is in the library that talks to the service, so that a program that does
/// not use the service need not link that library.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "client/environment/warnings.hpp"
#include "client/remote/connection/service_stream.hpp"
#include "client/remote/connection/socket_folder.hpp"
#include "client/remote/memory/memory_connection.hpp"
#include "client/remote/remote_backend.hpp"
#include "troupe/runtime.hpp"

namespace troupe {

namespace {

std::string name_of_program() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string("program") : program.filename().string();
}

}  // namespace

std::shared_ptr<client::Backend> client::connect_needs_the_library_Troupe_remote(const ConnectOptions& options) {
  using remote::RemoteBackend;
  RemoteBackend::Connections connections;
  connections.folder = remote::client_socket_folder(options.folder).value_or_throw();
  auto memory = remote::MemoryConnection::open(connections.folder).value_or_throw();
  connections.token = memory->token();
  connections.memory = std::move(memory);
  connections.stream = remote::open_session_stream(connections.folder).value_or_throw();
  connections.name = options.name.empty() ? name_of_program() : options.name;
  auto backend = RemoteBackend::start(std::move(connections)).value_or_throw();
  backend->warn_with(client::warner(nullptr));
  return backend;
}

}  // namespace troupe
