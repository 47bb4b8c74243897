#include "service/server.hpp"

#include <fmt/format.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "client/remote/connection/protocol_version.hpp"
#include "platform/machine/host_memory.hpp"
#include "proto/mutex.hpp"
#include "service/connections/acceptor.hpp"
#include "service/connections/connection_table.hpp"
#include "service/connections/inherited_sockets.hpp"
#include "service/connections/socket_folder.hpp"
#include "service/descriptor_reserve.hpp"
#include "service/desk.hpp"
#include "service/memory/memory_server.hpp"
#include "service/rpc_service.hpp"
#include "service/sessions/session_registry.hpp"
#include "service/views/visible_view.hpp"

namespace troupe::service {
namespace {

constexpr int kLargestMessage = 16 << 20;
constexpr int kCallsPerConnection = 64;
/// The processor time that one user's sessions may use at once after a pause.
constexpr Duration kSessionsAtOnce = std::chrono::milliseconds(100);

/// The least time between two connections of one user to each socket. The calls of the first connection can then be
/// counted before the second connection is read.
constexpr std::chrono::milliseconds kBetweenConnections{4};

/// Prepares gRPC: keeps it from printing clients' mistakes, which the service reports in other ways.
void prepare_libraries() {
  // gRPC is never shut down, because after the destruction of its last object it takes up to ten seconds to end its
  // threads.
  static const bool stays = (grpc_init(), true);
  static_cast<void>(stays);
  gpr_set_log_function([](gpr_log_func_args*) {});
}

}  // namespace

class Server::Implementation final : public RpcHost {
 public:
  Implementation(const ServerOptions& options, const CodeletSource& codelets, const Server& server)
      : options_(options), codelets_(codelets), server_(server) {}
  ~Implementation() override;

  Result<void> start();
  void drain();
  void cancel();
  [[nodiscard]] ServiceView look_at_all() const;
  [[nodiscard]] std::optional<WhyReport> why_of(std::optional<std::uint64_t> session) const;

  // These functions implement `RpcHost`.
  [[nodiscard]] v1::StatusReply status() const override;
  [[nodiscard]] std::vector<SessionView> jobs(const Peer& peer, bool all) const override;
  Result<std::uint64_t> cancel(const Peer& peer, std::uint64_t session) override;
  [[nodiscard]] Result<v1::WhyReply> why(const Peer& peer, std::uint64_t session) const override;
  [[nodiscard]] Result<std::string> metrics(const Peer& peer) const override;
  [[nodiscard]] Result<std::string> look(const Peer& peer) const override;

  [[nodiscard]] SessionRegistry& sessions() const { return *sessions_; }
  [[nodiscard]] const std::string& folder() const { return folder_path_; }
  void set_http_address(std::string address);

 private:
  /// Returns the number of cores that one user's sessions may use while there are other users.
  [[nodiscard]] double cores_of_sessions() const {
    constexpr double kPart = 0.125;
    return kPart * static_cast<double>(std::max<std::size_t>(system_->workers(), 1));
  }
  Result<ListeningSockets> listen();
  Result<void> accept(ListeningSockets sockets);
  [[nodiscard]] VisibleView visible_to(const Peer& peer) const;
  /// Returns the most connections that a user may have if a new connection has the descriptor `newest`. The last free
  /// descriptors are for users who have very few, and for administrators, who inspect and cancel sessions.
  [[nodiscard]] std::size_t most_connections(int newest, const Peer& peer) const {
    constexpr std::size_t kWhereScarce = 2;
    if (!descriptors_are_scarce(newest) || rule_.administers(peer.user)) return options_.connections_per_user;
    return std::min(kWhereScarce, options_.connections_per_user);
  }
  [[nodiscard]] bool may_see(const Peer& peer, std::uint32_t user) const {
    return peer.user == user || rule_.administers(peer.user);
  }

  ServerOptions options_;
  const CodeletSource& codelets_;
  const Server& server_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  AccessRule rule_;
  std::string folder_path_;
  mutable Mutex mutex_;
  std::string http_address_ TROUPE_GUARDED_BY(mutex_);

  // The order matters: each member uses members above it, and is destroyed before them.
  std::optional<SocketFolder> folder_;
  std::unique_ptr<actors::RuntimeSystem> system_;
  ConnectionTable connections_;
  RefusedTasks refused_;
  std::shared_ptr<UserBudgets> budgets_;
  std::unique_ptr<MemoryServer> memory_;
  std::unique_ptr<SessionRegistry> sessions_;
  std::unique_ptr<Desk> desk_;
  std::unique_ptr<RpcService> rpc_;
  std::unique_ptr<UnknownCalls> unknown_calls_;
  std::unique_ptr<grpc::Server> grpc_;
  std::unique_ptr<Acceptor> acceptor_;
};

Server::Implementation::~Implementation() {
  acceptor_.reset();
  // Sessions end their calls themselves, except sessions whose thread has not been started.
  if (sessions_) {
    sessions_->cancel();
    while (!sessions_->wait_until_empty(std::chrono::hours(1))) {
    }
  }
  if (grpc_) grpc_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  grpc_.reset();
}

Result<ListeningSockets> Server::Implementation::listen() {
  if (options_.inherit_sockets) {
    auto inherited = inherited_sockets(take_inherited_variables());
    if (!inherited) return inherited.failure();
    if (inherited.value()) return std::move(*inherited.value());
  }
  folder_path_ = options_.folder;
  if (folder_path_.empty()) {
    auto folder = default_socket_folder();
    if (!folder) return folder.failure();
    folder_path_ = std::move(folder).value();
  }
  auto folder = SocketFolder::open(folder_path_, rule_.group);
  if (!folder) return folder.failure();
  folder_.emplace(std::move(folder).value());
  ListeningSockets sockets;
  auto service = folder_->listen(std::string(wire::kServiceSocket), SOCK_STREAM);
  if (!service) return service.failure();
  sockets.service = std::move(service).value();
  auto memory = folder_->listen(std::string(wire::kMemorySocket), SOCK_SEQPACKET);
  if (!memory) return memory.failure();
  sockets.memory = std::move(memory).value();
  return sockets;
}

Result<void> Server::Implementation::start() {
  prepare_libraries();
  rule_.owner = ::geteuid();
  if (!options_.group.empty()) {
    const auto group = find_group(options_.group);
    if (!group) return group.failure();
    rule_.group = group.value();
  }
  auto sockets = listen();
  if (!sockets) return sockets.failure();
  options_.runtime.threads.shared = true;
  auto system = actors::RuntimeSystem::start(options_.runtime);
  if (!system) return system.failure();
  system_ = std::move(system).value();
  const auto memory = possible_limits(platform::read_host_memory().total,
                                      options_.limits.memory_per_user.value_or(Bytes{}), options_.limits.memory);
  options_.limits.memory = memory.client;
  budgets_ = std::make_shared<UserBudgets>(amounts_of_system(), options_.budgets_per_user);
  memory_ = std::make_unique<MemoryServer>(
      MemoryServer::Limits{memory, options_.limits.segments, options_.connections_per_user}, budgets_);
  sessions_ =
      std::make_unique<SessionRegistry>(SessionHost{*system_, codelets_, *memory_, refused_, options_, budgets_,
                                                    std::make_shared<UserTime>(cores_of_sessions(), kSessionsAtOnce)});
  desk_ = std::make_unique<Desk>();
  rpc_ = std::make_unique<RpcService>(*this, *sessions_, connections_, *desk_,
                                      UserCalls::Limits{.per_second = static_cast<double>(options_.calls_per_second),
                                                        .unread = options_.unread_answers});
  unknown_calls_ = std::make_unique<UnknownCalls>(*rpc_);
  grpc::ServerBuilder builder;
  builder.RegisterService(rpc_.get());
  builder.RegisterCallbackGenericService(unknown_calls_.get());
  builder.SetMaxReceiveMessageSize(kLargestMessage);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kCallsPerConnection);
  grpc_ = builder.BuildAndStart();
  if (!grpc_) return Failure{ErrorCode::platform, "gRPC's server could not be started"};
  return accept(std::move(sockets).value());
}

Result<void> Server::Implementation::accept(ListeningSockets sockets) {
  const auto serve = [this](platform::FileDescriptor& connection, const Peer& peer) -> std::optional<std::string> {
    const std::size_t most = most_connections(connection.get(), peer);
    if (!connections_.add(connection.get(), peer, most)) {
      return fmt::format(
          "user {} has {} connections to the service, and may have no more (limits.connections_per_user, or the "
          "service has few descriptors left, ulimit -n): end some",
          peer.user, most);
    }
    const int socket = connection.release();
    grpc::AddInsecureChannelFromFd(grpc_.get(), socket);
    return std::nullopt;
  };
  const auto share = [this](platform::FileDescriptor& connection, const Peer& peer) {
    return memory_->serve(connection, peer);
  };
  std::vector<Acceptor::Place> places;
  places.push_back({std::move(sockets.service), serve, &goodbye_for_grpc,
                    [this](std::uint32_t user, auto now) { return rpc_->ready_at(user, now); }});
  places.push_back({std::move(sockets.memory), share,
                    [this](std::string_view reason) { return memory_->packet_for_refused(reason); }, nullptr});
  ConnectionGate::Limits limits{.per_second = static_cast<double>(options_.connections_per_second)};
  // A burst is allowed, because programs often start in large numbers at once.
  limits.burst = 4 * limits.per_second;
  limits.gap = kBetweenConnections;
  auto acceptor = Acceptor::start(std::move(places), rule_, limits, options_.log);
  if (!acceptor) return acceptor.failure();
  acceptor_ = std::move(acceptor).value();
  return {};
}

void Server::Implementation::drain() {
  memory_->drain();
  sessions_->drain();
}

void Server::Implementation::cancel() {
  memory_->drain();
  sessions_->cancel();
}

ServiceView Server::Implementation::look_at_all() const {
  ServiceView view;
  view.version = TROUPE_VERSION;
  view.process = ::getpid();
  view.age = std::chrono::steady_clock::now() - began_;
  view.state = sessions_->draining() ? "draining" : "serving";
  view.runtime = system_->look();
  view.sessions = sessions_->look();
  return view;
}

std::optional<WhyReport> Server::Implementation::why_of(std::optional<std::uint64_t> session) const {
  if (session) {
    const auto found = sessions_->find(*session);
    return found ? found->why() : std::nullopt;
  }
  return VisibleView(server_, [](std::uint32_t) { return true; }).why(std::nullopt);
}

v1::StatusReply Server::Implementation::status() const {
  v1::StatusReply reply;
  reply.set_version(TROUPE_VERSION);
  reply.set_protocol_version(remote::kProtocolVersion);
  reply.set_process(::getpid());
  reply.set_uptime_s(seconds(std::chrono::steady_clock::now() - began_));
  reply.set_policy(system_->policy());
  reply.set_workers(static_cast<std::uint32_t>(system_->workers()));
  reply.set_sessions(static_cast<std::uint32_t>(sessions_->look().size()));
  reply.set_state(sessions_->draining() ? "draining" : "serving");
  const LockGuard lock(mutex_);
  reply.set_http_address(http_address_);
  return reply;
}

std::vector<SessionView> Server::Implementation::jobs(const Peer& peer, bool all) const {
  std::vector<SessionView> views;
  if (all) views = sessions_->ended();
  for (SessionView& view : sessions_->look()) views.push_back(std::move(view));
  std::erase_if(views, [&](const SessionView& view) { return !may_see(peer, view.user); });
  return views;
}

Result<std::uint64_t> Server::Implementation::cancel(const Peer& peer, std::uint64_t session) {
  const auto found = sessions_->find(session);
  if (!found || !may_see(peer, found->peer().user)) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("there is no session {} of yours that runs: 'troupe jobs' lists them", session)};
  }
  const std::uint64_t tasks =
      found->cancel({ErrorCode::cancelled, fmt::format("the session was cancelled by user {}", peer.user)});
  if (options_.log) {
    const std::array fields{LogField{"session", std::to_string(session)},
                            LogField{"user", std::to_string(found->peer().user)},
                            LogField{"by", std::to_string(peer.user)}, LogField{"tasks", std::to_string(tasks)}};
    options_.log(LogLevel::info, "session cancelled", fields);
  }
  return tasks;
}

VisibleView Server::Implementation::visible_to(const Peer& peer) const {
  return VisibleView(server_, [this, peer](std::uint32_t user) { return may_see(peer, user); });
}

Result<v1::WhyReply> Server::Implementation::why(const Peer& peer, std::uint64_t session) const {
  const VisibleView visible = visible_to(peer);
  const auto report = session == 0 ? visible.why(std::nullopt) : visible.why(session);
  if (!report) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("there is no session {} of yours that runs: 'troupe jobs' lists them", session)};
  }
  v1::WhyReply reply;
  reply.set_text(report->to_text());
  reply.set_json(report->to_json());
  return reply;
}

Result<std::string> Server::Implementation::metrics(const Peer& peer) const {
  if (options_.metrics_text) return options_.metrics_text(visible_to(peer));
  return Failure{ErrorCode::platform, "this service offers no metrics"};
}

Result<std::string> Server::Implementation::look(const Peer& peer) const {
  if (options_.look_json) return options_.look_json(visible_to(peer));
  return Failure{ErrorCode::platform, "this service offers no live view"};
}

void Server::Implementation::set_http_address(std::string address) {
  const LockGuard lock(mutex_);
  http_address_ = std::move(address);
}

Server::Server(const ServerOptions& options, const CodeletSource& codelets)
    : implementation_(std::make_unique<Implementation>(options, codelets, *this)) {}

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, const CodeletSource& codelets) {
  std::unique_ptr<Server> server(new Server(options, codelets));
  if (auto started = server->implementation_->start(); !started) return started.failure();
  return server;
}

Server::~Server() = default;

void Server::drain() { implementation_->drain(); }
void Server::cancel() { implementation_->cancel(); }
bool Server::wait_until_empty(Duration at_most) { return implementation_->sessions().wait_until_empty(at_most); }
ServiceView Server::look() const { return implementation_->look_at_all(); }
std::optional<WhyReport> Server::why(std::optional<std::uint64_t> session) const {
  return implementation_->why_of(session);
}
std::vector<SessionView> Server::ended_sessions() const { return implementation_->sessions().ended(); }
const std::string& Server::folder() const { return implementation_->folder(); }
void Server::set_http_address(std::string address) { implementation_->set_http_address(std::move(address)); }

}  // namespace troupe::service
