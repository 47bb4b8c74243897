#include "platform/files/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include "platform/files/file_descriptor.hpp"
#include "platform/files/io_failure.hpp"

namespace troupe::platform {
namespace {

/// The two ends of a connection: `ours` is for this process, `theirs` for the child. Data flow in both directions.
struct Channel {
  FileDescriptor ours;
  FileDescriptor theirs;
};

/// Opens sockets instead of a pipe, so that writing to a program that has ended does not raise SIGPIPE in this process.
std::optional<Channel> open_channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return std::nullopt;
  Channel channel{FileDescriptor(ends[0]), {}};
  const FileDescriptor low(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  // The child gets copies of the ends `theirs` with the numbers 0 to 2. In this process, `theirs` must have a higher
  // number, even if this program was started with the descriptors 0 to 2 closed.
  channel.theirs = FileDescriptor(::fcntl(low.get(), F_DUPFD_CLOEXEC, 3));
  if (!channel.theirs.valid()) return std::nullopt;
  return channel;
}

/// The file actions of posix_spawn; the destructor frees them.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }

  void connect(const FileDescriptor& end, int number) {
    posix_spawn_file_actions_adddup2(&actions_, end.get(), number);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// A child process. The destructor kills a child that still runs and waits for it, so that no zombie is left.
class Child {
 public:
  Result<void> start(const std::vector<std::string>& arguments) {
    std::array<std::optional<Channel>, 3> channels{open_channel(), open_channel(), open_channel()};
    FileActions actions;
    for (std::size_t i = 0; i < channels.size(); ++i) {
      if (!channels[i]) return io_failure("start", arguments[0], errno);
      actions.connect(channels[i]->theirs, static_cast<int>(i));
      ends_[i] = std::move(channels[i]->ours);
    }
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (const auto& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    const int error = ::posix_spawnp(&pid_, pointers[0], actions.get(), nullptr, pointers.data(), environ);
    if (error == 0) return {};
    pid_ = -1;
    return io_failure("start", arguments[0], error);
  }

  ~Child() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }

  /// Writes `input` to the child and reads its output, until the child has closed its outputs. Returns false if the
  /// deadline passes first.
  bool exchange(std::string_view input, ChildOutput& output, std::chrono::steady_clock::time_point deadline) {
    while (ends_[1].valid() || ends_[2].valid()) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
      if (left <= 0) return false;
      if (ends_[0].valid() && input.empty()) ends_[0].reset();
      std::array<pollfd, 3> polled{
          {{ends_[0].get(), POLLOUT, 0}, {ends_[1].get(), POLLIN, 0}, {ends_[2].get(), POLLIN, 0}}};
      if (::poll(polled.data(), polled.size(), static_cast<int>(left)) <= 0) continue;
      if (polled[0].revents != 0) feed(input);
      if (polled[1].revents != 0) drain(ends_[1], output.output);
      if (polled[2].revents != 0) drain(ends_[2], output.errors);
    }
    return true;
  }

  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  void feed(std::string_view& input) {
    const auto sent = ::send(ends_[0].get(), input.data(), input.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      input.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN && errno != EINTR) {
      ends_[0].reset();  // The child has stopped reading, which is no failure.
    }
  }

  static void drain(FileDescriptor& end, std::string& text) {
    std::array<char, 65536> buffer;  // NOLINT: filled by read
    const auto received = ::read(end.get(), buffer.data(), buffer.size());
    if (received > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(received));
    } else if (received == 0 || (errno != EAGAIN && errno != EINTR)) {
      end.reset();
    }
  }

  pid_t pid_ = -1;
  /// This process's ends of the child's standard input, output and error streams.
  std::array<FileDescriptor, 3> ends_;
};

}  // namespace

Result<ChildOutput> run_child(const std::vector<std::string>& arguments, std::string_view input,
                              std::chrono::seconds limit) {
  Child child;
  if (auto started = child.start(arguments); !started) return started.failure();
  ChildOutput output;
  if (!child.exchange(input, output, std::chrono::steady_clock::now() + limit)) {
    return Failure{ErrorCode::io,
                   fmt::format("'{}' was still running after {} s and was ended", arguments[0], limit.count())};
  }
  output.exit_status = child.wait();
  return output;
}

}  // namespace troupe::platform
