/// The live view as Prometheus reads it.
#pragma once

#include <string>
#include <string_view>

#include "service/views/service_view.hpp"

namespace troupe::service {

/// The media type of the text.
inline constexpr const char* kPrometheusMediaType = "text/plain; version=0.0.4; charset=utf-8";

/// The text format 0.0.4. Base units (seconds, bytes); what only grows ends in `_total`; docs/service.md lists the
/// metrics. Bytes of names that are no UTF-8 are replaced by '?'.
[[nodiscard]] std::string prometheus_text(const ServiceView& view);

/// The text with every byte that is not part of a UTF-8 character replaced by '?'.
[[nodiscard]] std::string valid_text(std::string_view text);

}  // namespace troupe::service
