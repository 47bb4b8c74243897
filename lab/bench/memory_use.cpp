#include "lab/bench/memory_use.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "lab/bench/runner.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

MemoryOptions memory_options(Parameters& parameters) {
  MemoryOptions options;
  options.in_flight = parameters.integer("in_flight", options.in_flight, 1);
  options.cores = cores_of(parameters);
  parameters.require_all_used();
  return options;
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  if (!(file >> total >> resident)) throw std::runtime_error("/proc/self/statm cannot be read");
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{1024} * usage.ru_maxrss;
}

Json measure_in_flight(const MemoryOptions& options, const std::function<void()>& submit) {
  const std::int64_t before = resident_bytes();
  submit();
  const auto grown = static_cast<double>(resident_bytes() - before);
  return {{"bytes_per_task", grown / static_cast<double>(options.in_flight)}, {"in_flight", options.in_flight}};
}

}  // namespace troupe::bench
