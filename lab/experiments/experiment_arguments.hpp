/// The arguments of the experiments that repeat published ones.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::apps {

/// The arguments of `clusters`; an empty member means the experiment's default.
struct ClustersArguments {
  std::vector<std::int64_t> orders;
  std::vector<std::int64_t> tiles;
  std::string gpus;
  std::vector<std::string> configurations;
  /// The deviations; the figures show the first.
  std::vector<double> deviations;
};

/// The arguments of `multigrain`; an empty member means the experiment's default.
struct MultigrainArguments {
  std::vector<int> blocks;
  std::vector<std::string> machines;
  std::vector<std::string> structures;
  std::vector<double> shares;
  std::optional<int> most_fine;
};

/// The arguments of `opencl`; an empty member means the experiment's default.
struct OpenClArguments {
  /// The rows, "virtual" or "measured"; empty means both.
  std::vector<std::string> rows;
  std::optional<double> scale;
  bool socl = false;
};

struct ExperimentArguments {
  std::string name;
  /// The folder of the report; empty means the experiment's name.
  std::string folder;
  /// The number of runs of each point; 0 means the experiment's default.
  int repeat = 0;
  std::uint64_t seed = 1;
  /// The number of simulations at the same time; 0 means one for each core.
  int jobs = 0;
  bool quick = false;
  bool json = false;
  /// The factors of dada's assumptions; the figures show the first.
  std::vector<double> assumptions;
  /// The policy of the experiments `policies`, `eviction` and `clusters`; empty means the experiment's default.
  std::string policy;
  // The experiment `policies` uses these two.
  std::vector<std::string> points;
  std::vector<double> errors;
  // Each of these has the arguments of one experiment.
  ClustersArguments clusters;
  MultigrainArguments multigrain;
  OpenClArguments opencl;
};

/// Makes the folder if it is missing. Throws `bad_input` if it cannot be made, or if a report cannot be written into
/// it.
void make_report_folder(const std::string& folder);

/// Adds the options that only `clusters` has. `arguments` outlives the parsing.
void add_clusters_options(CLI::App& command, ClustersArguments& arguments);
/// Refuses the options of `clusters` unless `used` is true.
void refuse_ignored_clusters_options(const CLI::App& command, bool used);
/// Runs the experiment, and writes its report into `arguments.folder`, which it makes. After that, throws
/// `kernel_failed` if a run was faster than its bound: then simulation or bound is wrong. Throws `invalid_argument`
/// before anything runs or is made.
int clusters_experiment(const ExperimentArguments& arguments);

/// The next three functions do for `multigrain` what those above do for `clusters`.
void add_multigrain_options(CLI::App& command, MultigrainArguments& arguments);
void refuse_ignored_multigrain_options(const CLI::App& command, bool used);
int multigrain_experiment(const ExperimentArguments& arguments);

/// The next three functions do the same for `opencl`. The last one throws `kernel_failed`, after the report, if a
/// program failed or its result was wrong.
void add_opencl_options(CLI::App& command, OpenClArguments& arguments);
void refuse_ignored_opencl_options(const CLI::App& command, bool used);
int opencl_experiment(const ExperimentArguments& arguments);

}  // namespace troupe::apps
