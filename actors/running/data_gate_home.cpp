/// Copies data "home" (back to host memory) before the program uses the data.
#include <fmt/format.h>

#include <algorithm>

#include "actors/running/data_gate.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/data/working_set.hpp"

namespace troupe::actors {

namespace {

/// The largest number of handles that are brought home in one wait. Between two waits, other threads can copy data.
constexpr std::size_t kHomeAtOnce = 64;

}  // namespace

Result<void> DataGate::bring_home(const graph::DataRecord& data, AccessMode mode, const std::function<bool()>& pump) {
  if (!memories_.holds_data()) return {};
  std::vector<memory::Use> uses;
  data.visit_tree([&](const graph::DataRecord& part) {
    if (part.covered) return;
    setup_.views.know(part);
    uses.push_back({part.handle_id(), mode, part.view.layout.payload()});
  });
  Result<void> home = bring_home(uses, pump);
  if (home) return home;
  // At least one part could not be brought home. Now the parts are brought one by one, so that all other parts are
  // brought home.
  for (const memory::Use& use : uses) {
    if (uses.size() > 1) (void)bring_home({&use, 1}, pump);
  }
  return Failure{home.failure().code,
                 graph::describe(data) + " could not be brought to host memory: " + home.failure().message};
}

Result<void> DataGate::bring_home(std::span<const memory::Use> uses, const std::function<bool()>& pump) {
  const memory::RequestId request = reserve_home_requests(1);
  post_and_handle({.kind = memory::MemoryEvent::Kind::acquire,
                   .node = memory::kHost,
                   .request = request,
                   .uses = {uses.begin(), uses.end()}});
  Result<void> home = wait_for_home(request, pump);
  // A refused request does not exist any more, so only a granted request is released.
  if (home) post_release(request);
  return home;
}

memory::RequestId DataGate::reserve_home_requests(std::uint64_t count) {
  const LockGuard lock(mutex_);
  const std::uint64_t first = home_requests_ + 1;
  home_requests_ += count;
  return memory::RequestId(kFirstHomeRequest | first);
}

Result<void> DataGate::bring_all_home(const graph::TaskOwner& graph, const std::function<bool()>& pump) {
  if (!memories_.holds_data()) return {};
  const auto away = memory_->with_core(
      [](const memory::MemoryCore& core) { return std::vector<HandleId>(core.away().begin(), core.away().end()); });
  const std::vector<memory::Use> uses = setup_.views.in_sight(away, graph);
  std::optional<Failure> first_failure;
  std::size_t failures = 0;
  for (std::size_t begin = 0; begin < uses.size(); begin += kHomeAtOnce) {
    const std::size_t count = std::min(kHomeAtOnce, uses.size() - begin);
    const memory::RequestId first = reserve_home_requests(count);
    const auto some = uses.begin() + static_cast<std::ptrdiff_t>(begin);
    post_and_handle({.kind = memory::MemoryEvent::Kind::bring_home,
                     .request = first,
                     .uses = {some, some + static_cast<std::ptrdiff_t>(count)}});
    for (std::uint64_t i = 0; i < count; ++i) {
      const Result<void> home = wait_for_home(memory::RequestId(first.value() + i), pump);
      if (home) continue;
      if (failures++ == 0) first_failure = home.failure();
    }
  }
  if (!first_failure) return {};
  const std::string more = failures > 1 ? fmt::format(", and so with {} others", failures - 1) : "";
  return Failure{first_failure->code,
                 fmt::format("data could not be brought to host memory: {}{}", first_failure->message, more)};
}

void DataGate::answer_home(memory::RequestId request, Result<void> answer) {
  const LockGuard lock(mutex_);
  home_.emplace(request, std::move(answer));
  home_answered_.notify_all();
}

Result<void> DataGate::wait_for_home(memory::RequestId request, const std::function<bool()>& pump) {
  UniqueLock lock(mutex_);
  while (true) {
    if (auto answer = home_.extract(request); !answer.empty()) return std::move(answer.mapped());
    if (has_threads_) {
      home_answered_.wait(lock);
      continue;
    }
    lock.unlock();
    if (!pump()) {
      // The request must not keep the data from others.
      post_release(request);
      return Failure{ErrorCode::transfer_failed, "nothing is left that could bring them"};
    }
    lock.lock();
  }
}

}  // namespace troupe::actors
