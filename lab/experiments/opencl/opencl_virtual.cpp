#include "lab/experiments/opencl/opencl_virtual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>

#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::apps {

namespace {

constexpr double kReuseOptions = 25e6;
constexpr double kImagePixels = 1600.0 * 12000.0;
/// The number of results that are being copied to the host at the same time.
constexpr std::size_t kReadsAhead = 16;

using Devices = OpenClSeries::Devices;

struct OpenClRun {
  OpenClPlace place;
  OpenClSeries series;
};

std::vector<OpenClPlace> all_places(const OpenClOptions& options) {
  std::vector<OpenClPlace> places;
  for (const auto& [size, counts] : options.blocks) {
    for (const int count : counts) places.push_back({OpenClProgram::black_scholes, size, count});
  }
  for (const int count : options.reuse_blocks) {
    places.push_back({OpenClProgram::reuse, static_cast<std::int64_t>(kReuseOptions / count), count});
  }
  for (const int count : options.bands) {
    places.push_back({OpenClProgram::tone_mapping, static_cast<std::int64_t>(kImagePixels / count), count});
  }
  return places;
}

std::vector<OpenClSeries> series_of(const OpenClOptions& options, OpenClProgram program) {
  std::vector<OpenClSeries> all{{opencl_lines::kRoundRobin, Devices::gpus, true, "lws"}};
  if (program != OpenClProgram::tone_mapping) {
    all.push_back({opencl_lines::kProcessors, Devices::processors_in_place, true, "lws"});
  }
  for (const std::string& policy : options.policies) {
    if (program == OpenClProgram::tone_mapping) {
      all.push_back({opencl_lines::line(opencl_lines::kOneGpu, policy), Devices::one_gpu, false, policy});
      all.push_back({opencl_lines::line("GPUs", policy), Devices::gpus, false, policy});
    }
    all.push_back({opencl_lines::line("all", policy), Devices::all, false, policy});
  }
  return all;
}

std::vector<int> devices_of(Devices devices, int gpus) {
  std::vector<int> numbers;
  const bool with_gpus = devices == Devices::gpus || devices == Devices::all;
  for (int i = 0; i < gpus; ++i) {
    if (with_gpus || (devices == Devices::one_gpu && i == 0)) numbers.push_back(i);
  }
  if (devices != Devices::gpus && devices != Devices::one_gpu) numbers.push_back(gpus);
  return numbers;
}

/// Submits the tasks of a program in the order in which its OpenCL host code enqueues them; the kernels compute
/// nothing.
class SimulatedProgram {
 public:
  SimulatedProgram(Runtime& runtime, const OpenClRun& run, std::size_t devices)
      : runtime_(runtime), run_(run), devices_(devices) {}

  void submit() {
    const OpenClPlace& place = run_.place;
    if (place.program == OpenClProgram::tone_mapping) return submit_frames();
    for (int block = 0; block < place.blocks; ++block) {
      std::vector<Data>& inputs = inputs_.emplace_back();
      for (const char* name : {"price", "strike", "years"}) inputs.push_back(data(name));
      std::vector<Data>& results = results_.emplace_back();
      for (const char* name : {"call", "put"}) results.push_back(data(name));
    }
    const int times = place.program == OpenClProgram::reuse ? kReuseIterations : 1;
    for (int i = 0; i < times; ++i) {
      for (int block = 0; block < place.blocks; ++block) launch_options(block);
    }
    for (const std::vector<Data>& result : results_) {
      runtime_.submit(read_, {result[0]});
      runtime_.submit(read_, {result[1]});
    }
  }

 private:
  static Codelet modelled(const char* name, std::vector<AccessMode> modes, const char* timed_as, double items) {
    Codelet codelet(name, std::move(modes));
    codelet.cuda([](const KernelContext&) {});
    codelet.timed_as(timed_as);
    codelet.flops([items](const KernelContext&) { return items; });
    return codelet;
  }
  static Codelet reading() {
    Codelet codelet("read", {AccessMode::read});
    codelet.cpu([](const KernelContext&) {});
    codelet.timed_as(kTimedRead);
    return codelet;
  }

  /// Returns an array with one element per item. It has no memory.
  template <class T = float>
  Data data(const char* name) {
    return runtime_.matrix<T>(nullptr, run_.place.size, 1, run_.place.size, name);
  }

  TaskOptions placed(int block) const {
    TaskOptions options;
    // Worker 0 is the core, which reads results, so the devices are workers 1, 2, ….
    const auto turn = static_cast<std::size_t>(block) % devices_;
    if (run_.series.round_robin) options.devices = DeviceSet::worker(WorkerId(static_cast<std::uint32_t>(1 + turn)));
    return options;
  }

  void launch_options(int block) {
    const auto b = static_cast<std::size_t>(block);
    runtime_.submit(price_, {inputs_[b][0], inputs_[b][1], inputs_[b][2], results_[b][0], results_[b][1]}, {},
                    placed(block));
  }

  /// Submits frames that all use the same image. Each frame has a separate result, which is read.
  void submit_frames() {
    struct Pixel {
      float channels[4];
    };
    for (int band = 0; band < run_.place.blocks; ++band) inputs_.emplace_back().push_back(data<Pixel>("band"));
    for (int frame = 0; frame < kFrames; ++frame) {
      std::vector<Data>& results = results_.emplace_back();
      for (int band = 0; band < run_.place.blocks; ++band) {
        results.push_back(data("screen"));
        runtime_.submit(map_, {inputs_[static_cast<std::size_t>(band)][0], results.back()}, {}, placed(band));
        runtime_.submit(read_, {results.back()});
      }
    }
  }

  Runtime& runtime_;
  const OpenClRun& run_;
  const std::size_t devices_;
  const double items_ = static_cast<double>(run_.place.size);
  const Codelet price_ = modelled(
      "black-scholes", {AccessMode::read, AccessMode::read, AccessMode::read, AccessMode::write, AccessMode::write},
      kTimedOptions, items_);
  const Codelet map_ = modelled("tone-mapping", {AccessMode::read, AccessMode::write}, kTimedPixels, items_);
  const Codelet read_ = reading();
  std::vector<std::vector<Data>> inputs_;
  std::vector<std::vector<Data>> results_;
};

struct OpenClOutcome {
  double seconds = 0;
  double bytes = 0;
};

OpenClOutcome simulate_opencl(const OpenClRun& run, const OpenClAssumptions& assumptions, std::uint64_t seed) {
  auto simulation = std::make_shared<SimulationOptions>();
  simulation->machine = run.place.program == OpenClProgram::reuse ? averell(assumptions) : hannibal(assumptions);
  const auto gpus = static_cast<int>(simulation->machine.gpus.size()) - 1;
  if (run.series.devices == Devices::processors_in_place) {
    simulation->machine = without_copies_to_processors(std::move(simulation->machine));
  }
  simulation->gpus = devices_of(run.series.devices, gpus);
  simulation->cores = 1;
  simulation->accelerators.ahead.core = kReadsAhead;
  simulation->noise = true;
  simulation->seed = seed;
  // A copy from one device to another goes through the host, as between devices of different vendors.
  simulation->copies.peer = false;
  const std::size_t devices = simulation->gpus.size();
  RuntimeOptions options;
  options.policy = run.series.policy;
  options.seed = seed;
  options.simulation = std::move(simulation);
  Runtime runtime(options);
  SimulatedProgram program(runtime, run, devices);
  program.submit();
  runtime.wait();
  const RunReport report = runtime.report();
  return {seconds(*report.virtual_time), static_cast<double>(report.transfers.total().count)};
}

OpenClPoint point_of(const OpenClRun& run, const OpenClOptions& options, const OpenClAssumptions& assumptions) {
  std::vector<double> seconds;
  std::vector<double> bytes;
  for (int i = 0; i < options.repeat; ++i) {
    const OpenClOutcome outcome = simulate_opencl(run, assumptions, options.seed + static_cast<std::uint64_t>(i));
    seconds.push_back(outcome.seconds);
    bytes.push_back(outcome.bytes);
  }
  return {median_interval(seconds), median_interval(bytes)};
}

}  // namespace

double OpenClPlace::items() const {
  const double once = static_cast<double>(size) * blocks;
  if (program == OpenClProgram::black_scholes) return once;
  return once * (program == OpenClProgram::reuse ? kReuseIterations : kFrames);
}

double OpenClPlace::compulsory_bytes() const {
  const double once = static_cast<double>(size) * blocks;
  if (program != OpenClProgram::tone_mapping) return once * (kOptionInputBytes + kOptionOutputBytes);
  return once * (kPixelInputBytes + kFrames * kPixelOutputBytes);
}

std::string OpenClPlace::name() const {
  switch (program) {
    case OpenClProgram::black_scholes: return fmt::format("{} blocks of {:g} million options", blocks, size / 1e6);
    case OpenClProgram::reuse: return fmt::format("{} blocks, {} times", blocks, kReuseIterations);
    case OpenClProgram::tone_mapping: return fmt::format("{} frames in {} bands", kFrames, blocks);
  }
  return "";
}

std::string opencl_lines::line(const char* devices, const std::string& policy) {
  return fmt::format("{}, {}", devices, policy);
}

bool knows_data(const std::string& policy) {
  return std::ranges::none_of(std::set<std::string>{"eager", "lws", "ws", "default"},
                              [&](const std::string& blind) { return policy == blind; });
}

OpenClVirtualResults OpenClVirtualResults::measure(const OpenClOptions& options, const OpenClAssumptions& assumptions,
                                                   ProgressOptions progress) {
  std::vector<OpenClRun> runs;
  for (const OpenClPlace& place : all_places(options)) {
    for (const OpenClSeries& series : series_of(options, place.program)) runs.push_back({place, series});
  }
  std::atomic<std::uint64_t> done{0};
  progress.unit = "points";
  const ProgressBar bar([&] { return Progress{done, runs.size()}; }, std::move(progress));
  Points points;
  std::vector<std::string> failures;
  for (const OpenClRun& run : runs) {
    try {
      points[{run.place, run.series.name}] = point_of(run, options, assumptions);
    } catch (const Error& error) {
      failures.push_back(fmt::format("{}, {}: {}", run.place.name(), run.series.name, error.what()));
    }
    ++done;
  }
  return OpenClVirtualResults(std::move(points), std::move(failures));
}

const OpenClPoint* OpenClVirtualResults::point(const OpenClPlace& place, const std::string& line) const {
  const auto found = points_.find({place, line});
  return found == points_.end() ? nullptr : &found->second;
}

std::vector<OpenClPlace> OpenClVirtualResults::places(OpenClProgram program) const {
  std::set<OpenClPlace> all;
  for (const auto& [key, point] : points_) {
    if (key.first.program == program) all.insert(key.first);
  }
  return {all.begin(), all.end()};
}

}  // namespace troupe::apps
