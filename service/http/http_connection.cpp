#include "service/http/http_connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace troupe::service {

namespace {

using Clock = std::chrono::steady_clock;

/// How late a stopping server may be noticed.
constexpr std::chrono::milliseconds kGlance{50};

}  // namespace

LimitedStream::LimitedStream(socket_t socket, ConnectionLimits limits, const std::atomic<bool>& stopping)
    : socket_(socket), deadline_(Clock::now() + limits.time), stopping_(stopping), bytes_left_(limits.bytes) {}

bool LimitedStream::wait(short events) const {
  while (!stopping_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
    if (left.count() <= 0) return false;
    pollfd one{.fd = socket_, .events = events, .revents = 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::min(left, kGlance).count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

bool LimitedStream::is_readable() const { return at_ < end_ || wait(POLLIN); }
bool LimitedStream::is_writable() const { return wait(POLLOUT); }

ssize_t LimitedStream::read(char* ptr, size_t size) {
  if (at_ == end_) {
    const std::size_t most = std::min(buffer_.size(), bytes_left_);
    if (most == 0) return -1;
    ssize_t got = -1;
    do {
      if (!wait(POLLIN)) return -1;
      got = ::recv(socket_, buffer_.data(), most, MSG_DONTWAIT);
    } while (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK));
    if (got <= 0) return got;
    at_ = 0;
    end_ = static_cast<std::size_t>(got);
    bytes_left_ -= end_;
  }
  const std::size_t taken = std::min(size, end_ - at_);
  std::copy_n(buffer_.data() + at_, taken, ptr);
  at_ += taken;
  return static_cast<ssize_t>(taken);
}

ssize_t LimitedStream::write(const char* ptr, size_t size) {
  std::size_t sent = 0;
  while (sent < size) {
    if (!wait(POLLOUT)) return -1;
    const ssize_t now = ::send(socket_, ptr + sent, size - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (now >= 0) {
      sent += static_cast<std::size_t>(now);
    } else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
      return -1;
    }
  }
  return static_cast<ssize_t>(sent);
}

void LimitedStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}
void LimitedStream::get_local_ip_and_port(std::string& ip, int& port) const { get_remote_ip_and_port(ip, port); }

void LimitedStream::finish() {
  ::shutdown(socket_, SHUT_WR);
  deadline_ = std::min(deadline_, Clock::now() + std::chrono::milliseconds(500));
  while (wait(POLLIN)) {
    const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)) return;
  }
}

LimitedQueue::LimitedQueue(std::size_t threads, std::size_t most_waiting) : most_waiting_(most_waiting) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

void LimitedQueue::enqueue(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < most_waiting_) waiting_.push_back(std::exchange(job, nullptr));
  }
  if (job) {
    job();
  } else {
    changed_.notify_one();
  }
}

void LimitedQueue::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void LimitedQueue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    // Those that wait are closed by who runs them.
    if (waiting_.empty()) return;
    const auto job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

LimitedServer::LimitedServer(std::size_t threads, ConnectionLimits limits) : limits_(limits) {
  constexpr std::size_t kWaitingPerThread = 16;
  new_task_queue = [threads] { return new LimitedQueue(threads, threads * kWaitingPerThread); };
  // Unlike httplib's own choice: a port in use is an error, and not shared.
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    (void)::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  set_payload_max_length(limits.bytes);
}

void LimitedServer::serve() {
  listener_ = std::this_thread::get_id();
  listen_after_bind();
}

void LimitedServer::end() {
  stopping_ = true;
  stop();
}

bool LimitedServer::process_and_close_socket(socket_t socket) {
  bool processed = false;
  if (std::this_thread::get_id() != listener_.load() && !stopping_) {
    LimitedStream stream(socket, limits_, stopping_);
    bool closed = false;
    processed = process_request(stream, true, closed, nullptr);
    stream.finish();
  }
  ::close(socket);
  return processed;
}

}  // namespace troupe::service
