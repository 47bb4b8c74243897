#include "client/environment/warnings.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "proto/mutex.hpp"

namespace troupe::client {

namespace {

/// The backends that are never destroyed. This list is not destroyed either: the backends stay reachable, so leak
/// checkers do not report them.
struct LeftBackends {
  Mutex mutex;
  std::vector<std::shared_ptr<Backend>> all TROUPE_GUARDED_BY(mutex);
};

void keep_for_good(std::shared_ptr<Backend> backend) {
  static auto* const left = new LeftBackends;
  const LockGuard lock(left->mutex);
  left->all.push_back(std::move(backend));
}

}  // namespace

Warn warner(const std::function<void(const std::string&)>& told) {
  return [told](const std::string& what) {
    try {
      if (told) return told(what);
    } catch (...) {
      return;
    }
    fmt::print(stderr, "troupe: warning: {}\n", what);
  };
}

void warn_of_untold(const graph::FailureLog& failures, const Warn& warn) {
  if (const auto untold = failures.untold()) {
    warn(
        fmt::format("a runtime ended, and the program had not asked what became of its tasks (Runtime::wait says it; "
                    "troupe_wait in C): {}",
                    untold->message));
  }
}

bool leave_if_it_cannot_end(const std::shared_ptr<Backend>& backend) {
  const Backend::End end = backend->end_here();
  if (end == Backend::End::ends) return false;
  if (end == Backend::End::inside_of_task && backend->warn()) {
    backend->warn()(
        "a kernel or callback ended the runtime that runs it (by exit, or by destroying it), which would wait for it "
        "for "
        "ever: the runtime is left as it is, and some of its tasks may never run");
  }
  keep_for_good(backend);
  return true;
}

}  // namespace troupe::client
