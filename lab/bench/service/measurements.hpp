/// Measures the costs of a client of the service, compared with the same program with an embedded runtime.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/bench/service/service_process.hpp"
#include "lab/bench/statistics.hpp"

namespace troupe::bench {

struct ServiceBenchOptions {
  /// The path of the program `troupe`.
  std::string program = {};
  /// The number of cores; 0 stands for all.
  int cores = 0;
  int rounds = 9;
  std::int64_t tasks = 1'000'000;
  /// The number of graphs with one task, and of empty calls, per round.
  int calls = 300;
  /// The order of the matrix to factorize; with 0 no matrix is factorized.
  std::int64_t n = 8192;
  std::int64_t tile = 512;
};

/// One figure of the service and the same figure of its counterpart. Both are measured in turn, in pairs.
struct ServiceFigure {
  std::string name;
  std::string unit;
  Estimate service;
  /// The counterpart: "embedded" or "empty call".
  std::string other_name;
  Estimate other;
  /// The service's figure divided by the counterpart's, from pairs.
  Estimate ratio;
  /// The target, in words.
  std::string target;
};

/// Measures empty tasks per second. One client submits the tasks; they have no data.
[[nodiscard]] ServiceFigure measure_empty_tasks(const ServiceProcess& service, const ServiceBenchOptions& options);
/// Measures the seconds from the submission of one task to the end of the wait for it, compared with an empty call of
/// the protocol.
[[nodiscard]] ServiceFigure measure_one_task(const ServiceProcess& service, const ServiceBenchOptions& options);
/// Measures the processor time, in seconds, of client and service together: first for a Cholesky factorization of data
/// in shared memory, then for allocating this memory and filling it.
[[nodiscard]] std::vector<ServiceFigure> measure_cholesky(const ServiceProcess& service,
                                                          const ServiceBenchOptions& options);

}  // namespace troupe::bench
