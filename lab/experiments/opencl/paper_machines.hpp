/// The machines of the paper on SOCL (S. Henry and others, Toward OpenCL Automatic Multi-Device Support, Euro-Par
/// 2014), as far as its programs need them: every OpenCL device is an accelerator, and the processors together are the
/// last one.
#pragma once

#include <string>

#include "troupe/machine.hpp"

namespace troupe::apps {

/// Assumptions about facts that the paper does not state. Everything else is from data sheets or follows from them, see
/// `machines_text`.
struct OpenClAssumptions {
  /// The speed of hannibal's processors in Black-Scholes over that of its three GPUs with their copies. The paper's
  /// "nearly double" is possible if both are about equal: all together are then at most twice as fast as one of them.
  double processors = 1;
  /// The number of GPUs whose copies go at full speed at the same time.
  double links = 3;
  /// The time of tone mapping on a GPU over that of copying the result to the host.
  double tone_mapping = 1;

  /// Returns a name such as "processors 1, links 3, tone mapping 1".
  [[nodiscard]] std::string name() const;
};

/// The kernels by which codelets are timed, with the number of options or pixels as operations; the last is for reading
/// a result on a core.
inline constexpr const char* kTimedOptions = "opencl/black-scholes/single";
inline constexpr const char* kTimedPixels = "opencl/tone-mapping/single";
inline constexpr const char* kTimedRead = "opencl/read/single";

/// Bytes of an option in and out, and of a pixel.
inline constexpr double kOptionInputBytes = 12;
inline constexpr double kOptionOutputBytes = 8;
inline constexpr double kPixelInputBytes = 16;
inline constexpr double kPixelOutputBytes = 4;

/// Returns the machine hannibal: two Xeon X5550 and three Quadro FX 5800.
[[nodiscard]] platform::MachineDescription hannibal(const OpenClAssumptions& assumptions);
/// Returns the machine averell: two Xeon E5-2650 and two Tesla M2075.
[[nodiscard]] platform::MachineDescription averell(const OpenClAssumptions& assumptions);
/// Returns the machine with processors that work on host memory in place, as their own vendor's OpenCL does.
[[nodiscard]] platform::MachineDescription without_copies_to_processors(platform::MachineDescription machine);

/// Returns the sources of the figures, as Markdown.
[[nodiscard]] std::string machines_text();

}  // namespace troupe::apps
