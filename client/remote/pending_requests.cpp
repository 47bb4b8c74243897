#include "client/remote/pending_requests.hpp"

#include <utility>

namespace troupe::remote {

std::uint64_t PendingRequests::begin(Waiting& waiting) { return add({&waiting, nullptr}); }

std::uint64_t PendingRequests::begin(std::function<void(const Answer&)> then) {
  return add({nullptr, std::move(then)});
}

std::uint64_t PendingRequests::add(Request request) {
  const LockGuard lock(mutex_);
  if (lost_ != nullptr) {
    if (request.waiting != nullptr) {
      loss_told_ = true;
      give(request, *lost_);
    }
    return 0;
  }
  requests_.emplace(++last_, std::move(request));
  return last_;
}

void PendingRequests::give(Request& request, Answer answer) {
  if (request.waiting == nullptr) {
    request.then(answer);
    return;
  }
  request.waiting->answer_ = std::move(answer);
  request.waiting->waiter_.signal();
}

void PendingRequests::answer(std::uint64_t request, Answer answer) {
  Request found;
  {
    const LockGuard lock(mutex_);
    const auto place = requests_.find(request);
    if (place == requests_.end()) return;
    found = std::move(place->second);
    requests_.erase(place);
  }
  give(found, std::move(answer));
}

void PendingRequests::lose(const Failure& cause) {
  std::map<std::uint64_t, Request> requests;
  {
    const LockGuard lock(mutex_);
    if (lost_ != nullptr) return;
    lost_ = std::make_unique<const Failure>(cause);
    requests.swap(requests_);
    for (const auto& [number, request] : requests) loss_told_ = loss_told_ || request.waiting != nullptr;
  }
  for (auto& [number, request] : requests) give(request, cause);
}

}  // namespace troupe::remote
