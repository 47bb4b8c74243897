/// Measures the links between host memory and accelerators.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "actors/running/runtime_options.hpp"
#include "platform/accelerators/link_measurement.hpp"

namespace troupe::apps {

/// One direction.
struct MeasuredLink {
  std::string from;
  std::string to;
  platform::CopySpeed speed;
  /// Single copies of several sizes; none of a GPU, which measures by itself when it is opened.
  std::vector<platform::CopyTime> times;
  /// Of a GPU: worth keeping. What an emulated accelerator's take was set by whoever asked for it.
  bool real = false;
};

/// Of the accelerators that the options name, each opened for the purpose, one after the other, while no runtime uses
/// them. Throws what opening them or a copy fails with.
[[nodiscard]] std::vector<MeasuredLink> calibrate_links(const RuntimeOptions& options);

/// Adds those of GPUs to what is kept in the folder of the options, if there is one (apps/models/kept_links.hpp). A
/// file that cannot be used is replaced; that and what cannot be written, `on_warning` is told. False: they are lost.
bool keep_links(const std::vector<MeasuredLink>& links, const RuntimeOptions& options);

/// A table; empty where there are none.
[[nodiscard]] std::string measured_links_text(const std::vector<MeasuredLink>& links);
[[nodiscard]] nlohmann::json measured_links_json(const std::vector<MeasuredLink>& links);

}  // namespace troupe::apps
