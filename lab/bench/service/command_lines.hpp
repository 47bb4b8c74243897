/// The command lines of the two programs of this folder. Each function is the whole work of its program, and returns
/// the exit code.
#pragma once

namespace troupe::bench {

/// `troupe-service-bench`: compares the service's costs with those of a runtime inside the program.
int run_service_bench(int argc, const char* const* argv);
/// `troupe-service-attacks`: measures the speed that one user gets from a service while another user attacks it.
int run_service_attacks(int argc, const char* const* argv);

}  // namespace troupe::bench
