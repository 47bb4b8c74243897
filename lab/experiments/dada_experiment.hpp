/// The experiments with the scheduling policy DADA: R. Bleuse, T. Gautier, J. V. F. Lima, G. Mounie and D. Trystram,
/// Scheduling Data Flow Program in XKaapi: A New Affinity Based Algorithm for Heterogeneous Architectures, Euro-Par
/// 2014, section 4.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/simulate/scaling_chart.hpp"
#include "apps/simulate/simulation_point.hpp"
#include "apps/terminal/progress.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

struct DadaExperimentOptions {
  std::int64_t n = 8192;
  std::int64_t tile = 512;
  /// The number of runs of each point, with noise. Their seeds are `seed`, `seed` + 1, and so on.
  int repeat = 30;
  std::uint64_t seed = 1;
  int jobs = 1;
  /// If false, there are no copies between GPUs, as in the authors' script.
  bool peer_copies = true;
};

/// The task graphs of the experiments. The paper does not say which pivoting its LU uses. The script that its authors
/// have published (github.com/joao-lima/plasma-kaapi, timing/plasma-xkaapi.rb) runs PLASMA's LU with incremental
/// pivoting, so both kinds are included.
enum class DadaGraph { cholesky, lu, lu_incremental, qr };
inline constexpr std::array kDadaGraphs{DadaGraph::cholesky, DadaGraph::lu, DadaGraph::lu_incremental, DadaGraph::qr};

/// Returns "Cholesky", "LU without pivoting", "LU with incremental pivoting" or "QR".
[[nodiscard]] const char* to_string(DadaGraph graph);
[[nodiscard]] linalg::Application application_of(DadaGraph graph);
[[nodiscard]] linalg::Pivoting pivoting_of(DadaGraph graph);

/// The largest number of GPUs. The experiment uses all numbers from 1 to this one.
inline constexpr int kDadaGpus = 8;

/// The policies in figures 2 to 4, and work stealing, which the paper's text mentions.
namespace dada_policy {
inline constexpr std::string_view kHeft = "heft";
inline constexpr std::string_view kAlphaZero = "dada:alpha=0";
inline constexpr std::string_view kAlphaHalf = "dada:alpha=0.5";
inline constexpr std::string_view kAlphaHalfCp = "dada:alpha=0.5,cp";
inline constexpr std::string_view kStealing = "ws";
}  // namespace dada_policy

/// Returns the policies of figure 1, with alpha in ascending order, without or with prediction.
[[nodiscard]] std::vector<std::string> policies_over_alpha(bool prediction);

/// All points of the figures, simulated on one machine.
class DadaResults {
 public:
  /// Points by graph, policy and number of GPUs.
  using Points = std::map<std::tuple<DadaGraph, std::string, int>, SimulationPoint>;

  explicit DadaResults(Points points) : points_(std::move(points)) {}
  /// Simulates all points. Throws the errors of `simulate`.
  static DadaResults measure(const DadaExperimentOptions& options, const platform::MachineDescription& machine,
                             const ProgressOptions& progress);

  [[nodiscard]] const Points& points() const { return points_; }
  /// Returns a point of the figures. `gpus` is between 1 and `kDadaGpus`.
  [[nodiscard]] const SimulationPoint& at(DadaGraph graph, std::string_view policy, int gpus) const;

 private:
  Points points_;
};

struct DadaFigure {
  /// The name of the figure, such as "figure1".
  std::string name;
  std::string title;
  struct Row {
    std::string title;
    DadaGraph graph;
    std::vector<std::string> policies;
  };
  std::vector<Row> rows;
};

/// Returns the four figures of the paper, in order. The third figure occurs twice, once for each graph of LU.
[[nodiscard]] std::vector<DadaFigure> dada_figures();
/// Returns the chart of a figure. `setting` (such as machine and size) is added to its title.
[[nodiscard]] ScalingChart chart_of(const DadaFigure& figure, const DadaResults& results, const std::string& setting);

}  // namespace troupe::apps
