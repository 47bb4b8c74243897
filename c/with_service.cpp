#include "c/service_runtime.hpp"

namespace troupe::c {

std::unique_ptr<Runtime> connect_to_service(const ConnectOptions& options) {
  return std::unique_ptr<Runtime>(new Runtime(Runtime::connect(options)));
}

}  // namespace troupe::c
