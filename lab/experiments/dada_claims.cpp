#include "lab/experiments/dada_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace troupe::apps {

namespace {

using namespace dada_policy;

constexpr DadaGraph kCholesky = DadaGraph::cholesky;
constexpr DadaGraph kLu = DadaGraph::lu;
constexpr DadaGraph kIncremental = DadaGraph::lu_incremental;
constexpr DadaGraph kQr = DadaGraph::qr;
constexpr std::array kCompared{kHeft, kAlphaZero, kAlphaHalf, kAlphaHalfCp};
constexpr std::array kDual{kAlphaZero, kAlphaHalf, kAlphaHalfCp};
constexpr std::array kAffine{kAlphaHalf, kAlphaHalfCp};
/// The smallest number of GPUs that counts as one of the paper's "large numbers of GPUs".
constexpr int kMany = 6;

/// The checks of one claim, and the results on which they are based.
class Checks : public Judgement {
 public:
  explicit Checks(const DadaResults& results) : results_(results) {}

  [[nodiscard]] const Estimate& speed(DadaGraph graph, std::string_view policy, int gpus) const {
    return results_.at(graph, policy, gpus).gflops;
  }
  [[nodiscard]] const Estimate& bytes(DadaGraph graph, std::string_view policy, int gpus) const {
    return results_.at(graph, policy, gpus).bytes;
  }
  [[nodiscard]] double seconds(DadaGraph graph, std::string_view policy, int gpus) const {
    return results_.at(graph, policy, gpus).seconds.mean;
  }
  /// Returns the mean bytes of policy `a` divided by those of policy `b`.
  [[nodiscard]] double bytes_ratio(DadaGraph graph, std::string_view a, std::string_view b, int gpus) const {
    return bytes(graph, a, gpus).mean / bytes(graph, b, gpus).mean;
  }
  [[nodiscard]] double speed_ratio(DadaGraph graph, std::string_view a, std::string_view b, int gpus) const {
    return speed(graph, a, gpus).mean / speed(graph, b, gpus).mean;
  }

  /// Appends the GFlop/s of each policy with `gpus` GPUs to the claim's numbers.
  template <class Policies>
  void say_speeds(DadaGraph graph, const Policies& policies, int gpus) {
    std::string text;
    for (const auto& policy : policies) {
      text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", policy, speed(graph, policy, gpus).mean);
    }
    say("{}, {} GPUs, GFlop/s: {}", to_string(graph), gpus, text);
  }
  template <class Policies>
  void say_bytes(DadaGraph graph, const Policies& policies, int gpus) {
    std::string text;
    for (const auto& policy : policies) {
      text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", policy, bytes(graph, policy, gpus).mean / 1e9);
    }
    say("{}, {} GPUs, GB: {}", to_string(graph), gpus, text);
  }

  /// Returns true if the speeds of all these policies are similar.
  template <class Policies>
  [[nodiscard]] bool similar_speeds(DadaGraph graph, const Policies& policies, int gpus) const {
    double least = speed(graph, policies[0], gpus).mean;
    double most = least;
    for (const auto& policy : policies) {
      least = std::min(least, speed(graph, policy, gpus).mean);
      most = std::max(most, speed(graph, policy, gpus).mean);
    }
    return similar(least, most);
  }

 private:
  const DadaResults& results_;
};

struct Tested {
  Claim claim;
  std::function<void(Checks&)> test;
};

void scales_with_alpha(Checks& c, bool prediction) {
  const std::vector<std::string> policies = policies_over_alpha(prediction);
  for (std::size_t i = 2; i < policies.size(); ++i) {
    c.check(at_least(c.speed(kCholesky, policies[i], kDadaGpus), c.speed(kCholesky, policies[i - 1], kDadaGpus)));
  }
  c.check(more(c.speed(kCholesky, policies.back(), kDadaGpus), c.speed(kCholesky, policies[1], kDadaGpus)));
  c.say_speeds(kCholesky, policies, kDadaGpus);
}

void stops_at_two(Checks& c) {
  const double two = c.speed(kCholesky, kAlphaZero, 2).mean;
  std::string text;
  for (int gpus = 1; gpus <= kDadaGpus; ++gpus) {
    const double speed = c.speed(kCholesky, kAlphaZero, gpus).mean;
    if (gpus > 2) c.check(speed <= 1.1 * two);
    text += fmt::format("{}{:.0f}", text.empty() ? "" : ", ", speed);
  }
  c.say("{}, 1 to {} GPUs, GFlop/s: {}", kAlphaZero, kDadaGpus, text);
}

void zero_moves_most(Checks& c) {
  const std::vector<std::string> policies = policies_over_alpha(false);
  for (std::size_t i = 1; i < policies.size(); ++i) {
    c.check(more(c.bytes(kCholesky, policies[0], kDadaGpus), c.bytes(kCholesky, policies[i], kDadaGpus)));
  }
  c.say_bytes(kCholesky, policies, kDadaGpus);
}

void all_similar(Checks& c, DadaGraph graph, int without_prediction_at) {
  double worst = 1;
  int at = 1;
  for (int gpus = 1; gpus <= kDadaGpus; ++gpus) {
    std::vector<std::string_view> policies(kCompared.begin(), kCompared.end());
    if (gpus == without_prediction_at) std::erase(policies, kAlphaHalfCp);
    c.check(c.similar_speeds(graph, policies, gpus));
    double most = 0;
    for (const std::string_view policy : policies) most = std::max(most, c.speed(graph, policy, gpus).mean);
    for (const std::string_view policy : policies) {
      const double share = c.speed(graph, policy, gpus).mean / most;
      if (share < worst) at = gpus;
      worst = std::min(worst, share);
    }
  }
  c.say("slowest / fastest at worst {:.2f} ({} GPUs)", worst, at);
  c.say_speeds(graph, kCompared, kDadaGpus);
}

void prediction_scales_best(Checks& c) {
  std::string text;
  const auto speed_up = [&c](const std::string_view policy) {
    return c.speed(kCholesky, policy, kDadaGpus).mean / c.speed(kCholesky, policy, 1).mean;
  };
  for (const std::string_view policy : kCompared) {
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", policy, speed_up(policy));
    if (policy == kAlphaHalfCp) continue;
    c.check(speed_up(kAlphaHalfCp) >= speed_up(policy));
    c.check(at_least(c.speed(kCholesky, kAlphaHalfCp, kDadaGpus), c.speed(kCholesky, policy, kDadaGpus)));
  }
  c.say("speed with {} GPUs / with 1: {}", kDadaGpus, text);
  c.say_speeds(kCholesky, kCompared, kDadaGpus);
}

void thriftiest_up_to_six(Checks& c) {
  for (int gpus = 1; gpus <= 6; ++gpus) {
    for (const std::string_view policy : kAffine) {
      for (const std::string_view other : {kHeft, kAlphaZero}) {
        c.check(at_least(c.bytes(kCholesky, other, gpus), c.bytes(kCholesky, policy, gpus)));
      }
    }
  }
  c.say_bytes(kCholesky, kCompared, 2);
  c.say_bytes(kCholesky, kCompared, 6);
}

void prediction_saves_bytes(Checks& c) {
  for (int gpus = 7; gpus <= kDadaGpus; ++gpus) {
    c.check(more(c.bytes(kCholesky, kAlphaHalf, gpus), c.bytes(kCholesky, kAlphaHalfCp, gpus)));
    c.check(at_least(c.speed(kCholesky, kAlphaHalfCp, gpus), c.speed(kCholesky, kAlphaHalf, gpus)));
    c.say_bytes(kCholesky, kAffine, gpus);
    c.say_speeds(kCholesky, kAffine, gpus);
  }
}

void as_fast_as_heft(Checks& c, DadaGraph graph) {
  for (int gpus = kMany; gpus <= kDadaGpus; ++gpus) {
    std::string text;
    for (const std::string_view policy : kAffine) {
      c.check(at_least(c.speed(graph, policy, gpus), c.speed(graph, kHeft, gpus)));
      text += fmt::format(", {} {:.2f}", policy, c.speed_ratio(graph, policy, kHeft, gpus));
    }
    c.say("{} GPUs, speed over HEFT's{}", gpus, text);
  }
}

void fewer_bytes_than_heft(Checks& c, DadaGraph graph) {
  for (const std::string_view policy : kAffine) {
    c.check(more(c.bytes(graph, kHeft, kDadaGpus), c.bytes(graph, policy, kDadaGpus)));
    c.say("HEFT moves {:.2f} times as much as {}", c.bytes_ratio(graph, kHeft, policy, kDadaGpus), policy);
  }
}

void lu_prediction_thriftiest(Checks& c, DadaGraph graph) {
  for (int gpus = 2; gpus <= kDadaGpus; ++gpus) {
    bool least = true;
    for (const std::string_view other : {kHeft, kAlphaZero, kAlphaHalf}) {
      least = least && more(c.bytes(graph, other, gpus), c.bytes(graph, kAlphaHalfCp, gpus));
    }
    c.check(least);
  }
  c.say_bytes(graph, kCompared, 4);
  c.say_bytes(graph, kCompared, kDadaGpus);
}

void lu_zero_costliest(Checks& c, DadaGraph graph) {
  for (int gpus = 2; gpus <= kDadaGpus; ++gpus) {
    bool most = true;
    for (const std::string_view other : {kHeft, kAlphaHalf, kAlphaHalfCp}) {
      most = most && more(c.bytes(graph, kAlphaZero, gpus), c.bytes(graph, other, gpus));
    }
    c.check(most);
  }
  c.say_bytes(graph, kCompared, 4);
  c.say_bytes(graph, kCompared, kDadaGpus);
}

void lu_half_like_heft(Checks& c, DadaGraph graph) {
  std::string text;
  for (int gpus = 2; gpus <= kDadaGpus; ++gpus) {
    c.check(similar(c.bytes(graph, kAlphaHalf, gpus).mean, c.bytes(graph, kHeft, gpus).mean));
    text += fmt::format("{}{:.2f}", text.empty() ? "" : ", ", c.bytes_ratio(graph, kHeft, kAlphaHalf, gpus));
  }
  c.say("HEFT's bytes over those of {}, 2 to {} GPUs: {}", kAlphaHalf, kDadaGpus, text);
}

void lu_factor(Checks& c, DadaGraph graph) {
  const double bytes = c.bytes_ratio(graph, kHeft, kAlphaHalfCp, kDadaGpus);
  const double time = c.seconds(graph, kAlphaHalfCp, kDadaGpus) / c.seconds(graph, kHeft, kDadaGpus);
  c.check(bytes >= 0.9 * 3.5);
  c.check(bytes >= 0.5 * 3.5);
  c.check(time <= 1.05 * 1.13);
  c.say("HEFT moves {:.2f} times as much; {} takes {:.2f} times as long", bytes, kAlphaHalfCp, time);
}

void gap_widens(Checks& c, DadaGraph graph) {
  const double cholesky = c.bytes_ratio(kCholesky, kHeft, kAlphaHalfCp, kDadaGpus);
  const double lu = c.bytes_ratio(graph, kHeft, kAlphaHalfCp, kDadaGpus);
  c.check(lu > cholesky);
  c.say("HEFT's bytes over those of {}: {:.2f} on Cholesky, {:.2f} on LU", kAlphaHalfCp, cholesky, lu);
}

void qr_duals_similar(Checks& c) {
  for (int gpus = 1; gpus <= kDadaGpus; ++gpus) c.check(c.similar_speeds(kQr, kDual, gpus));
  c.say_speeds(kQr, kDual, 2);
  c.say_speeds(kQr, kDual, kDadaGpus);
}

void qr_heft_ahead(Checks& c) {
  double least = 1e9;
  for (int gpus = 1; gpus <= kDadaGpus; ++gpus) {
    bool ahead = true;
    for (const std::string_view policy : kDual) {
      ahead = ahead && more(c.speed(kQr, kHeft, gpus), c.speed(kQr, policy, gpus));
      least = std::min(least, c.speed_ratio(kQr, kHeft, policy, gpus));
    }
    c.check(ahead);
  }
  c.say("HEFT is at least {:.2f} times as fast as any of the three", least);
  c.say_speeds(kQr, kCompared, kDadaGpus);
}

void qr_low_bytes(Checks& c) {
  for (int gpus = 2; gpus <= kDadaGpus; ++gpus) {
    for (const std::string_view policy : kAffine) c.check(more(c.bytes(kQr, kHeft, gpus), c.bytes(kQr, policy, gpus)));
  }
  c.say_bytes(kQr, kCompared, kDadaGpus);
}

void affinity_without_prediction(Checks& c) {
  double least = 1e9;
  double most = 0;
  for (const DadaGraph graph : {kCholesky, kLu, kIncremental}) {
    for (int gpus = 1; gpus <= kDadaGpus; ++gpus) {
      c.check(similar(c.speed(graph, kAlphaHalf, gpus).mean, c.speed(graph, kHeft, gpus).mean));
      const double ratio = c.speed_ratio(graph, kAlphaHalf, kHeft, gpus);
      least = std::min(least, ratio);
      most = std::max(most, ratio);
    }
  }
  c.say("speed of {} over HEFT's: {:.2f} to {:.2f}", kAlphaHalf, least, most);
}

void prediction_saves_further(Checks& c) {
  for (const DadaGraph graph : kDadaGraphs) {
    c.check(more(c.bytes(graph, kAlphaHalf, kDadaGpus), c.bytes(graph, kAlphaHalfCp, kDadaGpus)));
    c.say_bytes(graph, kAffine, kDadaGpus);
  }
}

void significantly_fewer(Checks& c) {
  std::string text;
  for (const DadaGraph graph : kDadaGraphs) {
    for (const std::string_view policy : kAffine) {
      const double ratio = c.bytes_ratio(graph, kHeft, policy, kDadaGpus);
      c.check(ratio >= 1.25);
      text += fmt::format("{}{} {} {:.2f}", text.empty() ? "" : ", ", to_string(graph), policy, ratio);
    }
  }
  c.say("HEFT's bytes over theirs: {}", text);
}

void speeds_up(Checks& c) {
  for (const DadaGraph graph : kDadaGraphs) {
    std::string text;
    for (const std::string_view policy : {kHeft, kAlphaHalf, kAlphaHalfCp}) {
      const double ratio = c.speed(graph, policy, kDadaGpus).mean / c.speed(graph, policy, 1).mean;
      c.check(ratio >= 2);
      text += fmt::format(", {} {:.2f}", policy, ratio);
    }
    c.say("{}, {} GPUs over 1{}", to_string(graph), kDadaGpus, text);
  }
}

void stealing_suffers(Checks& c) {
  for (const DadaGraph graph : kDadaGraphs) {
    c.check(more(c.speed(graph, kAlphaHalfCp, kDadaGpus), c.speed(graph, kStealing, kDadaGpus)));
    c.check(more(c.bytes(graph, kStealing, kDadaGpus), c.bytes(graph, kAlphaHalfCp, kDadaGpus)));
    c.say("{}: {:.2f} of the speed, {:.2f} times the bytes of {}", to_string(graph),
          c.speed_ratio(graph, kStealing, kAlphaHalfCp, kDadaGpus),
          c.bytes_ratio(graph, kStealing, kAlphaHalfCp, kDadaGpus), kAlphaHalfCp);
  }
}

std::vector<Tested> about_alpha() {
  return {
      {{"alpha-scales", "4.2", "Cholesky, without prediction: the higher alpha (above 0), the better it scales",
        "8 GPUs: the speed of each alpha is at least that of the next lower one, and more at 1 than at 0.25"},
       [](Checks& c) { scales_with_alpha(c, false); }},
      {{"alpha-scales-cp", "4.2", "Cholesky, with prediction: the higher alpha (above 0), the better it scales",
        "as above"},
       [](Checks& c) { scales_with_alpha(c, true); }},
      {{"alpha-zero-stops", "4.2", "Cholesky: alpha = 0 without prediction does not scale beyond two GPUs",
        "with 3 to 8 GPUs, the speed is at most 1.1 times that with 2"},
       stops_at_two},
      {{"alpha-zero-moves-most", "4.2", "... because it moves too much",
        "8 GPUs: more bytes than with each of the higher alphas"},
       zero_moves_most},
  };
}

std::vector<Tested> about_cholesky() {
  return {
      {{"cholesky-similar", "4.3", "Cholesky: all four policies are similarly fast",
        "for each number of GPUs, the slowest is similar to the fastest"},
       [](Checks& c) { all_similar(c, kCholesky, 0); }},
      {{"cholesky-cp-scales", "4.3", "Cholesky: DADA+CP scales slightly better than the others",
        "8 GPUs: its speed over that with 1 GPU is the largest, and its speed at least that of each other"},
       prediction_scales_best},
      {{"cholesky-thriftiest", "4.3", "Cholesky: DADA and DADA+CP move least with up to 6 GPUs",
        "1 to 6 GPUs: the bytes of HEFT and of alpha = 0 are at least those of each"},
       thriftiest_up_to_six},
      {{"cholesky-cp-saves", "4.3", "Cholesky, beyond 6 GPUs: prediction saves bytes and keeps the speed",
        "7 and 8 GPUs: less bytes than DADA without it, and at least its speed"},
       prediction_saves_bytes},
      {{"cholesky-speed", "6", "Cholesky, many GPUs: DADA is as fast as HEFT or faster",
        "6 to 8 GPUs: the speeds of DADA and DADA+CP are at least HEFT's"},
       [](Checks& c) { as_fast_as_heft(c, kCholesky); }},
      {{"cholesky-bytes", "6", "Cholesky, 8 GPUs: DADA moves less than HEFT", "less bytes, of DADA and of DADA+CP"},
       [](Checks& c) { fewer_bytes_than_heft(c, kCholesky); }},
  };
}

/// Returns the claims about LU, for one of its graphs. The names of the claims begin with `name`.
std::vector<Tested> about_lu(DadaGraph graph, const std::string& name) {
  const std::string lu = to_string(graph);
  const auto on_graph = [graph](void (*test)(Checks&, DadaGraph)) {
    return [graph, test](Checks& c) { test(c, graph); };
  };
  return {
      {{name + "-similar", "4.3", lu + ": all four policies are similarly fast, but for DADA+CP with 6 GPUs",
        "for each number of GPUs, the slowest is similar to the fastest (with 6: of the other three)"},
       [graph](Checks& c) { all_similar(c, graph, 6); }},
      {{name + "-cp-thriftiest", "4.3", lu + ": DADA+CP moves less than the others",
        "2 to 8 GPUs: less bytes than each of the others"},
       on_graph(lu_prediction_thriftiest)},
      {{name + "-zero-costliest", "4.3", lu + ": alpha = 0 moves most",
        "2 to 8 GPUs: more bytes than each of the others"},
       on_graph(lu_zero_costliest)},
      {{name + "-half-like-heft", "4.3", lu + ": DADA without prediction moves about as much as HEFT",
        "2 to 8 GPUs: similar bytes"},
       on_graph(lu_half_like_heft)},
      {{name + "-factor", "4.3",
        lu + ", 8 GPUs: HEFT moves 3.5 times as much as DADA+CP, which takes 1.13 times as long",
        "the bytes' ratio is at least 0.9 x 3.5; it is at least half of 3.5; the times' is at most 1.05 x 1.13"},
       on_graph(lu_factor)},
      {{name + "-gap-widens", "4.3", lu + ": the gap in bytes is wider than on Cholesky",
        "8 GPUs: HEFT's bytes over those of DADA+CP are larger on LU"},
       on_graph(gap_widens)},
      {{name + "-speed", "6", lu + ", many GPUs: DADA is as fast as HEFT or faster",
        "6 to 8 GPUs: the speeds of DADA and DADA+CP are at least HEFT's"},
       on_graph(as_fast_as_heft)},
      {{name + "-bytes", "6", lu + ", 8 GPUs: DADA moves less than HEFT", "less bytes, of DADA and of DADA+CP"},
       on_graph(fewer_bytes_than_heft)},
  };
}

std::vector<Tested> about_qr_and_all() {
  return {
      {{"qr-duals-similar", "4.3", "QR: the three dual approximations are alike",
        "for each number of GPUs, the slowest of them is similar to the fastest"},
       qr_duals_similar},
      {{"qr-heft-ahead", "4.3", "QR: HEFT is faster than all dual approximations",
        "for each number of GPUs, more speed than each of the three"},
       qr_heft_ahead},
      {{"qr-low-bytes", "4.3", "QR: DADA and DADA+CP move less than HEFT", "2 to 8 GPUs: less bytes, of each"},
       qr_low_bytes},
      {{"affinity-alone", "4.3", "DADA without prediction is about as fast as HEFT (Cholesky and LU)",
        "for each number of GPUs, similar speeds"},
       affinity_without_prediction},
      {{"cp-saves-further", "4.3", "Prediction makes DADA move still less",
        "8 GPUs, each factorization: less bytes than without"},
       prediction_saves_further},
      {{"stealing", "4.3", "Plain work stealing uses memories badly on such small matrices",
        "8 GPUs, each factorization: less speed and more bytes than DADA+CP"},
       stealing_suffers},
      {{"speed-up", "6", "HEFT and DADA gain much from GPUs on all three factorizations",
        "with 8 GPUs at least twice the speed with 1"},
       speeds_up},
      {{"significantly-less", "6", "DADA moves significantly less than HEFT",
        "8 GPUs, each factorization: HEFT's bytes are at least 1.25 times those of DADA and of DADA+CP"},
       significantly_fewer},
  };
}

const std::vector<Tested>& tested() {
  static const std::vector<Tested> all = [] {
    std::vector<Tested> list;
    for (auto&& part : {about_alpha(), about_cholesky(), about_lu(kLu, "lu"), about_lu(kIncremental, "incremental"),
                        about_qr_and_all()}) {
      list.insert(list.end(), part.begin(), part.end());
    }
    return list;
  }();
  return all;
}

}  // namespace

bool similar(double a, double b) { return std::min(a, b) >= 0.9 * std::max(a, b); }

bool more(const Estimate& a, const Estimate& b) { return a.mean - a.margin > b.mean + b.margin; }

bool at_least(const Estimate& a, const Estimate& b) { return a.mean >= 0.98 * b.mean; }

const std::vector<Claim>& dada_claims() {
  static const std::vector<Claim> claims = [] {
    std::vector<Claim> list;
    for (const Tested& one : tested()) list.push_back(one.claim);
    return list;
  }();
  return claims;
}

std::vector<Judgement> judge(const DadaResults& results) {
  std::vector<Judgement> judgements;
  for (const Tested& one : tested()) {
    Checks checks(results);
    one.test(checks);
    judgements.push_back(static_cast<const Judgement&>(checks));
  }
  return judgements;
}

}  // namespace troupe::apps
