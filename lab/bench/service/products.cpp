#include "lab/bench/service/products.hpp"

#include <array>

#include "kernels/codelets.hpp"
#include "kernels/element_codelets.hpp"

namespace troupe::bench {

Products::Products(Runtime& runtime, std::int64_t order, int independent) : runtime_(runtime) {
  for (int i = 0; i < 3 * independent; ++i) {
    blocks_.push_back(runtime.allocate_matrix<double>(order, order));
    runtime.submit(kernels::element_codelets<double>().fill, {blocks_.back()}, args(1e-3));
  }
  runtime.wait();
}

std::int64_t Products::run_until(std::chrono::steady_clock::time_point until) {
  std::array<Future, 64> in_flight;
  std::size_t submitted = 0;
  for (; std::chrono::steady_clock::now() < until; ++submitted) {
    const std::size_t first = 3 * submitted % blocks_.size();
    Future& slot = in_flight.at(submitted % in_flight.size());
    if (slot.valid()) slot.wait();
    slot = runtime_.submit(kernels::codelets<double>().gemm_nt,
                           {blocks_[first], blocks_[first + 1], blocks_[first + 2]}, args(std::int64_t{0}));
  }
  return static_cast<std::int64_t>(submitted);
}

}  // namespace troupe::bench
