/// The live view as JSON, in the form that the call `Look` and the HTTP server return; docs/service.md lists the keys.
#pragma once

#include <string>
#include <string_view>

#include "proto/json/json.hpp"
#include "service/views/service_view.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// Returns the view as one object. Times are in seconds, memory is in bytes.
[[nodiscard]] Json view_as_json(const ServiceView& view);

/// Returns the view as text on one line. Bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string view_to_text(const ServiceView& view);

/// Reads the text of `view_to_text`. Unknown members are ignored, because a newer service may write more. Fails with
/// `bad_input` if a member is missing or out of range; the message names the member.
[[nodiscard]] Result<ServiceView> view_from_text(std::string_view text);

}  // namespace troupe::service
