#include "graph/data/measured_kernel.hpp"

#include "graph/data/domain.hpp"

namespace troupe::graph {

MeasuredKernel::MeasuredKernel(SubtreeTimes& times, const Task& task, Duration cutoff, bool may_call)
    : times_(times),
      task_(&task),
      of_(task.extras->subtree),
      cutoff_(cutoff),
      begin_(std::chrono::steady_clock::now()),
      outer_(std::exchange(innermost_, this)) {
  const Domain* const own = task.own_domain();
  if (!may_call || (own != nullptr && !own->weak.empty())) return;
  const auto known = times.find(of_);
  small_ = known && *known <= cutoff;
}

void MeasuredKernel::submitted(std::uint64_t of) {
  const auto known = of != 0 ? times_.find(of) : std::nullopt;
  if (known) {
    submitted_ += *known;
  } else {
    unknown_ = true;
  }
}

void MeasuredKernel::returned(Duration waited) {
  const Duration own = std::chrono::steady_clock::now() - begin_ - waited;
  if (small_) times_.note_small(of_, own > kSurprise * cutoff_);
  if (!unknown_) times_.note(of_, own + submitted_);
}

}  // namespace troupe::graph
