#include "lab/experiments/opencl/opencl_measured.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): getloadavg is not of the standard

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <cmath>

#include "lab/experiments/opencl/opencl_programs.hpp"
#include "lab/experiments/opencl/opencl_virtual.hpp"
#include "platform/files/file_text.hpp"
#include "platform/opencl/opencl_devices.hpp"
#include "proto/json/json.hpp"

namespace troupe::apps {

namespace {

constexpr const char* kPocl = "Portable Computing Language";
constexpr const char* kTwoPoclDevices = "POCL_DEVICES=basic basic";
/// The number of runs before the measured ones. In them, drivers compile kernels and the runtime learns kernel times.
constexpr const char* kWarmUp = "3";
/// The number of runs that the runtime needs to find out whether splitting a launch makes it faster.
constexpr const char* kRangeWarmUp = "16";
/// The load average from which on a machine counts as busy.
constexpr double kBusy = 0.5;
constexpr Bytes kLargestTrace{std::uint64_t{1} << 30U};

/// A way to run a program, with its arguments and environment variables.
struct OpenClWay {
  std::string name;
  std::vector<std::string> words;
  /// The folder with the ICD files of the drivers.
  std::string vendors;
  std::vector<std::string> variables;
};

std::size_t scaled(double size, double scale) {
  return static_cast<std::size_t>(std::max(1.0, std::round(size * scale)));
}

std::string number(std::size_t value) { return std::to_string(value); }

OpenClWork blocks_work(std::size_t size, std::size_t count) {
  return {OpenClWorkSort::blocks,
          fmt::format("{} blocks of {} options", count, size),
          {"black_scholes", "--block", number(size), "--blocks", number(count)}};
}

class OpenClMeasuring {
 public:
  OpenClMeasuring(const OpenClMeasuringOptions& options, const OpenClFiles& files)
      : options_(options), files_(files), registrations_(files.library) {
    measured_.works = opencl_works(options);
  }

  OpenClMeasured run(ProgressOptions progress) {
    if (!find_devices()) return std::move(measured_);
    note_load();
    find_socl();
    for (const OpenClWork& work : measured_.works) total_ += ways_of(work).size();
    total_ *= static_cast<std::size_t>(options_.rounds);
    progress.unit = "runs";
    const ProgressBar bar([this] { return Progress{done_, total_}; }, std::move(progress));
    for (int round = 0; round < options_.rounds; ++round) {
      for (const OpenClWork& work : measured_.works) {
        for (const OpenClWay& way : ways_of(work)) take_time(work, way);
      }
    }
    for (const auto& [key, seconds] : seconds_) measured_.points[key].seconds = median_interval(seconds);
    measured_.remarks.emplace_back(
        "Bytes were counted in runs of their own with TROUPE_OPENCL_COPIES=1: devices that work in place copy "
        "nothing.");
    for (const OpenClWork& work : measured_.works) {
      if (!work.compulsory_bytes) continue;
      for (const OpenClWay& way : ways_of(work)) {
        if (way.vendors == registrations_.troupe()) count_bytes(work, way);
      }
    }
    return std::move(measured_);
  }

 private:
  bool find_devices() {
    // A separate cache folder: the kernel times that the programs learn here serve this experiment only.
    variables_.emplace_back("XDG_CACHE_HOME=" + registrations_.file("cache").string());
    const std::vector<platform::OpenClDevice>& all = platform::list_opencl_devices().devices;
    if (all.empty()) {
      measured_.why_not = "no OpenCL devices";
      return false;
    }
    platform_name_ = all.front().platform_name;
    const bool pocl = std::ranges::all_of(all, [](const auto& one) { return one.platform_name == kPocl; });
    if (pocl && ::getenv("POCL_DEVICES") == nullptr) {
      variables_.emplace_back(kTwoPoclDevices);
      measured_.devices.assign(2, fmt::format("basic, {}", kPocl));
      measured_.remarks.emplace_back(
          "There is no driver but pocl, and POCL_DEVICES is not set: the programs were started with "
          "POCL_DEVICES=\"basic basic\", two devices with a thread each.");
      return true;
    }
    for (const platform::OpenClDevice& device : all) {
      measured_.devices.push_back(fmt::format("{}, {}", device.name, device.platform_name));
    }
    return true;
  }

  /// Adds a remark if the machine is busy, because measured times are then unreliable.
  void note_load() {
    double load = 0;
    if (::getloadavg(&load, 1) != 1 || load < kBusy) return;
    measured_.remarks.push_back(fmt::format("Other programs were running: the load was {:.1f} before.", load));
  }

  void find_socl() {
    if (!options_.socl) return;
    const OpenClWay way = socl();
    std::vector<std::string> words{(files_.examples / "black_scholes").string(), "--block", "1000", "--blocks", "2"};
    words.insert(words.end(), way.words.begin(), way.words.end());
    const auto ran = run_opencl_program(words, way.vendors, way.variables);
    has_socl_ = ran && time_of_output(ran.value().output);
    if (!has_socl_) measured_.remarks.emplace_back("SOCL is not installed here, or does not run: it is left out.");
  }

  [[nodiscard]] OpenClWay through_troupe(const char* name, const char* device, const char* policy = "") const {
    OpenClWay way{name, {"--platform", "Troupe", "--device", device}, registrations_.troupe(), variables_};
    if (*policy != '\0') way.words.insert(way.words.end(), {"--policy", policy});
    return way;
  }
  [[nodiscard]] OpenClWay socl() const {
    OpenClWay way{opencl_ways::kSocl, {"--platform", "SOCL", "--device", "unified"}, registrations_.socl(), variables_};
    way.variables.insert(way.variables.end(), {"STARPU_OPENCL_ON_CPUS=1", "STARPU_NCPUS=0", "STARPU_SILENT=1"});
    return way;
  }

  [[nodiscard]] std::vector<OpenClWay> ways_of(const OpenClWork& work) const {
    std::vector<OpenClWay> ways{{opencl_ways::kDirect,
                                 {"--platform", platform_name_, "--device", "first"},
                                 registrations_.direct(),
                                 variables_},
                                through_troupe(opencl_ways::kOne, "first"),
                                through_troupe(opencl_ways::kAll, "unified")};
    if (work.sort == OpenClWorkSort::reuse) {
      ways.push_back(through_troupe(opencl_ways::kAllHeft, "unified", "heft"));
      ways.push_back(through_troupe(opencl_ways::kAllEager, "unified", "eager"));
    }
    // SOCL does not split launches automatically, so single ranges are not measured with SOCL.
    if (has_socl_ && work.sort != OpenClWorkSort::one_range) ways.push_back(socl());
    return ways;
  }

  /// Runs a program and returns its time. If the program fails, returns nothing and records the reason.
  std::optional<double> seconds_of(const OpenClWork& work, const OpenClWay& way,
                                   const std::vector<std::string>& more_words,
                                   const std::vector<std::string>& more_variables) {
    std::vector<std::string> words = work.words;
    words.front() = (files_.examples / words.front()).string();
    words.insert(words.end(), way.words.begin(), way.words.end());
    words.insert(words.end(), more_words.begin(), more_words.end());
    std::vector<std::string> variables = way.variables;
    variables.insert(variables.end(), more_variables.begin(), more_variables.end());
    const auto ran = run_opencl_program(words, way.vendors, variables);
    const std::optional<double> seconds = ran ? time_of_output(ran.value().output) : std::nullopt;
    const bool peer = way.name == opencl_ways::kSocl;
    // SOCL may abort during its shutdown, after the program has ended correctly.
    if (seconds && (peer || ran.value().exit_status == 0)) return seconds;
    std::string why =
        ran.ok() ? fmt::format("exit code {}: {}", ran.value().exit_status, ran.value().errors + ran.value().output)
                 : ran.failure().message;
    while (!why.empty() && std::isspace(static_cast<unsigned char>(why.back())) != 0) why.pop_back();
    std::ranges::replace(why, '\n', ' ');
    // A failure of a peer (another implementation) is not a failure of Troupe.
    std::vector<std::string>& list = peer ? measured_.remarks : measured_.failures;
    list.push_back(fmt::format("{}, {}: {}", work.name, way.name, why));
    return std::nullopt;
  }

  void take_time(const OpenClWork& work, const OpenClWay& way) {
    const bool long_learning = work.sort == OpenClWorkSort::one_range && !options_.quick;
    const auto seconds = seconds_of(work, way, {"--warm-up", long_learning ? kRangeWarmUp : kWarmUp}, {});
    if (seconds) seconds_[{work.name, way.name}].push_back(*seconds);
    ++done_;
  }

  void count_bytes(const OpenClWork& work, const OpenClWay& way) {
    const std::filesystem::path trace = registrations_.file("trace.json");
    std::error_code ignored;
    std::filesystem::remove(trace, ignored);
    // Copies are forced: otherwise devices that work in place would make no copies, and there would be nothing to
    // count.
    const std::vector<std::string> variables{"TROUPE_OPENCL_COPIES=1", "TROUPE_OPENCL_TRACE=" + trace.string()};
    if (!seconds_of(work, way, {"--warm-up", "0"}, variables)) return;
    const auto text = platform::read_text(trace.string(), kLargestTrace, "trace");
    const auto point = measured_.points.find({work.name, way.name});
    if (text && point != measured_.points.end()) point->second.bytes = copied_bytes(text.value());
  }

  const OpenClMeasuringOptions options_;
  const OpenClFiles files_;
  const OpenClRegistrations registrations_;
  std::string platform_name_;
  std::vector<std::string> variables_;
  bool has_socl_ = false;
  OpenClMeasured measured_;
  std::map<std::pair<std::string, std::string>, std::vector<double>> seconds_;
  std::size_t total_ = 0;
  std::atomic<std::size_t> done_{0};
};

}  // namespace

std::vector<OpenClWork> opencl_works(const OpenClMeasuringOptions& options) {
  const double scale = options.scale;
  std::vector<OpenClWork> works{blocks_work(scaled(1e6, scale), 100)};
  if (!options.quick) {
    works.push_back(blocks_work(scaled(5e6, scale), 20));
    works.push_back(blocks_work(scaled(25e6, scale), 8));
  }
  constexpr std::size_t kReuseBlocks = 10;
  const std::size_t block = scaled(25e6 / kReuseBlocks, scale);
  works.push_back({OpenClWorkSort::reuse,
                   fmt::format("{} blocks of {} options, {} times", kReuseBlocks, block, kReuseIterations),
                   {"black_scholes", "--block", number(block), "--blocks", number(kReuseBlocks), "--iterations",
                    number(kReuseIterations)},
                   static_cast<double>(block * kReuseBlocks) * (kOptionInputBytes + kOptionOutputBytes)});
  const std::size_t rows = scaled(12000, scale);
  works.push_back({OpenClWorkSort::frames,
                   fmt::format("{} frames of 1600 x {}", kFrames, rows),
                   {"tone_mapping", "--width", "1600", "--height", number(rows), "--frames", number(kFrames)}});
  const std::size_t side = scaled(1024 * std::sqrt(1 / 0.02), std::sqrt(scale));
  works.push_back({OpenClWorkSort::one_range,
                   fmt::format("Mandelbrot set, {} x {}", side, side),
                   {"mandelbrot", "--width", number(side), "--height", number(side)}});
  if (!options.quick) {
    const std::size_t bodies = std::max<std::size_t>(2, scaled(4096 * std::sqrt(1 / 0.02), std::sqrt(scale)));
    works.push_back({OpenClWorkSort::one_range,
                     fmt::format("{} bodies, 8 steps", bodies),
                     {"nbody", "--bodies", number(bodies), "--steps", "8"}});
  }
  return works;
}

const OpenClMeasurement* OpenClMeasured::point(const OpenClWork& work, const std::string& way) const {
  const auto found = points.find({work.name, way});
  return found == points.end() ? nullptr : &found->second;
}

OpenClMeasured measure_opencl(const OpenClMeasuringOptions& options, ProgressOptions progress) {
  const Result<OpenClFiles> files = find_opencl_files();
  if (files) return OpenClMeasuring(options, files.value()).run(std::move(progress));
  OpenClMeasured nothing;
  nothing.works = opencl_works(options);
  nothing.why_not = files.failure().message;
  return nothing;
}

std::optional<double> time_of_output(const std::string& output) {
  constexpr std::string_view kTime = "\ntime: ";
  const auto at = output.find(kTime);
  if (at == std::string::npos || !output.ends_with("\ncorrect\n")) return std::nullopt;
  double seconds = 0;
  const char* const begin = output.data() + at + kTime.size();
  const auto [end, error] = std::from_chars(begin, output.data() + output.size(), seconds);
  if (error != std::errc() || std::string_view(end, 3) != " s\n" || !(seconds >= 0)) return std::nullopt;
  return seconds;
}

double copied_bytes(const std::string& trace) {
  const std::optional<Json> json = Json::try_parse(trace);
  if (!json || !json->contains("traceEvents")) throw Error(ErrorCode::bad_input, "this is no trace");
  double bytes = 0;
  for (const Json& event : json->at("traceEvents")) {
    if (event.value("cat", "") == "copy") bytes += event["args"]["bytes"].get<double>();
  }
  return bytes;
}

}  // namespace troupe::apps
