/// The thread that takes connections.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "platform/files/file_descriptor.hpp"
#include "proto/errors.hpp"
#include "service/configuration/event_log.hpp"
#include "service/connections/peer.hpp"

namespace troupe::service {

class Acceptor {
 public:
  /// Gets the connections of admitted peers to one socket: non-blocking, closed at exec.
  using Handler = std::function<void(platform::FileDescriptor, const Peer&)>;
  struct Place {
    platform::FileDescriptor socket;
    Handler handler;
  };

  /// Handlers are called by the acceptor's thread, one at a time. `log` may be empty.
  static Result<std::unique_ptr<Acceptor>> start(std::vector<Place> places, const AccessRule& rule, LogSink log);
  /// Takes no more; when it returns, no handler is running.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  Acceptor(std::vector<Place> places, const AccessRule& rule, LogSink log, platform::FileDescriptor stop);
  void run();
  /// Takes what waits at one place. False: the process has no room for more now.
  bool accept(const Place& place);
  void admit(const Place& place, platform::FileDescriptor connection);

  std::vector<Place> places_;
  const AccessRule rule_;
  const LogSink log_;
  platform::FileDescriptor stop_;
  std::thread thread_;
};

}  // namespace troupe::service
