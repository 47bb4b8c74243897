#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "c/guard.hpp"

namespace troupe::c {

namespace {

/// The text of the last error. It is an array, not a string, because storing the text must not fail.
thread_local std::array<char, 4096> last_message{};

}  // namespace

troupe_error remember(troupe_error error, const char* message) noexcept {
  const std::size_t size = std::min(std::strlen(message), last_message.size() - 1);
  std::memcpy(last_message.data(), message, size);
  last_message[size] = 0;
  return error;
}

troupe_error code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return TROUPE_INVALID_ARGUMENT;
    case ErrorCode::invalid_handle: return TROUPE_INVALID_HANDLE;
    case ErrorCode::conflicting_access: return TROUPE_CONFLICTING_ACCESS;
    case ErrorCode::overlapping_handles: return TROUPE_OVERLAPPING_HANDLES;
    case ErrorCode::signature_mismatch: return TROUPE_SIGNATURE_MISMATCH;
    case ErrorCode::no_implementation: return TROUPE_NO_IMPLEMENTATION;
    case ErrorCode::wait_in_kernel: return TROUPE_WAIT_IN_KERNEL;
    case ErrorCode::stopped: return TROUPE_STOPPED;
    case ErrorCode::kernel_failed: return TROUPE_KERNEL_FAILED;
    case ErrorCode::cancelled: return TROUPE_CANCELLED;
    case ErrorCode::callback_failed: return TROUPE_CALLBACK_FAILED;
    case ErrorCode::policy_failed: return TROUPE_POLICY_FAILED;
    case ErrorCode::out_of_memory: return TROUPE_OUT_OF_MEMORY;
    case ErrorCode::transfer_failed: return TROUPE_TRANSFER_FAILED;
    case ErrorCode::device_lost: return TROUPE_DEVICE_LOST;
    case ErrorCode::platform: return TROUPE_PLATFORM;
    case ErrorCode::io: return TROUPE_IO;
    case ErrorCode::bad_input: return TROUPE_BAD_INPUT;
    case ErrorCode::numerical: return TROUPE_NUMERICAL;
    case ErrorCode::service_lost: return TROUPE_SERVICE_LOST;
  }
  return TROUPE_INTERNAL;
}

}  // namespace troupe::c

extern "C" const char* troupe_error_message(void) { return troupe::c::last_message.data(); }

extern "C" const char* troupe_error_name(int error) {
  using troupe::ErrorCode;
  if (error == TROUPE_OK) return "ok";
  for (int code = 0; code <= static_cast<int>(ErrorCode::service_lost); ++code) {
    if (troupe::c::code_of(static_cast<ErrorCode>(code)) == error) return to_string(static_cast<ErrorCode>(code));
  }
  return error == TROUPE_INTERNAL ? "internal" : "unknown";
}
