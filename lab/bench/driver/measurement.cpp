#include "lab/bench/driver/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proto/json/json.hpp"
#include "troupe/errors.hpp"

namespace troupe::bench {
namespace {

constexpr const char* kTroupe = "troupe";
constexpr const char* kRecorded = "troupe/recorded";

class RowMeasurement {
 public:
  RowMeasurement(const Plan& plan, const Row& row, const Runners& runners, Results& results)
      : plan_(plan), runners_(runners), results_(results), result_{row, {}} {
    for (const Contestant& contestant : plan.contestants) {
      Series series{contestant, {}, {}, {}, false};
      if (!runners.has(contestant.runtime)) series.skipped = "not installed";
      result_.series.push_back(series);
    }
  }

  RowResult run(const std::function<void()>& advanced) {
    const std::size_t count = result_.series.size();
    for (int round = 0; round < plan_.rounds; ++round) {
      const double reference = plan_.reference ? measure_reference() : 0;
      for (std::size_t i = 0; i < count; ++i) {
        Series& series = result_.series[(i + static_cast<std::size_t>(round)) % count];
        if (series.measured()) measure(series, reference);
        advanced();
      }
    }
    return std::move(result_);
  }

 private:
  double measure_reference() {
    std::vector<std::string> words = plan_.reference->words;
    words.push_back(fmt::format("cores={}", plan_.cores));
    const Outcome outcome = runners_.run("peak", plan_.reference->case_name, words);
    const double value =
        outcome.kind == Outcome::Kind::measured ? outcome.figures.value(plan_.reference->key, 0.0) : 0.0;
    if (value <= 0) throw Error(ErrorCode::io, "the reference could not be measured: " + outcome.reason);
    results_.references.push_back(value);
    return value;
  }

  [[nodiscard]] std::vector<std::string> words_for(const Contestant& contestant, double reference) const {
    std::vector<std::string> words = result_.row.words;
    words.push_back(fmt::format("cores={}", plan_.cores));
    if (!contestant.mode.empty()) words.push_back("mode=" + contestant.mode);
    if (plan_.reference && !plan_.reference->parameter.empty()) {
      words.push_back(fmt::format("{}={:.6e}", plan_.reference->parameter, reference));
    }
    return words;
  }

  void measure(Series& series, double reference) {
    const Outcome outcome =
        runners_.run(series.contestant.runtime, result_.row.case_name, words_for(series.contestant, reference));
    if (outcome.kind != Outcome::Kind::measured) {
      return give_up(series, outcome.reason, outcome.kind == Outcome::Kind::failed);
    }
    if (!is_same(series.contestant, outcome.figures)) {
      return give_up(series, fmt::format("its {} is not that of {}", result_.row.same_key, same_of_), true);
    }
    series.outputs.push_back(outcome.figures);
    for (const std::string& key : result_.row.keys) {
      const bool divided = plan_.reference && key == plan_.reference->fraction_key;
      const Json* const found = outcome.figures.find(divided ? result_.row.keys.front() : key);
      if (found == nullptr || !found->is_number()) return give_up(series, "no figure '" + key + "'", true);
      series.samples[key].push_back(found->get<double>() / (divided ? reference : 1.0));
    }
  }

  /// Returns true if the results of this contestant and the first one agree, or if they do not have to agree.
  bool is_same(const Contestant& contestant, const Json& figures) {
    if (result_.row.same_key.empty()) return true;
    const Json found = figures.value(result_.row.same_key, Json());
    if (same_of_.empty()) {
      same_of_ = contestant.label();
      same_ = found;
    }
    return !found.is_null() && found == same_;
  }

  /// Removes a contestant that has failed once, since an incomplete series cannot be compared.
  static void give_up(Series& series, const std::string& reason, bool failed) {
    series.skipped = reason.empty() ? "no reason given" : reason;
    series.failed = failed;
    series.samples.clear();
    series.outputs.clear();
  }

  const Plan& plan_;
  const Runners& runners_;
  Results& results_;
  RowResult result_;
  /// The value on which all contestants have to agree, and the label of the contestant that gave it.
  Json same_;
  std::string same_of_;
};

}  // namespace

const Series* RowResult::find(const std::string& label) const {
  const auto found =
      std::find_if(series.begin(), series.end(), [&](const Series& each) { return each.contestant.label() == label; });
  return found == series.end() ? nullptr : &*found;
}

bool Results::any_failed() const {
  return std::any_of(rows.begin(), rows.end(), [](const RowResult& row) {
    return std::any_of(row.series.begin(), row.series.end(), [](const Series& series) { return series.failed; });
  });
}

bool Results::any_measured() const {
  return std::any_of(rows.begin(), rows.end(), [](const RowResult& row) {
    return std::any_of(row.series.begin(), row.series.end(), [](const Series& series) { return series.measured(); });
  });
}

std::uint64_t measurements(const Plan& plan) {
  return static_cast<std::uint64_t>(plan.rounds) * plan.rows.size() * plan.contestants.size();
}

Results run_plan(const Plan& plan, const Runners& runners, const std::function<void(std::uint64_t)>& advanced) {
  Results results;
  results.plan = plan;
  for (const Contestant& contestant : plan.contestants) {
    const bool named =
        std::find(results.missing.begin(), results.missing.end(), contestant.runtime) != results.missing.end();
    if (!named && !runners.has(contestant.runtime)) results.missing.push_back(contestant.runtime);
  }
  std::uint64_t done = 0;
  for (const Row& row : plan.rows) {
    results.rows.push_back(RowMeasurement(plan, row, runners, results).run([&] { advanced(++done); }));
  }
  return results;
}

std::optional<Ratio> ratio_to_troupe(const Plan& plan, const RowResult& row, const Series& peer) {
  if (!peer.measured() || peer.contestant.runtime == kTroupe) return std::nullopt;
  const Series* ours = peer.contestant.mode == "static" ? row.find(kRecorded) : nullptr;
  if (ours == nullptr || !ours->measured()) ours = row.find(kTroupe);
  if (ours == nullptr || !ours->measured()) return std::nullopt;
  const std::string& key = row.row.keys.front();
  const std::vector<double>& troupe = ours->samples.at(key);
  const std::vector<double>& other = peer.samples.at(key);
  return Ratio{ours->contestant.label(),
               estimate(plan.peers_over_troupe ? ratios(other, troupe) : ratios(troupe, other))};
}

std::vector<MeanRatio> mean_ratios(const Results& results) {
  std::vector<MeanRatio> means;
  for (const Contestant& contestant : results.plan.contestants) {
    MeanRatio mean{contestant.label()};
    double logarithms = 0;
    for (const RowResult& row : results.rows) {
      const auto ratio = ratio_to_troupe(results.plan, row, *row.find(mean.peer));
      if (!ratio) continue;
      logarithms += std::log(ratio->estimate.median);
      ++mean.rows;
    }
    if (mean.rows == 0) continue;
    mean.ratio = std::exp(logarithms / static_cast<double>(mean.rows));
    means.push_back(mean);
  }
  return means;
}

}  // namespace troupe::bench
