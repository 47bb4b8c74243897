/// The functions that gRPC calls for clients' calls.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <troupe/v1/troupe.grpc.pb.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "service/budgets/user_calls.hpp"
#include "service/connections/connection_table.hpp"
#include "service/desk.hpp"
#include "service/sessions/session_registry.hpp"

namespace troupe::service {

/// The functions of the server that gRPC's calls need. Any thread may call them.
class RpcHost {
 public:
  virtual ~RpcHost() = default;
  [[nodiscard]] virtual v1::StatusReply status() const = 0;
  /// Returns the sessions that this user may see; includes ended sessions if `all` is true.
  [[nodiscard]] virtual std::vector<SessionView> jobs(const Peer& peer, bool all) const = 0;
  virtual Result<std::uint64_t> cancel(const Peer& peer, std::uint64_t session) = 0;
  /// Returns why tasks wait; a `session` of 0 means all sessions that the user may see.
  [[nodiscard]] virtual Result<v1::WhyReply> why(const Peer& peer, std::uint64_t session) const = 0;
  [[nodiscard]] virtual Result<std::string> metrics(const Peer& peer) const = 0;
  [[nodiscard]] virtual Result<std::string> look(const Peer& peer) const = 0;
};

namespace detail {
/// The service that protoc generated. Sessions get their messages as bytes, and a thread of the session parses them.
using CallbackService =
    v1::Troupe::WithCallbackMethod_Ping<v1::Troupe::WithRawCallbackMethod_Session<v1::Troupe::WithCallbackMethod_Status<
        v1::Troupe::WithCallbackMethod_Jobs<v1::Troupe::WithCallbackMethod_CancelJob<v1::Troupe::WithCallbackMethod_Why<
            v1::Troupe::WithCallbackMethod_Metrics<v1::Troupe::WithCallbackMethod_Look<v1::Troupe::Service>>>>>>>>;
}  // namespace detail

class RpcService final : public detail::CallbackService {
 public:
  RpcService(RpcHost& host, SessionRegistry& sessions, const ConnectionTable& connections, Desk& desk,
             const UserCalls::Limits& limits)
      : host_(host),
        sessions_(sessions),
        connections_(connections),
        desk_(desk),
        calls_(std::make_shared<UserCalls>(limits)) {}

  using Context = grpc::CallbackServerContext;
  grpc::ServerUnaryReactor* Ping(Context* context, const v1::PingRequest* request, v1::PingReply* reply) override;
  SessionRegistry::Reactor* Session(Context* context) override;
  grpc::ServerUnaryReactor* Status(Context* context, const v1::StatusRequest* request, v1::StatusReply* reply) override;
  grpc::ServerUnaryReactor* Jobs(Context* context, const v1::JobsRequest* request, v1::JobsReply* reply) override;
  grpc::ServerUnaryReactor* CancelJob(Context* context, const v1::CancelJobRequest* request,
                                      v1::CancelJobReply* reply) override;
  grpc::ServerUnaryReactor* Why(Context* context, const v1::WhyRequest* request, v1::WhyReply* reply) override;
  grpc::ServerUnaryReactor* Metrics(Context* context, const v1::MetricsRequest* request,
                                    v1::MetricsReply* reply) override;
  grpc::ServerUnaryReactor* Look(Context* context, const v1::LookRequest* request, v1::LookReply* reply) override;

  /// Returns why a call of this connection is refused. If it returns nothing, the call counts for its user until `done`
  /// is called with `peer`. Ends the connection of a user who continues to call after refusals.
  std::optional<grpc::Status> why_refused(const std::string& connection, std::optional<Peer>& peer);
  void done(const Peer& peer) { calls_->done(peer.user, 0); }
  /// Returns the time from which a user may have another connection; see `UserCalls::ready_at`.
  UserCalls::Clock::time_point ready_at(std::uint32_t user, UserCalls::Clock::time_point now) {
    return calls_->ready_at(user, now);
  }

 private:
  /// Lets the desk answer a call. The function `how` gets the peer that makes the call.
  grpc::ServerUnaryReactor* answer(Context* context, const google::protobuf::Message* reply,
                                   std::function<grpc::Status(const Peer&)> how);

  RpcHost& host_;
  SessionRegistry& sessions_;
  const ConnectionTable& connections_;
  Desk& desk_;
  /// This object is shared, because an unread answer may outlive the service and needs it.
  const std::shared_ptr<UserCalls> calls_;
};

/// Refuses calls of functions that the service does not have. Such calls count like other calls.
class UnknownCalls final : public grpc::CallbackGenericService {
 public:
  explicit UnknownCalls(RpcService& service) : service_(service) {}
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override;

 private:
  RpcService& service_;
};

}  // namespace troupe::service
