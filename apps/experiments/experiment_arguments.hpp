/// What the experiments that repeat published ones are asked for.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::apps {

/// Of `clusters`; what is empty is the experiment's own.
struct ClustersArguments {
  std::vector<std::int64_t> orders;
  std::vector<std::int64_t> tiles;
  std::string gpus;
  std::vector<std::string> configurations;
  /// The figures are of the first.
  std::vector<double> deviations;
};

/// Of `multigrain`; what is empty is the experiment's own.
struct MultigrainArguments {
  std::vector<int> blocks;
  std::vector<std::string> machines;
  std::vector<std::string> structures;
  std::vector<double> shares;
  std::optional<int> most_fine;
};

/// Of `opencl`; what is empty is the experiment's own.
struct OpenClArguments {
  /// "virtual", "measured"; empty: both.
  std::vector<std::string> rows;
  std::optional<double> scale;
  bool socl = false;
};

struct ExperimentArguments {
  std::string name;
  /// Empty: the experiment's name.
  std::string folder;
  /// 0: as many as the experiment has by itself.
  int repeat = 0;
  std::uint64_t seed = 1;
  /// 0: one for each core.
  int jobs = 0;
  bool quick = false;
  bool json = false;
  // dada
  /// The figures are of the first.
  std::vector<double> assumptions;
  // policies, eviction and clusters
  /// Empty: the experiment's own.
  std::string policy;
  // policies
  std::vector<std::string> points;
  std::vector<double> errors;
  // clusters
  ClustersArguments clusters;
  MultigrainArguments multigrain;
  OpenClArguments opencl;
};

/// Where it is missing. Throws `bad_input` where it cannot be made, and where a report cannot be written into it.
void make_report_folder(const std::string& folder);

/// Adds the options of `clusters` alone. `arguments` outlives the parsing.
void add_clusters_options(CLI::App& command, ClustersArguments& arguments);
/// Refuses these options unless `used`.
void refuse_ignored_clusters_options(const CLI::App& command, bool used);
/// Leaves its report in `arguments.folder`, which it makes. Throws `kernel_failed`, after that, where a run was faster
/// than its bound: simulation or bound is wrong. Throws `invalid_argument` before anything runs or is made.
int clusters_experiment(const ExperimentArguments& arguments);

/// The same of `multigrain`.
void add_multigrain_options(CLI::App& command, MultigrainArguments& arguments);
void refuse_ignored_multigrain_options(const CLI::App& command, bool used);
int multigrain_experiment(const ExperimentArguments& arguments);

/// The same of `opencl`. Throws `kernel_failed`, after the report, where a program failed or was wrong.
void add_opencl_options(CLI::App& command, OpenClArguments& arguments);
void refuse_ignored_opencl_options(const CLI::App& command, bool used);
int opencl_experiment(const ExperimentArguments& arguments);

}  // namespace troupe::apps
