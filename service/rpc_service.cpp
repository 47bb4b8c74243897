#include "service/rpc_service.hpp"

#include <exception>
#include <utility>

namespace troupe::service {
namespace {

grpc::Status to_status(const Failure& failure) {
  const bool unknown = failure.code == ErrorCode::invalid_argument;
  return {unknown ? grpc::StatusCode::NOT_FOUND : grpc::StatusCode::FAILED_PRECONDITION, failure.message};
}

void fill(v1::Job& job, const SessionView& view) {
  job.set_session(view.id);
  job.set_name(view.name);
  job.set_user(view.user);
  job.set_process(view.process);
  job.set_weight(view.weight);
  job.set_state(view.state);
  job.set_submitted(view.submitted);
  job.set_ended(view.ended);
  job.set_failed(view.failed);
  job.set_worker_s(seconds(view.worker_time));
  job.set_memory_bytes(view.memory.count);
  job.set_age_s(seconds(view.age));
}

/// One call and its answer. The answer counts against the user's limits until the user has read it.
class Answer final : public grpc::ServerUnaryReactor {
 public:
  Answer(std::shared_ptr<UserCalls> calls, std::uint32_t user) : calls_(std::move(calls)), user_(user) {}

  void give(const grpc::Status& status, const google::protobuf::Message& reply) {
    bytes_ = status.ok() ? reply.ByteSizeLong() : status.error_message().size();
    calls_->answered(user_, bytes_);
    Finish(status);
  }

 private:
  void OnDone() override {
    calls_->done(user_, bytes_);
    delete this;
  }

  const std::shared_ptr<UserCalls> calls_;
  const std::uint32_t user_;
  std::uint64_t bytes_ = 0;
};

/// A call that is refused.
class RefusedCall final : public grpc::ServerGenericBidiReactor {
 public:
  explicit RefusedCall(const grpc::Status& status) { Finish(status); }

 private:
  void OnDone() override { delete this; }
};

}  // namespace

std::optional<grpc::Status> RpcService::why_refused(const std::string& connection, std::optional<Peer>& peer) {
  peer = connections_.find(connection);
  if (!peer) return grpc::Status{grpc::StatusCode::PERMISSION_DENIED, "the service does not know who makes this call"};
  const auto refusal = calls_->begin(peer->user, UserCalls::Clock::now());
  if (!refusal) return std::nullopt;
  if (refusal->ends_connection) connections_.end(connection);
  return grpc::Status{grpc::StatusCode::RESOURCE_EXHAUSTED, refusal->why.message};
}

grpc::ServerUnaryReactor* RpcService::answer(Context* context, const google::protobuf::Message* reply,
                                             std::function<grpc::Status(const Peer&)> how) {
  std::optional<Peer> peer;
  if (const auto refused = why_refused(context->peer(), peer)) {
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(*refused);
    return reactor;
  }
  auto* const answer = new Answer(calls_, peer->user);  // The answer belongs to gRPC.
  const bool asked = desk_.ask(peer->user, [answer, reply, peer = *peer, how = std::move(how)] {
    grpc::Status status;
    try {
      status = how(peer);
    } catch (const std::exception& error) {
      status = {grpc::StatusCode::INTERNAL, error.what()};
    }
    answer->give(status, *reply);
  });
  if (!asked) {
    answer->give({grpc::StatusCode::RESOURCE_EXHAUSTED,
                  "the service has too many questions of this user to answer: wait for its answers"},
                 *reply);
  }
  return answer;
}

grpc::ServerUnaryReactor* RpcService::Ping(Context* context, const v1::PingRequest* /*request*/, v1::PingReply* reply) {
  std::optional<Peer> peer;
  if (const auto refused = why_refused(context->peer(), peer)) {
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(*refused);
    return reactor;
  }
  auto* const answer = new Answer(calls_, peer->user);  // The answer belongs to gRPC.
  answer->give(grpc::Status::OK, *reply);
  return answer;
}

grpc::ServerGenericBidiReactor* UnknownCalls::CreateReactor(grpc::GenericCallbackServerContext* context) {
  std::optional<Peer> peer;
  if (const auto refused = service_.why_refused(context->peer(), peer)) return new RefusedCall(*refused);
  service_.done(*peer);
  return new RefusedCall({grpc::StatusCode::UNIMPLEMENTED, "the service knows no call " + context->method()});
}

SessionRegistry::Reactor* RpcService::Session(Context* context) {
  std::optional<Peer> peer;
  if (const auto refused = why_refused(context->peer(), peer)) {
    return sessions_.refuse({ErrorCode::invalid_argument, refused->error_message()});
  }
  // A session does not count as an open call, because sessions have limits of their own.
  done(*peer);
  return sessions_.open(*context, peer);
}

grpc::ServerUnaryReactor* RpcService::Status(Context* context, const v1::StatusRequest* /*request*/,
                                             v1::StatusReply* reply) {
  return answer(context, reply, [this, reply](const Peer&) {
    *reply = host_.status();
    return grpc::Status::OK;
  });
}

grpc::ServerUnaryReactor* RpcService::Jobs(Context* context, const v1::JobsRequest* request, v1::JobsReply* reply) {
  return answer(context, reply, [this, request, reply](const Peer& peer) {
    for (const SessionView& view : host_.jobs(peer, request->all())) fill(*reply->add_jobs(), view);
    return grpc::Status::OK;
  });
}

grpc::ServerUnaryReactor* RpcService::CancelJob(Context* context, const v1::CancelJobRequest* request,
                                                v1::CancelJobReply* reply) {
  return answer(context, reply, [this, request, reply](const Peer& peer) {
    const auto cancelled = host_.cancel(peer, request->session());
    if (!cancelled) return to_status(cancelled.failure());
    reply->set_tasks(cancelled.value());
    return grpc::Status::OK;
  });
}

grpc::ServerUnaryReactor* RpcService::Why(Context* context, const v1::WhyRequest* request, v1::WhyReply* reply) {
  return answer(context, reply, [this, request, reply](const Peer& peer) {
    auto why = host_.why(peer, request->session());
    if (!why) return to_status(why.failure());
    *reply = std::move(why).value();
    return grpc::Status::OK;
  });
}

grpc::ServerUnaryReactor* RpcService::Metrics(Context* context, const v1::MetricsRequest* /*request*/,
                                              v1::MetricsReply* reply) {
  return answer(context, reply, [this, reply](const Peer& peer) {
    auto text = host_.metrics(peer);
    if (!text) return to_status(text.failure());
    reply->set_text(std::move(text).value());
    return grpc::Status::OK;
  });
}

grpc::ServerUnaryReactor* RpcService::Look(Context* context, const v1::LookRequest* /*request*/, v1::LookReply* reply) {
  return answer(context, reply, [this, reply](const Peer& peer) {
    auto text = host_.look(peer);
    if (!text) return to_status(text.failure());
    reply->set_json(std::move(text).value());
    return grpc::Status::OK;
  });
}

}  // namespace troupe::service
