/// The server of the memory socket, where clients allocate shared memory.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "platform/files/file_descriptor.hpp"
#include "proto/mutex.hpp"
#include "service/budgets/user_budgets.hpp"
#include "service/memory/client_memory.hpp"

namespace troupe::service {

/// Serves each connection in a thread of its own, because allocating memory takes long. Thread-safe.
class MemoryServer {
 public:
  struct Limits {
    MemoryAccounts::Limits memory;
    /// The limit for segments of one client.
    std::size_t segments = 0;
    std::size_t connections_per_user = 0;
  };
  MemoryServer(const Limits& limits, std::shared_ptr<UserBudgets> budgets)
      : limits_(limits), budgets_(std::move(budgets)), accounts_(limits.memory) {}
  /// Ends all connections.
  ~MemoryServer();
  MemoryServer(const MemoryServer&) = delete;
  MemoryServer& operator=(const MemoryServer&) = delete;

  /// Takes the connection and serves it in a thread until the connection ends. If the connection is refused, leaves it
  /// to the caller and returns the reason.
  std::optional<std::string> serve(platform::FileDescriptor& connection, const Peer& peer);
  /// Returns the packet that a client gets if its connection is not served.
  [[nodiscard]] std::string packet_for_refused(std::string_view why) const;
  /// Returns the memory of the connection with this token; null if there is no such connection.
  [[nodiscard]] std::shared_ptr<ClientMemory> find(const Token& token) const;
  /// Refuses connections from now on.
  void drain();

 private:
  struct Connection {
    platform::FileDescriptor socket;
    Peer peer;
    /// The client's memory; null until the client has sent `hello`.
    std::shared_ptr<ClientMemory> memory = nullptr;
    std::thread thread;
    BudgetHold thread_hold;
  };
  using Place = std::list<Connection>::iterator;

  void run(Place connection);
  /// Answers one request. Returns false if the connection is to be closed.
  bool answer(Connection& connection, const wire::MemoryRequest& request);
  bool hello(Connection& connection, const wire::MemoryRequest& request, wire::MemoryReply& reply);
  /// Joins the threads of connections that have ended.
  void collect();

  const Limits limits_;
  const std::shared_ptr<UserBudgets> budgets_;
  MemoryAccounts accounts_;
  std::atomic<std::uint64_t> next_segment_{1};
  mutable Mutex mutex_;
  std::condition_variable all_ended_;
  bool draining_ TROUPE_GUARDED_BY(mutex_) = false;
  /// The open connections. The thread of a connection uses its element without the mutex.
  std::list<Connection> connections_ TROUPE_GUARDED_BY(mutex_);
  std::list<Connection> ended_ TROUPE_GUARDED_BY(mutex_);
  std::map<Token, std::shared_ptr<ClientMemory>> known_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::service
