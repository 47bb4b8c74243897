/// The paper on SOCL, repeated on this machine: runs the programs of docs/examples/opencl on its OpenCL devices, by
/// their drivers directly, through Troupe on one of them, and through Troupe on all.
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
  /// The number of times that each program is run in each way, in turns.
  int rounds = 3;
  /// True to run fewer programs.
  bool quick = false;
  /// True to run the programs also with SOCL, if that is installed.
  bool socl = false;
};

/// Ways to run a program.
namespace opencl_ways {
inline constexpr const char* kDirect = "direct";
inline constexpr const char* kOne = "Troupe, one device";
inline constexpr const char* kAll = "Troupe, all devices";
inline constexpr const char* kAllHeft = "Troupe, all devices, heft";
inline constexpr const char* kAllEager = "Troupe, all devices, eager";
inline constexpr const char* kSocl = "SOCL, all devices";
}  // namespace opencl_ways

/// The purpose of a program.
enum class OpenClWorkSort { blocks, reuse, frames, one_range };

/// A program with its options.
struct OpenClWork {
  OpenClWorkSort sort = OpenClWorkSort::blocks;
  /// A name for people, such as "20 blocks of 100000 options".
  std::string name;
  /// The program's name, then its options.
  std::vector<std::string> words;
  /// The bytes that have to be copied; nothing if bytes are not counted.
  std::optional<double> compulsory_bytes = std::nullopt;
};

[[nodiscard]] std::vector<OpenClWork> opencl_works(const OpenClMeasuringOptions& options);

struct OpenClMeasurement {
  MedianInterval seconds;
  /// The bytes copied between memories, counted in a separate run; nothing if they were not counted.
  std::optional<double> bytes;
};

struct OpenClMeasured {
  /// The reason why nothing was measured; otherwise empty.
  std::string why_not;
  /// Descriptions of the devices, for people.
  std::vector<std::string> devices;
  std::vector<std::string> remarks;
  std::vector<OpenClWork> works;
  /// The measurements by the work's name, then the way.
  std::map<std::pair<std::string, std::string>, OpenClMeasurement> points;
  /// The runs that failed, or whose result was wrong.
  std::vector<std::string> failures;

  /// Returns a measurement; null if there is none.
  [[nodiscard]] const OpenClMeasurement* point(const OpenClWork& work, const std::string& way) const;
};

/// Starts the programs, one at a time. The result says what is missing and what failed. Throws `io` if no temporary
/// folder can be made.
[[nodiscard]] OpenClMeasured measure_opencl(const OpenClMeasuringOptions& options, ProgressOptions progress);

/// Returns the time that a program printed; nothing unless it also printed that its result is correct.
[[nodiscard]] std::optional<double> time_of_output(const std::string& output);
/// Returns the bytes of all copies in a trace that Troupe wrote (`.json`). Throws `bad_input` for another text.
[[nodiscard]] double copied_bytes(const std::string& trace);

}  // namespace troupe::apps
