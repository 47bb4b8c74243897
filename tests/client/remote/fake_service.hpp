/// A gRPC service that gives the replies that a test has set.
#pragma once

#include <grpcpp/grpcpp.h>
#include <troupe/v1/troupe.grpc.pb.h>

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>

#include "client/remote/connection/protocol_version.hpp"
#include "client/remote/connection/socket_folder.hpp"

namespace troupe::tests {

/// The replies of the service. A test sets them before `FakeService` starts.
class FakeAnswers : public v1::Troupe::Service {
 public:
  v1::StatusReply status_reply;
  v1::JobsReply jobs_reply;
  v1::JobsReply all_jobs_reply;
  v1::WhyReply why_reply;
  std::string metrics_text;
  std::string look_json;
  /// The gRPC status that every call except `Status` returns.
  grpc::Status returns = grpc::Status::OK;
  /// The number of the session in the last request.
  std::uint64_t asked_session = 0;

  FakeAnswers() {
    status_reply.set_version("1.2.3");
    status_reply.set_protocol_version(remote::kProtocolVersion);
    status_reply.set_state("serving");
  }

  grpc::Status Ping(grpc::ServerContext*, const v1::PingRequest*, v1::PingReply*) override { return returns; }
  grpc::Status Status(grpc::ServerContext*, const v1::StatusRequest*, v1::StatusReply* reply) override {
    *reply = status_reply;
    return grpc::Status::OK;
  }
  grpc::Status Jobs(grpc::ServerContext*, const v1::JobsRequest* request, v1::JobsReply* reply) override {
    *reply = request->all() ? all_jobs_reply : jobs_reply;
    return returns;
  }
  grpc::Status CancelJob(grpc::ServerContext*, const v1::CancelJobRequest* request,
                         v1::CancelJobReply* reply) override {
    asked_session = request->session();
    reply->set_tasks(17);
    return returns;
  }
  grpc::Status Why(grpc::ServerContext*, const v1::WhyRequest* request, v1::WhyReply* reply) override {
    asked_session = request->session();
    *reply = why_reply;
    return returns;
  }
  grpc::Status Metrics(grpc::ServerContext*, const v1::MetricsRequest*, v1::MetricsReply* reply) override {
    reply->set_text(metrics_text);
    return returns;
  }
  grpc::Status Look(grpc::ServerContext*, const v1::LookRequest*, v1::LookReply* reply) override {
    reply->set_json(look_json);
    return returns;
  }
};

/// While an object of this class lives, it serves at the socket of a folder.
class FakeService {
 public:
  FakeService(const std::string& folder, FakeAnswers& answers) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + remote::service_socket(folder), grpc::InsecureServerCredentials());
    builder.RegisterService(&answers);
    server_ = builder.BuildAndStart();
    BOOST_REQUIRE(server_ != nullptr);
  }
  ~FakeService() { stop(); }
  FakeService(const FakeService&) = delete;
  FakeService& operator=(const FakeService&) = delete;

  /// Closes all connections at once and stops serving.
  void stop() { server_->Shutdown(std::chrono::system_clock::now()); }

 private:
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace troupe::tests
