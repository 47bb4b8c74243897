/// Model error: makes predictions wrong on purpose, to show how robust policies are.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "proto/random.hpp"
#include "troupe/devices.hpp"

namespace troupe::actors {

/// Draws a factor for each key, log-uniformly from [1/f, f]. Equal seeds and keys give equal factors.
class ModelError {
 public:
  /// `most` is the bound f, at least 1; with 1 every factor is 1.
  ModelError(double most, std::uint64_t seed) : log_most_(std::log(most)), seed_(seed) {}

  /// Returns the factor for a kernel's times on a kind of device.
  [[nodiscard]] double factor(std::string_view kernel, DeviceKind kind) const {
    // The hash is FNV-1a, which is the same on every system.
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : kernel) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return factor(hash * 2 + static_cast<std::uint64_t>(kind));
  }
  [[nodiscard]] double factor(std::uint64_t key) const {
    if (log_most_ == 0) return 1;
    Random random(seed_ * 0x9e3779b97f4a7c15ULL ^ (key + 1) * 0xd1b54a32d192ed03ULL);
    (void)random.next();
    const double uniform = static_cast<double>(random.next() >> 11U) * 0x1p-53;
    return std::exp(log_most_ * (2 * uniform - 1));
  }

 private:
  double log_most_;
  std::uint64_t seed_;
};

}  // namespace troupe::actors
