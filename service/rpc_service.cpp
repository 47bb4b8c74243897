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

}  // namespace

grpc::ServerUnaryReactor* RpcService::answer(Context* context, std::function<grpc::Status(const Peer&)> how) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  const auto peer = connections_.find(context->peer());
  if (!peer) {
    reactor->Finish({grpc::StatusCode::PERMISSION_DENIED, "the service does not know who makes this call"});
    return reactor;
  }
  const bool asked = desk_.ask(peer->user, [reactor, peer = *peer, how = std::move(how)] {
    grpc::Status status;
    try {
      status = how(peer);
    } catch (const std::exception& error) {
      status = {grpc::StatusCode::INTERNAL, error.what()};
    }
    reactor->Finish(status);
  });
  if (!asked)
    reactor->Finish(
        {grpc::StatusCode::RESOURCE_EXHAUSTED, "the service has too many questions of this user to answer"});
  return reactor;
}

grpc::ServerUnaryReactor* RpcService::Ping(Context* context, const v1::PingRequest* /*request*/,
                                           v1::PingReply* /*reply*/) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

SessionRegistry::Reactor* RpcService::Session(Context* context) {
  return sessions_.open(*context, connections_.find(context->peer()));
}

grpc::ServerUnaryReactor* RpcService::Status(Context* context, const v1::StatusRequest* /*request*/,
                                             v1::StatusReply* reply) {
  return answer(context, [this, reply](const Peer&) {
    *reply = host_.status();
    return grpc::Status::OK;
  });
}

grpc::ServerUnaryReactor* RpcService::Jobs(Context* context, const v1::JobsRequest* request, v1::JobsReply* reply) {
  return answer(context, [this, request, reply](const Peer& peer) {
    for (const SessionView& view : host_.jobs(peer, request->all())) fill(*reply->add_jobs(), view);
    return grpc::Status::OK;
  });
}

grpc::ServerUnaryReactor* RpcService::CancelJob(Context* context, const v1::CancelJobRequest* request,
                                                v1::CancelJobReply* reply) {
  return answer(context, [this, request, reply](const Peer& peer) {
    const auto cancelled = host_.cancel(peer, request->session());
    if (!cancelled) return to_status(cancelled.failure());
    reply->set_tasks(cancelled.value());
    return grpc::Status::OK;
  });
}

grpc::ServerUnaryReactor* RpcService::Why(Context* context, const v1::WhyRequest* request, v1::WhyReply* reply) {
  return answer(context, [this, request, reply](const Peer& peer) {
    auto why = host_.why(peer, request->session());
    if (!why) return to_status(why.failure());
    *reply = std::move(why).value();
    return grpc::Status::OK;
  });
}

grpc::ServerUnaryReactor* RpcService::Metrics(Context* context, const v1::MetricsRequest* /*request*/,
                                              v1::MetricsReply* reply) {
  return answer(context, [this, reply](const Peer& peer) {
    auto text = host_.metrics(peer);
    if (!text) return to_status(text.failure());
    reply->set_text(std::move(text).value());
    return grpc::Status::OK;
  });
}

grpc::ServerUnaryReactor* RpcService::Look(Context* context, const v1::LookRequest* /*request*/, v1::LookReply* reply) {
  return answer(context, [this, reply](const Peer& peer) {
    auto text = host_.look(peer);
    if (!text) return to_status(text.failure());
    reply->set_json(std::move(text).value());
    return grpc::Status::OK;
  });
}

}  // namespace troupe::service
