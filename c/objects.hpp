/// The objects behind the C interface's pointers.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "c/guard.hpp"
#include "c/handle_slots.hpp"
#include "c/runtime_state.hpp"
#include "troupe/codelet.hpp"
#include "troupe/kernel_context.hpp"
#include "troupe/report.hpp"
#include "troupe/trace.hpp"
#include "troupe/troupe.h"

struct troupe_runtime {
  std::shared_ptr<troupe::c::RuntimeState> state;
};
struct troupe_data {
  std::weak_ptr<troupe::c::RuntimeState> state;
  troupe_handle handle;
};
struct troupe_codelet {
  troupe::Codelet codelet;
  /// The object that is passed to the codelet's functions.
  std::shared_ptr<void> user = {};
  /// The types of the arguments by value. Tasks share them, because the codelet may be freed before its tasks run.
  std::shared_ptr<const std::vector<troupe_type>> arguments = std::make_shared<std::vector<troupe_type>>();
  /// True for a codelet that comes with Troupe; the whole process shares such a codelet.
  bool built_in = false;
  mutable std::atomic<bool> submitted{false};
};
struct troupe_trace {
  troupe::Trace trace;
  troupe::RunReport report;
};
struct troupe_kernel_context {
  const troupe::KernelContext& context;
  /// The types of the arguments by value.
  std::span<const troupe_type> arguments = {};
  /// The text that the kernel passed to `troupe_kernel_fail`; mutable, because kernels get a constant context.
  mutable std::optional<std::string> failure = {};
};

namespace troupe::c {

/// Returns the runtime that a call of the C interface names; the returned pointer keeps the runtime alive. Calls that
/// give the runtime data or tasks use `GivingCall` instead.
inline std::shared_ptr<RuntimeState> state_of(const troupe_runtime* runtime) {
  require(runtime, "runtime");
  return runtime->state;
}

/// A dependent object that owns a `Content`. The content is destroyed with the runtime if the runtime ends first.
template <class Content>
class DependentOf final : public Dependent {
 public:
  DependentOf(Content content, bool first)
      : Dependent(first), content_(std::make_shared<Content>(std::move(content))) {}
  /// Returns the content for the duration of one call; the caller must keep the runtime alive until it has released the
  /// content. Throws `stopped` if the content has ended.
  [[nodiscard]] std::shared_ptr<Content> get() {
    const LockGuard lock(mutex_);
    if (content_ == nullptr) throw Error(ErrorCode::stopped, "the runtime of this object has been freed");
    return content_;
  }

 private:
  void do_end() noexcept override {
    std::shared_ptr<Content> last;
    const LockGuard lock(mutex_);
    last.swap(content_);
  }

  Mutex mutex_;
  std::shared_ptr<Content> content_ TROUPE_GUARDED_BY(mutex_);
};

/// The base of the C interface's objects that depend on a runtime.
template <class Content>
struct Standing {
  static std::shared_ptr<DependentOf<Content>> on(RuntimeState& state, Content content, bool first = false) {
    auto made = std::make_shared<DependentOf<Content>>(std::move(content), first);
    state.add(made);
    return made;
  }
  Standing(const std::shared_ptr<RuntimeState>& runtime, std::shared_ptr<DependentOf<Content>> dependent)
      : state(runtime), content(std::move(dependent)) {}
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;
  ~Standing() {
    // The content must end while the runtime exists. If the runtime closes first, the runtime ends the content.
    const auto runtime = state.lock();
    content->end();
    if (runtime) runtime->remove(content);
  }

  std::weak_ptr<RuntimeState> state;
  std::shared_ptr<DependentOf<Content>> content;
};

}  // namespace troupe::c

/// A hold has its access behind a pointer, because a moved access counts as handed on to another thread: a thread that
/// waits for its own hold would then get no error.
struct troupe_hold : troupe::c::Standing<std::unique_ptr<troupe::HostAccess>> {
  using Standing::Standing;
};
struct troupe_recording : troupe::c::Standing<troupe::RecordedGraph> {
  using Standing::Standing;
};
