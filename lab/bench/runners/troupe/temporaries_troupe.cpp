/// Data that are made in the body of a loop, against data that are kept outside of it.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "lab/bench/runners/cases.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {
namespace {

constexpr std::size_t kKept = 64;

double seconds(Runtime& runtime, std::int64_t pieces, const std::function<void(std::int64_t)>& submit) {
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < pieces; ++i) submit(i);
  runtime.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Json temporaries(Parameters& parameters) {
  RuntimeOptions options;
  options.cores = cores_of(parameters);
  const std::int64_t elements = parameters.integer("bytes", 65536, 8) / 8;
  const std::int64_t pieces = parameters.integer("pieces", 20'000, 1);
  parameters.require_all_used();
  const Codelet fill =
      Codelet("fill", {AccessMode::write}).cpu([](VectorView<double> x) { std::fill(x.begin(), x.end(), 1.0); });
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([](VectorView<const double> x) {
    if (*std::max_element(x.begin(), x.end()) != 1) throw std::runtime_error("a temporary lost its content");
  });
  Runtime runtime(options);
  const auto use = [&](const Data& data) {
    runtime.submit(fill, {data});
    runtime.submit(look, {data});
  };
  std::vector<Data> kept;
  for (std::size_t i = 0; i < kKept; ++i) kept.push_back(runtime.allocate_vector<double>(elements));
  const auto with_kept = [&](std::int64_t i) { use(kept[static_cast<std::size_t>(i) % kKept]); };
  const auto with_temporary = [&](std::int64_t) { use(runtime.allocate_vector<double>(elements)); };
  // The first rounds touch the memory for the first time.
  seconds(runtime, kKept, with_kept);
  seconds(runtime, kKept, with_temporary);
  const double in_loop = seconds(runtime, pieces, with_temporary);
  const double outside = seconds(runtime, pieces, with_kept);
  return {{"us_per_temporary", in_loop / static_cast<double>(pieces) * 1e6},
          {"us_per_kept", outside / static_cast<double>(pieces) * 1e6},
          {"times", in_loop / outside}};
}

}  // namespace troupe::bench
