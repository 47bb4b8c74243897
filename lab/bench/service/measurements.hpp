/// The costs of a client of the service, beside the same program with a runtime of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/bench/service/service_process.hpp"
#include "lab/bench/statistics.hpp"

namespace troupe::bench {

struct ServiceBenchOptions {
  /// The path of `troupe`.
  std::string program = {};
  /// The number of cores; 0 means all.
  int cores = 0;
  int rounds = 9;
  std::int64_t tasks = 1'000'000;
  /// The number of graphs of one task, and of calls, per round.
  int calls = 300;
  /// The order of the matrix that is factorized; 0 means that no matrix is factorized.
  std::int64_t n = 8192;
  std::int64_t tile = 512;
};

/// One figure of the service and of its counterpart, from pairs measured one after the other.
struct ServiceFigure {
  std::string name;
  std::string unit;
  Estimate service;
  /// The counterpart: "embedded" or "empty call".
  std::string other_name;
  Estimate other;
  /// The service's figure over the counterpart's, by pair.
  Estimate ratio;
  /// The target, in words.
  std::string target;
};

/// Measures empty tasks per second, submitted by one client without data.
[[nodiscard]] ServiceFigure measure_empty_tasks(const ServiceProcess& service, const ServiceBenchOptions& options);
/// Measures the seconds from the submission of one task to the return of the wait for it, beside an empty call of the
/// protocol.
[[nodiscard]] ServiceFigure measure_one_task(const ServiceProcess& service, const ServiceBenchOptions& options);
/// Measures the processor time, in seconds, of a Cholesky factorization of data that lie in shared memory, client and
/// service together; then the processor time of taking the memory and filling it.
[[nodiscard]] std::vector<ServiceFigure> measure_cholesky(const ServiceProcess& service,
                                                          const ServiceBenchOptions& options);

}  // namespace troupe::bench
