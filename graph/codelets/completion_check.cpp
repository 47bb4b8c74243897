#include "graph/codelets/completion_check.hpp"

#include <utility>

namespace troupe {

namespace graph {

namespace {
/// The object that collects the checks of the kernel that runs in this thread; if null, `check_at_completion` calls
/// each check at once.
thread_local CompletionChecks* collecting = nullptr;
}  // namespace

CompletionChecks::Scope::Scope(CompletionChecks& checks) : outer_(std::exchange(collecting, &checks)) {}

CompletionChecks::Scope::~Scope() { collecting = outer_; }

void CompletionChecks::run() {
  const std::vector<std::function<void()>> checks = std::exchange(checks_, {});
  for (const std::function<void()>& check : checks) check();
}

void count_time_from_here() {
  if (collecting != nullptr && collecting->count_from_here_) collecting->count_from_here_();
}

}  // namespace graph

void check_at_completion(std::function<void()> check) {
  if (graph::collecting != nullptr) {
    graph::collecting->checks_.push_back(std::move(check));
  } else {
    check();
  }
}

}  // namespace troupe
