/// The rows of the paper on SOCL on this machine: the programs of docs/examples/opencl on its OpenCL devices, by their
/// drivers directly, through Troupe on one of them, and through Troupe on all.
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
  /// Of the paper's sizes.
  double scale = 0.02;
  /// Times that each program is run in each way, in turns.
  int rounds = 3;
  /// Fewer programs.
  bool quick = false;
  /// Beside SOCL, where that is installed.
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

/// What a program is there for.
enum class OpenClWorkSort { blocks, reuse, frames, one_range };

/// A program with its options.
struct OpenClWork {
  OpenClWorkSort sort = OpenClWorkSort::blocks;
  /// For people: "20 blocks of 100000 options".
  std::string name;
  /// The program's name, then its options.
  std::vector<std::string> words;
  /// What has to be copied; nothing where bytes are not looked at.
  std::optional<double> compulsory_bytes = std::nullopt;
};

[[nodiscard]] std::vector<OpenClWork> opencl_works(const OpenClMeasuringOptions& options);

struct OpenClMeasurement {
  MedianInterval seconds;
  /// Copied between memories, in a run of its own. Nothing where it was not looked at.
  std::optional<double> bytes;
};

struct OpenClMeasured {
  /// Why nothing was measured; else empty.
  std::string why_not;
  /// What the devices are, for people.
  std::vector<std::string> devices;
  std::vector<std::string> remarks;
  std::vector<OpenClWork> works;
  /// By work's name, then way.
  std::map<std::pair<std::string, std::string>, OpenClMeasurement> points;
  /// Runs that failed, or whose result was wrong.
  std::vector<std::string> failures;

  /// Null where it was not measured.
  [[nodiscard]] const OpenClMeasurement* point(const OpenClWork& work, const std::string& way) const;
};

/// Starts the programs, one at a time. What is missing is said in the result, and what fails, too. Throws `io` where no
/// temporary folder can be made.
[[nodiscard]] OpenClMeasured measure_opencl(const OpenClMeasuringOptions& options, ProgressOptions progress);

/// The time that a program printed; nothing unless it also printed that its result is correct.
[[nodiscard]] std::optional<double> time_of_output(const std::string& output);
/// Bytes of all copies in a trace that Troupe wrote (`.json`). Throws `bad_input` for another text.
[[nodiscard]] double copied_bytes(const std::string& trace);

}  // namespace troupe::apps
