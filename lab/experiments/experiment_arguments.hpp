/// The arguments of the experiments that repeat published experiments.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::apps {

/// The arguments of `clusters`. An empty member stands for the experiment's default.
struct ClustersArguments {
  std::vector<std::int64_t> orders;
  std::vector<std::int64_t> tiles;
  std::string gpus;
  std::vector<std::string> configurations;
  /// The deviations of kernel times. The figures show the first one.
  std::vector<double> deviations;
};

/// The arguments of `multigrain`. An empty member stands for the experiment's default.
struct MultigrainArguments {
  std::vector<int> blocks;
  std::vector<std::string> machines;
  std::vector<std::string> structures;
  /// The fractions of the peak of a GPU that products in one call reach.
  std::vector<double> fractions;
  std::optional<int> most_fine;
};

/// The arguments of `opencl`. An empty member stands for the experiment's default.
struct OpenClArguments {
  /// The kinds of results, "virtual" or "measured"; empty stands for both.
  std::vector<std::string> rows;
  std::optional<double> scale;
  bool socl = false;
};

struct ExperimentArguments {
  std::string name;
  /// The folder of the report; empty stands for the experiment's name.
  std::string folder;
  /// The number of runs of each point; 0 stands for the experiment's default.
  int repeat = 0;
  std::uint64_t seed = 1;
  /// The number of simulations that run at the same time; 0 stands for one per core.
  int jobs = 0;
  bool quick = false;
  bool json = false;
  /// The factors in the assumptions of `dada`. The figures show the first one.
  std::vector<double> assumptions;
  /// The policy of the experiments `policies`, `eviction` and `clusters`; empty stands for the experiment's default.
  std::string policy;
  // The next two are for the experiment `policies`.
  std::vector<std::string> points;
  std::vector<double> errors;
  // Each of the next three has the arguments of one experiment.
  ClustersArguments clusters;
  MultigrainArguments multigrain;
  OpenClArguments opencl;
};

/// Makes the folder if it is missing. Throws `bad_input` if it cannot be made, or if no report can be written into it.
void make_report_folder(const std::string& folder);

/// Adds the options that only `clusters` has. `arguments` must outlive the parsing.
void add_clusters_options(CLI::App& command, ClustersArguments& arguments);
/// Refuses the options of `clusters`, unless `used` is true.
void refuse_ignored_clusters_options(const CLI::App& command, bool used);
/// Runs the experiment, and writes its report into the folder `arguments.folder`, which it makes. Then throws
/// `kernel_failed` if a run was faster than its bound, because then simulation or bound is wrong. Throws
/// `invalid_argument` for invalid arguments, before it runs or makes anything.
int clusters_experiment(const ExperimentArguments& arguments);

/// The next three functions are those of `multigrain`, with the same rules as for `clusters`.
void add_multigrain_options(CLI::App& command, MultigrainArguments& arguments);
void refuse_ignored_multigrain_options(const CLI::App& command, bool used);
int multigrain_experiment(const ExperimentArguments& arguments);

/// The next three functions are those of `opencl`, with the same rules. After the report, `opencl_experiment` throws
/// `kernel_failed` if a program failed or its result was wrong.
void add_opencl_options(CLI::App& command, OpenClArguments& arguments);
void refuse_ignored_opencl_options(const CLI::App& command, bool used);
int opencl_experiment(const ExperimentArguments& arguments);

}  // namespace troupe::apps
