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
  /// The times of single copies of several sizes; empty for a GPU, which measures its link by itself when it is opened.
  std::vector<platform::CopyTime> times;
  /// True for a GPU, whose link is worth storing. False for an emulated accelerator, because the user chose its speed.
  bool real = false;
};

/// Measures the links of the accelerators that the options name. Opens the accelerators one after the other; no runtime
/// may use the accelerators at the same time. Throws the error of opening an accelerator or of a copy.
[[nodiscard]] std::vector<MeasuredLink> calibrate_links(const RuntimeOptions& options);

/// Adds the links of GPUs to the file of links in the folder of the options, if there is a folder
/// (apps/models/kept_links.hpp). An unusable file is replaced, with a warning to `on_warning`. A file that cannot be
/// written also causes a warning. Returns false if the links could not be stored.
bool keep_links(const std::vector<MeasuredLink>& links, const RuntimeOptions& options);

/// Returns a table; empty if there are no links.
[[nodiscard]] std::string measured_links_text(const std::vector<MeasuredLink>& links);
[[nodiscard]] Json measured_links_json(const std::vector<MeasuredLink>& links);

}  // namespace troupe::apps
