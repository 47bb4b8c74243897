#include "c/values.hpp"

#include <string>

#include "troupe/errors.hpp"

namespace troupe::c {

AccessMode mode_of(troupe_mode mode) {
  switch (mode) {
    case TROUPE_READ: return AccessMode::read;
    case TROUPE_WRITE: return AccessMode::write;
    case TROUPE_READ_WRITE: return AccessMode::read_write;
    case TROUPE_COMMUTE: return AccessMode::commute;
    case TROUPE_REDUCE: return AccessMode::reduce;
    default: break;
  }
  throw Error(ErrorCode::invalid_argument,
              "a troupe_mode of " + std::to_string(mode) + " cannot be used here: use TROUPE_READ to TROUPE_REDUCE");
}

troupe_status to_c(TaskStatus status) {
  switch (status) {
    case TaskStatus::pending: return TROUPE_PENDING;
    case TaskStatus::succeeded: return TROUPE_SUCCEEDED;
    case TaskStatus::failed: return TROUPE_FAILED;
    case TaskStatus::cancelled: return TROUPE_WAS_CANCELLED;
  }
  return TROUPE_PENDING;
}

troupe_shape shape_of(const Layout& layout) {
  return {layout.rows, layout.cols, layout.planes, layout.ld, layout.plane_stride};
}

}  // namespace troupe::c
