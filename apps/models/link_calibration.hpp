/// Measures the links between host memory and accelerators.
#pragma once

#include <string>
#include <vector>

#include "platform/accelerators/link_measurement.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::apps {

/// The measurement of one direction of a link.
struct MeasuredLink {
  std::string from;
  std::string to;
  platform::CopySpeed speed;
  /// Single copies of several sizes; empty for a GPU, which measures its link by itself when it is opened.
  std::vector<platform::CopyTime> times;
  /// True for a GPU, whose link is worth keeping. The user chose the speed of an emulated accelerator's link.
  bool real = false;
};

/// Measures the links of the accelerators that the options name. Opens them one after the other, while no runtime uses
/// them. Throws the failure of opening an accelerator or of a copy.
[[nodiscard]] std::vector<MeasuredLink> calibrate_links(const RuntimeOptions& options);

/// Adds the links of GPUs to those kept in the folder of the options, if there is one (apps/models/kept_links.hpp). A
/// file that cannot be used is replaced. Reports that, and a file that cannot be written, to `on_warning`. Returns
/// false if the links are lost.
bool keep_links(const std::vector<MeasuredLink>& links, const RuntimeOptions& options);

/// Returns a table; empty if there are no links.
[[nodiscard]] std::string measured_links_text(const std::vector<MeasuredLink>& links);
[[nodiscard]] Json measured_links_json(const std::vector<MeasuredLink>& links);

}  // namespace troupe::apps
