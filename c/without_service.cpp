#include "c/service_runtime.hpp"

namespace troupe::c {

std::unique_ptr<Runtime> connect_to_service(const ConnectOptions&) {
  throw Error(ErrorCode::no_implementation,
              "this libtroupe_c was built without Troupe's service: start workers of the program's own "
              "(troupe_start), or install a build with it (TROUPE_SERVICE=ON)");
}

}  // namespace troupe::c
