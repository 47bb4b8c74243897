/// Errors of the C interface.
#pragma once

#include <exception>
#include <string>

#include "troupe/errors.hpp"
#include "troupe/troupe.h"

namespace troupe::c {

/// Stores the text that `troupe_error_message` returns in this thread, and returns `error`.
troupe_error remember(troupe_error error, const char* message) noexcept;
[[nodiscard]] troupe_error code_of(ErrorCode code);

/// Runs `call`. An exception becomes an error code and a text, because C callers cannot catch exceptions.
template <class Call>
troupe_error guarded(const Call& call) noexcept {
  try {
    call();
    return TROUPE_OK;
  } catch (const Error& error) {
    return remember(code_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return remember(TROUPE_OUT_OF_MEMORY, "there is no memory left");
  } catch (const std::exception& error) {
    return remember(TROUPE_INTERNAL, error.what());
  } catch (...) {
    return remember(TROUPE_INTERNAL, "an unknown failure");
  }
}

/// Throws `invalid_argument` if `pointer` is null; `what` names it in the message.
inline void require(const void* pointer, const char* what) {
  if (pointer == nullptr) throw Error(ErrorCode::invalid_argument, std::string(what) + " is NULL");
}

/// Returns the text; empty for null.
inline std::string text_of(const char* text) { return text == nullptr ? std::string() : std::string(text); }

}  // namespace troupe::c
