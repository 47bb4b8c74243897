#include "apps/models/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>

#include "apps/arguments/common_arguments.hpp"
#include "apps/models/calibration_policy.hpp"
#include "linalg/factorization.hpp"
#include "linalg/problem.hpp"

namespace troupe::apps {

namespace {

/// With four tiles on a side, each kernel of the tile algorithms runs several times, and all tiles are full.
constexpr std::int64_t kTilesAcross = 4;
/// After this many rounds, even a kernel that runs only once in a factorization has run on each of three kinds of
/// device.
constexpr std::uint64_t kMostRounds = 3;

/// A factorization that the calibration submits.
struct Exercise {
  linalg::Application application;
  linalg::Pivoting pivoting;
};
constexpr std::array kExercises{Exercise{linalg::Application::cholesky, linalg::Pivoting::partial},
                                Exercise{linalg::Application::lu, linalg::Pivoting::partial},
                                Exercise{linalg::Application::lu, linalg::Pivoting::none},
                                Exercise{linalg::Application::lu, linalg::Pivoting::incremental},
                                Exercise{linalg::Application::qr, linalg::Pivoting::partial}};

/// Makes the matrix in a separate runtime that learns no times, so that the kernels that make the matrix are not
/// measured.
template <class T>
linalg::DenseMatrix<T> definite_matrix(const RuntimeOptions& runtime, std::int64_t n) {
  RuntimeOptions options;
  options.cores = runtime.cores;
  Runtime plain(options);
  return linalg::assemble<T>(plain, {linalg::ProblemKind::random_definite, n, n, 1});
}

class Calibration {
 public:
  explicit Calibration(const CalibrationOptions& options) : options_(options) {}

  template <class T>
  void measure(const std::string& precision, std::int64_t tile, const std::string& clusters) {
    const linalg::DenseMatrix<T> original = definite_matrix<T>(options_.runtime, kTilesAcross * tile);
    const auto ledger = std::make_shared<CalibrationLedger>();
    RuntimeOptions with_policy = options_.runtime;
    with_policy.clusters = clusters;
    with_policy.placement.make_policy = [ledger] { return std::make_unique<CalibrationPolicy>(ledger); };
    Runtime runtime(with_policy);
    for (std::uint64_t round = 0; round < kMostRounds * options_.samples && !ledger->has(options_.samples); ++round) {
      for (const Exercise& exercise : kExercises) run(runtime, exercise, original, tile);
    }
    if (!ledger->has(options_.samples)) {
      result_.incomplete.push_back(
          fmt::format("{}, tile {}{}", precision, tile, clusters.empty() ? "" : ", clusters " + clusters));
    }
    result_.tasks += runtime.progress().ended;
    ++done_;
  }

  [[nodiscard]] Progress progress() const {
    return {done_, options_.tiles.size() * options_.precisions.size() * options_.clusters.size()};
  }
  [[nodiscard]] CalibrationResult result() const { return result_; }

 private:
  template <class T>
  static void run(Runtime& runtime, const Exercise& exercise, const linalg::DenseMatrix<T>& original,
                  std::int64_t tile) {
    linalg::DenseMatrix<T> a = original;
    linalg::FactorizationOptions options;
    options.application = exercise.application;
    options.pivoting = exercise.pivoting;
    options.tile = options.tile_rows = tile;
    linalg::Factorization<T> factorization(runtime, a, options);
    linalg::DenseMatrix<T> x = linalg::random_right_hand_side<T>(original.rows, 1, 1);
    factorization.solve(x);
  }

  const CalibrationOptions& options_;
  CalibrationResult result_;
  std::atomic<std::size_t> done_{0};
};

}  // namespace

std::vector<std::string> telling_clusters(const RuntimeOptions& options) {
  const platform::Topology topology = usable_cores(options);
  return telling_clusters(platform::cluster_candidates(topology.cores, topology.machine));
}

std::vector<std::string> telling_clusters(const std::vector<platform::ClusterCandidate>& candidates) {
  using platform::ClusterCandidate;
  std::vector<std::string> clusters{""};
  if (candidates.empty()) return clusters;
  const auto largest = std::ranges::max_element(candidates, {}, &ClusterCandidate::largest);
  if (largest->largest == 1) return clusters;
  clusters.push_back(largest->specification);
  const int half = (largest->largest + 1) / 2;
  const ClusterCandidate* nearest = nullptr;
  for (const ClusterCandidate& one : candidates) {
    if (one.largest == 1 || one.largest == largest->largest) continue;
    if (nearest == nullptr || std::abs(one.largest - half) < std::abs(nearest->largest - half)) nearest = &one;
  }
  if (nearest != nullptr) clusters.push_back(nearest->specification);
  return clusters;
}

CalibrationResult calibrate(const CalibrationOptions& options, const ProgressOptions& progress) {
  const auto start = std::chrono::steady_clock::now();
  Calibration calibration(options);
  {
    const ProgressBar bar([&calibration] { return calibration.progress(); }, progress);
    // Small tiles come first, so that errors show early.
    for (const std::int64_t tile : options.tiles) {
      for (const std::string& precision : options.precisions) {
        for (const std::string& clusters : options.clusters) {
          if (precision == "float") {
            calibration.measure<float>(precision, tile, clusters);
          } else {
            calibration.measure<double>(precision, tile, clusters);
          }
        }
      }
    }
  }
  CalibrationResult result = calibration.result();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace troupe::apps
