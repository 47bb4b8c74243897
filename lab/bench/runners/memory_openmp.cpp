#include "lab/bench/runners/cases.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

Json memory(Parameters& /*parameters*/) {
  throw Unsupported("libgomp lets at most 64 tasks per thread be in flight, then it makes the program wait");
}

}  // namespace troupe::bench
