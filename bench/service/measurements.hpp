/// What a client of the service pays, beside the same program with a runtime of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/service/service_process.hpp"
#include "bench/statistics.hpp"

namespace troupe::bench {

struct ServiceBenchOptions {
  /// Path of `troupe`.
  std::string program = {};
  /// 0: all.
  int cores = 0;
  int rounds = 9;
  std::int64_t tasks = 1'000'000;
  /// Graphs of one task, and calls, per round.
  int calls = 300;
  /// The matrix that is factorized; 0: none.
  std::int64_t n = 8192;
  std::int64_t tile = 512;
};

/// One figure on the service and its counterpart, of pairs measured one after the other.
struct ServiceFigure {
  std::string name;
  std::string unit;
  Estimate service;
  /// What the counterpart is: "embedded", "empty call".
  std::string other_name;
  Estimate other;
  /// Service over counterpart, by pair.
  Estimate ratio;
  /// What is aimed at, in words.
  std::string target;
};

/// Empty tasks per second, submitted by one client without data.
[[nodiscard]] ServiceFigure measure_empty_tasks(const ServiceProcess& service, const ServiceBenchOptions& options);
/// From the submission of one task to the return of the wait for it, in seconds, beside an empty call of the protocol.
[[nodiscard]] ServiceFigure measure_one_task(const ServiceProcess& service, const ServiceBenchOptions& options);
/// Processor time of a Cholesky factorization of data that lie in shared memory, client and service together, in
/// seconds; then that of taking the memory and filling it.
[[nodiscard]] std::vector<ServiceFigure> measure_cholesky(const ServiceProcess& service,
                                                          const ServiceBenchOptions& options);

}  // namespace troupe::bench
