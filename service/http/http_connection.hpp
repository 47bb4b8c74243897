/// The part of an HTTP server that unknown programs can reach: bounded in time, memory and threads, whatever they send.
/// Internal to the HTTP server: brings in httplib.
#pragma once

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace troupe::service {

/// What one connection may take.
struct ConnectionLimits {
  /// For the whole of request and answer, however they trickle.
  std::chrono::milliseconds time{5000};
  /// That a client may send.
  std::size_t bytes = std::size_t{32} << 10U;
};

/// A client's socket, which the caller closes.
class LimitedStream final : public httplib::Stream {
 public:
  LimitedStream(socket_t socket, ConnectionLimits limits, const std::atomic<bool>& stopping);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* ptr, size_t size) override;
  ssize_t write(const char* ptr, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

  /// Says that nothing follows, and waits a moment for the client to have read it: closing at once would take back what
  /// it has not read yet, if it is still sending.
  void finish();

 private:
  /// Until the socket is ready for `events`, the time is up, or the server stops.
  [[nodiscard]] bool wait(short events) const;

  socket_t socket_;
  std::chrono::steady_clock::time_point deadline_;
  const std::atomic<bool>& stopping_;
  std::size_t bytes_left_;
  std::array<char, 4096> buffer_{};
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

/// So many threads, and so many connections that wait for one of them; beyond that, the listening thread runs them
/// itself, which `LimitedServer` understands.
class LimitedQueue final : public httplib::TaskQueue {
 public:
  LimitedQueue(std::size_t threads, std::size_t most_waiting);
  void enqueue(std::function<void()> job) override;
  void shutdown() override;

 private:
  void run();

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::deque<std::function<void()>> waiting_;
  bool stop_ = false;

  std::vector<std::thread> threads_;
};

/// One request a connection. Where all threads are taken and enough connections wait, further ones are closed at once.
class LimitedServer final : public httplib::Server {
 public:
  LimitedServer(std::size_t threads, ConnectionLimits limits);

  /// Accepts connections until `end`, which another thread calls. After `bind_to_port` or `bind_to_any_port`.
  void serve();
  /// Does not wait for `serve` to return; connections end early.
  void end();

 private:
  bool process_and_close_socket(socket_t socket) override;

  const ConnectionLimits limits_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::thread::id> listener_{};
};

}  // namespace troupe::service
