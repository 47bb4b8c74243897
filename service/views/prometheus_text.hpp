/// The live view in Prometheus' format.
#pragma once

#include <string>
#include <string_view>

#include "service/views/service_view.hpp"

namespace troupe::service {

/// The media type of the text.
inline constexpr const char* kPrometheusMediaType = "text/plain; version=0.0.4; charset=utf-8";

/// Returns the view in Prometheus' text format, version 0.0.4. Units are base units (seconds, bytes); names of counters
/// end in `_total`; docs/service.md lists the metrics. Bytes of names that are not UTF-8 are replaced by '?'.
[[nodiscard]] std::string prometheus_text(const ServiceView& view);

/// Returns the text with every byte that belongs to no UTF-8 character replaced by '?'.
[[nodiscard]] std::string valid_text(std::string_view text);

}  // namespace troupe::service
