/// Amdahl's law, by which times fall with the number of cores that share the work.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace troupe {

/// A mean time on a number of cores. The time may be in any unit; time and number are above 0.
struct TimeOnCores {
  int cores = 1;
  double time = 0;
};

/// The law time = fixed + shared / cores (G. Amdahl, Validity of the single processor approach, AFIPS 1967). Neither
/// term is negative.
struct AmdahlLaw {
  double fixed = 0;
  double shared = 0;

  [[nodiscard]] double at(int cores) const { return fixed + shared / cores; }
};

/// Returns the law with the least sum of squared relative errors. If times on two numbers of cores lie on a law, the
/// result is exactly this law. If times fall faster than the number of cores rises, `fixed` is 0; if times do not fall,
/// `shared` is 0. Returns nothing if all times are on the same number of cores, because they tell nothing about other
/// numbers. O(times).
[[nodiscard]] inline std::optional<AmdahlLaw> fit_amdahl(std::span<const TimeOnCores> times) {
  if (times.empty()) return std::nullopt;
  bool differ = false;
  // The sums over all times of 1, 1 / cores, 1 / cores^2, time and time / cores, each divided by time^2.
  double w = 0;
  double wx = 0;
  double wxx = 0;
  double wt = 0;
  double wxt = 0;
  for (const TimeOnCores& one : times) {
    differ = differ || one.cores != times.front().cores;
    const double x = 1.0 / one.cores;
    const double weight = 1 / (one.time * one.time);
    w += weight;
    wx += weight * x;
    wxx += weight * x * x;
    wt += weight * one.time;
    wxt += weight * x * one.time;
  }
  if (!differ) return std::nullopt;
  const double shared = (w * wxt - wx * wt) / (w * wxx - wx * wx);
  const double fixed = (wt - shared * wx) / w;
  if (shared <= 0) return AmdahlLaw{wt / w, 0};
  if (fixed < 0) return AmdahlLaw{0, wxt / wxx};
  return AmdahlLaw{fixed, shared};
}

}  // namespace troupe
