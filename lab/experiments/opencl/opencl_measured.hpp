/// Repeats the paper on SOCL on this machine: runs the programs of docs/examples/opencl on the machine's OpenCL
/// devices, directly with their drivers, through Troupe on one device, and through Troupe on all devices.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/terminal/progress.hpp"
#include "proto/median.hpp"

namespace troupe::apps {

struct OpenClMeasuringOptions {
  /// The size of the programs' data, relative to the paper's.
  double scale = 0.02;
  /// The number of times that each program runs in each way; the ways take turns.
  int rounds = 3;
  /// True to run fewer programs.
  bool quick = false;
  /// True to run the programs also with SOCL, if that is installed.
  bool socl = false;
};

/// The ways to run a program.
namespace opencl_ways {
inline constexpr const char* kDirect = "direct";
inline constexpr const char* kOne = "Troupe, one device";
inline constexpr const char* kAll = "Troupe, all devices";
inline constexpr const char* kAllHeft = "Troupe, all devices, heft";
inline constexpr const char* kAllEager = "Troupe, all devices, eager";
inline constexpr const char* kSocl = "SOCL, all devices";
}  // namespace opencl_ways

/// The kind of work that a program does.
enum class OpenClWorkSort { blocks, reuse, frames, one_range };

/// A program with its options.
struct OpenClWork {
  OpenClWorkSort sort = OpenClWorkSort::blocks;
  /// The name in reports, such as "20 blocks of 100000 options".
  std::string name;
  /// The name of the program, then its options.
  std::vector<std::string> words;
  /// The bytes that must be copied at least; nothing if bytes are not counted.
  std::optional<double> compulsory_bytes = std::nullopt;
};

[[nodiscard]] std::vector<OpenClWork> opencl_works(const OpenClMeasuringOptions& options);

struct OpenClMeasurement {
  MedianInterval seconds;
  /// The bytes that were copied between memories, counted in a separate run; nothing if they were not counted.
  std::optional<double> bytes;
};

struct OpenClMeasured {
  /// The reason why nothing was measured; empty if something was.
  std::string why_not;
  /// Descriptions of the devices, for people.
  std::vector<std::string> devices;
  std::vector<std::string> remarks;
  std::vector<OpenClWork> works;
  /// The measurements, by the name of the work and the name of the way.
  std::map<std::pair<std::string, std::string>, OpenClMeasurement> points;
  /// The runs that failed, or whose result was wrong.
  std::vector<std::string> failures;

  /// Returns a measurement; null if it does not exist.
  [[nodiscard]] const OpenClMeasurement* point(const OpenClWork& work, const std::string& way) const;
};

/// Runs the programs, one at a time. The result names missing programs and failures. Throws `io` if no temporary folder
/// can be made.
[[nodiscard]] OpenClMeasured measure_opencl(const OpenClMeasuringOptions& options, ProgressOptions progress);

/// Returns the time that a program printed; nothing if it did not also print that its result is correct.
[[nodiscard]] std::optional<double> time_of_output(const std::string& output);
/// Returns the bytes of all copies in a trace that Troupe wrote (`.json`). Throws `bad_input` if the text is not such a
/// trace.
[[nodiscard]] double copied_bytes(const std::string& trace);

}  // namespace troupe::apps
