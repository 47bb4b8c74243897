/// The keys that the objects of a machine's description may have. Other keys are mistakes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "platform/files/json_field.hpp"

namespace troupe::platform {

/// The objects of a description.
enum class DescribedObject {
  machine,
  cpu,
  gpu,
  transfers,
  latency_fix,
  pci,
  link,
  route,
  kernel,
  time,
  cluster_time,
  gpu_time
};

/// Returns the N of a kernel's key "cluster_N_cores_us"; nothing if the key has another form.
[[nodiscard]] std::optional<std::string> cores_in_key(std::string_view key);

/// Throws `Error` with code `bad_input` if the object has a key that is neither known nor a remark; the message names
/// the key, its place and the most similar known key.
///
/// Remarks are ignored: `note`, `comment`, `origin`, keys that end in `_note` or `_origin`, and the remarks that
/// Troupe's own machines carry beside their figures.
void check_keys(const JsonField& field, DescribedObject object);

}  // namespace troupe::platform
