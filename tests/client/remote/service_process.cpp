// A service in a process of its own, for tests that kill it: `service_process FOLDER`, until it is killed.
#include <unistd.h>

#include <iostream>

#include "service/server.hpp"
#include "tests/support/running_service.hpp"

int main(int argc, char** argv) {
  using namespace troupe;
  if (argc != 2) return 2;
  tests::Gate gate;
  const tests::TestCodelets codelets(gate);
  service::ServerOptions options;
  options.folder = argv[1];
  options.inherit_sockets = false;
  options.runtime.cores = 1;
  const auto server = service::Server::start(options, codelets);
  if (!server) {
    std::cerr << server.failure().message << "\n";
    return 1;
  }
  std::cout << "ready" << std::endl;
  while (true) ::pause();
}
