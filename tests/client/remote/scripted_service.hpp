/// A class that takes the place of the service in a client's session. The test decides which messages the class sends.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client/remote/connection/service_stream.hpp"
#include "client/remote/memory/memory_connection.hpp"

namespace troupe::tests {

/// Memory of this process that takes the place of shared memory. A test can see which segments are allocated.
class ScriptedMemory final : public remote::SegmentSource {
 public:
  /// The allocated segments, and the largest number of bytes that may be allocated.
  struct Account {
    std::mutex mutex;
    std::map<std::uint64_t, std::byte*> segments;
    std::uint64_t last = 0;
    std::uint64_t bytes = 0;
    std::uint64_t most_bytes = std::uint64_t{1} << 32U;
  };
  explicit ScriptedMemory(std::shared_ptr<Account> account) : account_(std::move(account)) {}

  Result<remote::Segment> allocate(Bytes size) override {
    const std::lock_guard lock(account_->mutex);
    const std::uint64_t whole = (size.count + 4095) / 4096 * 4096;
    if (account_->bytes + whole > account_->most_bytes) return Failure{ErrorCode::out_of_memory, "the limit"};
    void* data = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return Failure{ErrorCode::out_of_memory, "mmap"};
    account_->bytes += whole;
    account_->segments.emplace(++account_->last, static_cast<std::byte*>(data));
    return remote::Segment{account_->last, static_cast<std::byte*>(data), {whole}};
  }
  void release(const remote::Segment& segment) noexcept override {
    const std::lock_guard lock(account_->mutex);
    account_->bytes -= segment.size.count;
    account_->segments.erase(segment.id);
    ::munmap(segment.data, segment.size.count);
  }

 private:
  std::shared_ptr<Account> account_;
};

/// A service that counts the client's messages and sends the messages that the test chooses. The object must live as
/// long as the client.
class ScriptedService {
 public:
  using Say = std::function<void(const v1::Event&)>;
  /// Is called for each operation of the client, in the thread that writes the operation. The function may send events.
  std::function<void(const v1::Operation&, const Say&)> on_operation = nullptr;
  std::uint64_t most_tasks = 1000;

  /// Sends an event to the client that is not a reply. May be called from any thread.
  void say(const v1::Event& event) {
    v1::ServiceMessage message;
    *message.add_events() = event;
    const std::lock_guard lock(mutex_);
    out_.push_back(std::move(message));
    changed_.notify_all();
  }
  void say_ended(std::uint64_t first, std::uint64_t count) {
    v1::Event event;
    event.mutable_endings()->add_succeeded(first);
    event.mutable_endings()->add_succeeded(count);
    say(event);
  }
  void say_failed(std::uint64_t task, v1::Ended::Status status, const std::string& code, const std::string& message) {
    v1::Event event;
    v1::Ended& ended = *event.mutable_endings()->add_others();
    ended.set_task(task);
    ended.set_status(status);
    ended.mutable_problem()->set_code(code);
    ended.mutable_problem()->set_message(message);
    say(event);
  }
  void say_goodbye(const std::string& message) {
    v1::Event event;
    event.mutable_goodbye()->mutable_problem()->set_message(message);
    say(event);
  }
  /// Ends the session, as if the service had been killed.
  void die() {
    const std::lock_guard lock(mutex_);
    dead_ = true;
    changed_.notify_all();
  }
  /// Returns a lock. While the lock lives, the client cannot write.
  [[nodiscard]] std::unique_lock<std::mutex> hold_writes() { return std::unique_lock(write_mutex_); }

  [[nodiscard]] std::uint64_t messages() const { return messages_.load(); }
  /// Returns the number of tasks that the client has sent. Tasks that were only recorded do not count.
  [[nodiscard]] std::uint64_t tasks() const { return tasks_.load(); }
  [[nodiscard]] std::unique_ptr<remote::MessageStream> stream() { return std::make_unique<Stream>(*this); }

  /// Replies to requests with success, and does nothing else.
  void answer(const v1::Operation& operation, const Say& say_it) {
    const std::uint64_t request = request_of(operation);
    if (request == 0) return;
    v1::Event event;
    event.mutable_reply()->set_request(request);
    if (operation.has_end_recording()) event.mutable_reply()->set_count(recorded_);
    say_it(event);
  }
  /// Replies to requests with success, and ends all tasks with success.
  void end_tasks(const v1::Operation& operation, const Say& say_it) {
    v1::Event event;
    if (operation.has_tasks() && !recording_) {
      event.mutable_endings()->add_succeeded(operation.tasks().first());
      event.mutable_endings()->add_succeeded(static_cast<std::uint64_t>(operation.tasks().codelet_size()));
      say_it(event);
    }
    if (operation.has_replay()) {
      event.mutable_endings()->add_succeeded(operation.replay().task());
      event.mutable_endings()->add_succeeded(1);
      say_it(event);
    }
  }

 private:
  static std::uint64_t request_of(const v1::Operation& operation) {
    switch (operation.kind_case()) {
      case v1::Operation::kOpenCodelet: return operation.open_codelet().request();
      case v1::Operation::kPartition: return operation.partition().request();
      case v1::Operation::kSetReduction: return operation.set_reduction().request();
      case v1::Operation::kReleaseData: return operation.release_data().request();
      case v1::Operation::kEndRecording: return operation.end_recording().request();
      case v1::Operation::kAcquire: return operation.acquire().request();
      case v1::Operation::kWaitAll: return operation.wait_all().request();
      default: return 0;
    }
  }

  class Stream final : public remote::MessageStream {
   public:
    explicit Stream(ScriptedService& service) : service_(service) {}
    bool write(const v1::ClientMessage& message) override { return service_.hear(message); }
    bool read(v1::ServiceMessage& message) override {
      std::unique_lock lock(service_.mutex_);
      service_.changed_.wait(lock, [&] { return service_.dead_ || service_.finished_ || !service_.out_.empty(); });
      if (service_.dead_ || service_.out_.empty()) return false;
      message = std::move(service_.out_.front());
      service_.out_.pop_front();
      return true;
    }
    void finish() override {
      const std::lock_guard lock(service_.mutex_);
      service_.finished_ = true;
      service_.changed_.notify_all();
    }
    void abandon() override { service_.die(); }
    std::string why_ended() override { return "killed by the test"; }

   private:
    ScriptedService& service_;
  };

  bool hear(const v1::ClientMessage& message) {
    const std::lock_guard writing(write_mutex_);
    {
      const std::lock_guard lock(mutex_);
      if (dead_) return false;
    }
    ++messages_;
    for (const v1::Operation& operation : message.operations()) {
      if (operation.has_hello()) {
        v1::Event event;
        event.mutable_welcome()->set_session(7);
        event.mutable_welcome()->set_workers(3);
        event.mutable_welcome()->set_policy("ws");
        event.mutable_welcome()->set_most_tasks(most_tasks);
        say(event);
        continue;
      }
      if (operation.has_begin_recording()) {
        recording_ = true;
        recorded_ = 0;
      }
      if (operation.has_tasks()) {
        const auto count = static_cast<std::uint64_t>(operation.tasks().codelet_size());
        (recording_ ? recorded_ : tasks_) += count;
      }
      const Say say_it = [this](const v1::Event& event) { say(event); };
      if (on_operation) {
        on_operation(operation, say_it);
      } else {
        end_tasks(operation, say_it);
        answer(operation, say_it);
      }
      if (operation.has_end_recording()) recording_ = false;
    }
    return true;
  }

  std::mutex write_mutex_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<v1::ServiceMessage> out_;  // guarded by mutex_
  bool dead_ = false;                   // guarded by mutex_
  bool finished_ = false;               // guarded by mutex_
  std::atomic<std::uint64_t> messages_{0};
  std::atomic<std::uint64_t> tasks_{0};
  std::atomic<std::uint64_t> recorded_{0};
  std::atomic<bool> recording_{false};
};

}  // namespace troupe::tests
