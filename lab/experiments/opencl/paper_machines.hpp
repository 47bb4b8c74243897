/// The machines of the paper on SOCL (S. Henry and others, Toward OpenCL Automatic Multi-Device Support, Euro-Par
/// 2014), as far as its programs need them. Every OpenCL device is an accelerator; the last accelerator is all
/// processors together.
#pragma once

#include <string>

#include "troupe/machine.hpp"

namespace troupe::apps {

/// Assumptions about facts that the paper does not state. All other numbers are from data sheets or follow from them,
/// see `machines_text`.
struct OpenClAssumptions {
  /// The speed of hannibal's processors in Black-Scholes, divided by that of its three GPUs with their copies. The
  /// paper's "nearly double" is possible if both are about equal: processors and GPUs together are then at most twice
  /// as fast as either of them.
  double processors = 1;
  /// The number of GPUs that can copy at full speed at the same time.
  double links = 3;
  /// The time of tone mapping on a GPU, divided by the time of copying the result to the host.
  double tone_mapping = 1;

  /// Returns a name such as "processors 1, links 3, tone mapping 1".
  [[nodiscard]] std::string name() const;
};

/// The kernels that give codelets their times. Operations are numbers of options or pixels; the last kernel is for
/// reading a result on a core.
inline constexpr const char* kTimedOptions = "opencl/black-scholes/single";
inline constexpr const char* kTimedPixels = "opencl/tone-mapping/single";
inline constexpr const char* kTimedRead = "opencl/read/single";

/// The bytes of an option's input and output, and of a pixel's input and output.
inline constexpr double kOptionInputBytes = 12;
inline constexpr double kOptionOutputBytes = 8;
inline constexpr double kPixelInputBytes = 16;
inline constexpr double kPixelOutputBytes = 4;

/// Returns the machine hannibal: two Xeon X5550 and three Quadro FX 5800.
[[nodiscard]] platform::MachineDescription hannibal(const OpenClAssumptions& assumptions);
/// Returns the machine averell: two Xeon E5-2650 and two Tesla M2075.
[[nodiscard]] platform::MachineDescription averell(const OpenClAssumptions& assumptions);
/// Returns the machine, changed so that its processors work on host memory in place, as with their vendor's OpenCL.
[[nodiscard]] platform::MachineDescription without_copies_to_processors(platform::MachineDescription machine);

/// Returns the sources of the figures, as Markdown.
[[nodiscard]] std::string machines_text();

}  // namespace troupe::apps
