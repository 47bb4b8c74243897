/// The experiments with DADA: R. Bleuse, T. Gautier, J. V. F. Lima, G. Mounie and D. Trystram, Scheduling Data Flow
/// Program in XKaapi: A New Affinity Based Algorithm for Heterogeneous Architectures, Euro-Par 2014, section 4.
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
#include "platform/described/machine_description.hpp"

namespace troupe::apps {

struct DadaExperimentOptions {
  std::int64_t n = 8192;
  std::int64_t tile = 512;
  /// Runs with noise of each point, with seeds from `seed` on.
  int repeat = 30;
  std::uint64_t seed = 1;
  int jobs = 1;
  /// The authors' script switches copies between GPUs off.
  bool peer_copies = true;
};

/// What is factorized, by which graph. The paper does not say how its LU pivots. The script that its authors have
/// published (github.com/joao-lima/plasma-kaapi, timing/plasma-xkaapi.rb) runs PLASMA's with incremental pivoting, so
/// both are here.
enum class DadaGraph { cholesky, lu, lu_incremental, qr };
inline constexpr std::array kDadaGraphs{DadaGraph::cholesky, DadaGraph::lu, DadaGraph::lu_incremental, DadaGraph::qr};

/// "Cholesky", "LU without pivoting", "LU with incremental pivoting", "QR".
[[nodiscard]] const char* to_string(DadaGraph graph);
[[nodiscard]] linalg::Application application_of(DadaGraph graph);
[[nodiscard]] linalg::Pivoting pivoting_of(DadaGraph graph);

/// Numbers of GPUs: 1 to this.
inline constexpr int kDadaGpus = 8;

/// The policies of figures 2 to 4, and work stealing, which the text mentions.
namespace dada_policy {
inline constexpr std::string_view kHeft = "heft";
inline constexpr std::string_view kAlphaZero = "dada:alpha=0";
inline constexpr std::string_view kAlphaHalf = "dada:alpha=0.5";
inline constexpr std::string_view kAlphaHalfCp = "dada:alpha=0.5,cp";
inline constexpr std::string_view kStealing = "ws";
}  // namespace dada_policy

/// The policies of figure 1, by rising alpha, without or with prediction.
[[nodiscard]] std::vector<std::string> policies_over_alpha(bool prediction);

/// All points of the figures, on one machine.
class DadaResults {
 public:
  /// By graph, policy and number of GPUs.
  using Points = std::map<std::tuple<DadaGraph, std::string, int>, SimulationPoint>;

  explicit DadaResults(Points points) : points_(std::move(points)) {}
  /// Simulates all of them. Throws as `simulate`.
  static DadaResults measure(const DadaExperimentOptions& options, const platform::MachineDescription& machine,
                             const ProgressOptions& progress);

  /// One of the figures' points: 1 to `kDadaGpus` GPUs.
  [[nodiscard]] const SimulationPoint& at(DadaGraph graph, std::string_view policy, int gpus) const;

 private:
  Points points_;
};

struct DadaFigure {
  /// "figure1".
  std::string name;
  std::string title;
  struct Row {
    std::string title;
    DadaGraph graph;
    std::vector<std::string> policies;
  };
  std::vector<Row> rows;
};

/// The paper's four, in order; the third twice, for LU by both graphs.
[[nodiscard]] std::vector<DadaFigure> dada_figures();
/// `setting`: what the picture's title says besides, such as machine and size.
[[nodiscard]] ScalingChart chart_of(const DadaFigure& figure, const DadaResults& results, const std::string& setting);

}  // namespace troupe::apps
