#include "kernels/blas_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

// Weak: another BLAS library may be linked.
extern "C" {
[[gnu::weak]] char* openblas_get_corename();
}

namespace troupe::kernels {

namespace {

/// OpenBLAS's names for the processors of x86-64 that have no AVX2, as of 0.3.29.
constexpr std::array<std::string_view, 20> kWithoutAvx2{
    "Katmai",       "Coppermine", "Northwood", "Prescott",    "Banias",     "Atom",       "Core2",
    "Penryn",       "Dunnington", "Nehalem",   "Sandybridge", "Nano",       "Athlon",     "Opteron",
    "Opteron_SSE3", "Barcelona",  "Bobcat",    "Bulldozer",   "Piledriver", "Steamroller"};

}  // namespace

std::optional<std::string> outdated_blas_kernels() {
#ifdef __x86_64__
  if (openblas_get_corename == nullptr || !__builtin_cpu_supports("avx2")) return std::nullopt;
  const std::string_view name = openblas_get_corename();
  if (std::ranges::find(kWithoutAvx2, name) == kWithoutAvx2.end()) return std::nullopt;
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return fmt::format(
      "OpenBLAS uses its kernels for {} on a processor that has {}, and is several times slower than it could be: set "
      "OPENBLAS_CORETYPE={}, or install a newer OpenBLAS",
      name, wide ? "AVX-512" : "AVX2", wide ? "SkylakeX" : "Haswell");
#else
  return std::nullopt;
#endif
}

}  // namespace troupe::kernels
