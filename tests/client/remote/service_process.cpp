// A service in a process of its own. It serves until a test kills it:
//
//   service_process FOLDER [POLICY EMULATED_GPUS]
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "graph/codelets/codelet_definition.hpp"
#include "service/server.hpp"
#include "tests/support/killed/step_codelet.hpp"
#include "tests/support/running_service.hpp"

namespace troupe::tests {
namespace {

/// The codelets of tests, and the codelet of random programs.
class AllCodelets final : public service::CodeletSource {
 public:
  explicit AllCodelets(Gate& gate) : own_(gate) {}
  [[nodiscard]] const service::ServiceCodelet* find(std::string_view name) const override {
    return name == step_.codelet.definition().known_name() ? &step_ : own_.find(name);
  }

 private:
  TestCodelets own_;
  service::ServiceCodelet step_{step_codelet(true)};
};

}  // namespace
}  // namespace troupe::tests

int main(int argc, char** argv) {
  using namespace troupe;
  if (argc != 2 && argc != 4) return 2;
  tests::Gate gate;
  const tests::AllCodelets codelets(gate);
  service::ServerOptions options;
  options.folder = argv[1];
  options.inherit_sockets = false;
  options.runtime.cores = 1;
  if (argc == 4) {
    options.runtime.policy = argv[2];
    platform::EmulationOptions small;
    small.memory = {4096};
    options.runtime.accelerators.emulated_gpus.assign(std::strtoul(argv[3], nullptr, 10), small);
    options.runtime.cores = 2;
    options.runtime.threads.oversubscribe = true;
    options.runtime.threads.bind = false;
  }
  const auto server = service::Server::start(options, codelets);
  if (!server) {
    std::cerr << server.failure().message << "\n";
    return 1;
  }
  std::cout << "ready" << std::endl;
  while (true) ::pause();
}
