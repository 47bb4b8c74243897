#include "troupe/errors.hpp"

namespace troupe {

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::invalid_handle: return "invalid_handle";
    case ErrorCode::conflicting_access: return "conflicting_access";
    case ErrorCode::overlapping_handles: return "overlapping_handles";
    case ErrorCode::signature_mismatch: return "signature_mismatch";
    case ErrorCode::no_implementation: return "no_implementation";
    case ErrorCode::wait_in_kernel: return "wait_in_kernel";
    case ErrorCode::stopped: return "stopped";
    case ErrorCode::kernel_failed: return "kernel_failed";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::callback_failed: return "callback_failed";
    case ErrorCode::policy_failed: return "policy_failed";
    case ErrorCode::out_of_memory: return "out_of_memory";
    case ErrorCode::transfer_failed: return "transfer_failed";
    case ErrorCode::device_lost: return "device_lost";
    case ErrorCode::platform: return "platform";
    case ErrorCode::io: return "io";
    case ErrorCode::bad_input: return "bad_input";
    case ErrorCode::numerical: return "numerical";
    case ErrorCode::service_lost: return "service_lost";
  }
  return "unknown";
}

}  // namespace troupe
