/// A client of a service. Usage: service_client FOLDER WHAT SEED SECONDS. If WHAT is `graphs`, it runs small graphs for
/// SECONDS, checks each of them, and prints their number. If WHAT is `restless`, it uses everything that a client can
/// use, until it is killed.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "kernels/element_codelets.hpp"
#include "proto/random.hpp"
#include "troupe/runtime.hpp"

namespace troupe {
namespace {

/// With this size, kernels take a hundred microseconds. So the clients compete for workers, not for the machine's
/// cores.
constexpr std::int64_t kElements = 131'072;

/// Computes y = y + x several times, in memory of the service or of this program, and then the sum of y's squares.
/// Returns true if the result is right.
bool small_graph(Runtime& runtime, Random& random) {
  const auto& k = kernels::element_codelets<double>();
  std::vector<double> own(kElements, 1);
  const bool shared = random.below(2) == 0;
  const Data x = runtime.allocate_vector<double>(kElements, "x");
  const Data y = shared ? runtime.allocate_vector<double>(kElements, "y") : runtime.vector(own, "y");
  double sum = 0;
  const Data dot = runtime.scalar(sum, "sum");
  runtime.set_reduction(dot, sum_reduction<double>());
  runtime.submit(k.fill, {x}, args(2.));
  if (shared) runtime.submit(k.fill, {y}, args(1.));
  const std::uint64_t tasks = 1 + random.below(40);
  for (std::uint64_t i = 0; i < tasks; ++i) runtime.submit(k.axpy, {x, y}, args(0.5));
  runtime.submit(k.dot, {x, y, dot});
  runtime.wait();
  const double expected = 2. * (1. + static_cast<double>(tasks)) * kElements;
  const HostAccess access = runtime.acquire(dot, AccessMode::read);
  return access.matrix<double>()(0, 0) == expected;
}

int run_graphs(Runtime& runtime, std::uint64_t seed, double for_s) {
  Random random(seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(for_s);
  int graphs = 0;
  while (std::chrono::steady_clock::now() < end) {
    if (!small_graph(runtime, random)) {
      std::fprintf(stderr, "graph %d of seed %lu: wrong result\n", graphs, static_cast<unsigned long>(seed));
      return 1;
    }
    ++graphs;
  }
  std::printf("%d\n", graphs);
  return 0;
}

void be_restless(Runtime& runtime, std::uint64_t seed) {
  Random random(seed);
  const auto& k = kernels::element_codelets<double>();
  std::vector<Data> data;
  std::vector<HostAccess> held;
  for (int i = 0; i < 8; ++i) {
    data.push_back(runtime.allocate_matrix<double>(512, 64, "m"));
    runtime.submit(k.fill, {data.back()}, args(0.));
  }
  const Data hold = runtime.allocate_vector<double>(100, "held");
  runtime.submit(k.fill, {hold}, args(0.));
  if (random.below(2) == 0) held.push_back(runtime.acquire(hold, AccessMode::write));
  const RecordedGraph recorded = runtime.record([&] {
    for (int i = 0; i < 50; ++i) runtime.submit(k.axpy, {data[0], data[1]}, args(1.));
  });
  while (true) {
    switch (random.below(6)) {
      case 0: recorded.run(); break;
      case 1:
        runtime.submit(kernels::trial_codelets().sleep, {}, args(static_cast<std::int64_t>(random.below(2'000'000))));
        break;
      case 2: runtime.submit(k.scale, {hold}, args(2.)); break;
      case 3:
        data[2 + random.below(6)] =
            runtime.allocate_matrix<double>(512, 1 + static_cast<std::int64_t>(random.below(256)), "new");
        break;
      case 4:
        if (random.below(20) == 0) runtime.cancel();
        break;
      default:
        for (int i = 0; i < 200; ++i) runtime.submit(k.axpy, {data[0], data[1]}, args(1.));
    }
  }
}

int be_client(const std::string& folder, const std::string& what, std::uint64_t seed, double for_s) {
  Runtime runtime = Runtime::connect({.folder = folder, .name = what + " " + std::to_string(seed)});
  if (what == "graphs") return run_graphs(runtime, seed, for_s);
  be_restless(runtime, seed);
  return 0;
}

}  // namespace
}  // namespace troupe

int main(int count, char** arguments) {
  if (count != 5) {
    std::fputs("usage: service_client FOLDER graphs|restless SEED SECONDS\n", stderr);
    return 2;
  }
  try {
    return troupe::be_client(arguments[1], arguments[2], std::stoull(arguments[3]), std::stod(arguments[4]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
