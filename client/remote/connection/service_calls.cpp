#include "client/remote/connection/service_calls.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>
#include <sys/socket.h>
#include <troupe/v1/troupe.grpc.pb.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <utility>

#include "client/remote/connection/protocol_version.hpp"
#include "client/remote/connection/socket_connection.hpp"
#include "client/remote/connection/socket_folder.hpp"
#include "platform/files/file_descriptor.hpp"

namespace troupe::remote {

namespace {

/// Views of machines with thousands of cores are larger than the 4 MiB that gRPC accepts by default.
constexpr int kLargestAnswer = 64 << 20;

Duration from_seconds(double seconds) {
  // A damaged answer may hold a number that does not fit into a Duration.
  constexpr double kLongest = 9e9;
  if (!(seconds > 0)) return {};
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::fmin(seconds, kLongest)));
}

ServiceStatus to_status(const v1::StatusReply& reply) {
  return {.version = reply.version(),
          .protocol_version = reply.protocol_version(),
          .process = reply.process(),
          .uptime = from_seconds(reply.uptime_s()),
          .policy = reply.policy(),
          .workers = reply.workers(),
          .sessions = reply.sessions(),
          .state = reply.state(),
          .http_address = reply.http_address()};
}

SessionView to_job(const v1::Job& job) {
  return {.id = job.session(),
          .name = job.name(),
          .user = job.user(),
          .process = job.process(),
          .weight = job.weight(),
          .state = job.state(),
          .submitted = job.submitted(),
          .ended = job.ended(),
          .failed = job.failed(),
          .worker_time = from_seconds(job.worker_s()),
          .memory = {job.memory_bytes()},
          .age = from_seconds(job.age_s())};
}

}  // namespace

struct ServiceCalls::Connection {
  std::string socket;
  ServiceCallsOptions options;
  std::unique_ptr<v1::Troupe::Stub> stub;

  /// Makes one call; `method` is a member of the stub.
  template <class Request, class Reply>
  Result<Reply> call(grpc::Status (v1::Troupe::Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
                     const Request& request) const {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::duration_cast<std::chrono::system_clock::duration>(options.deadline));
    Reply reply;
    const grpc::Status status = (stub.get()->*method)(&context, request, &reply);
    if (!status.ok()) return failure(status);
    return reply;
  }

  [[nodiscard]] Failure failure(const grpc::Status& status) const {
    const std::string& what = status.error_message();
    switch (status.error_code()) {
      case grpc::StatusCode::UNAVAILABLE:
        return {ErrorCode::io, fmt::format("the service at {} has gone: {}", socket, what)};
      case grpc::StatusCode::DEADLINE_EXCEEDED:
        return {ErrorCode::io,
                fmt::format("the service at {} did not answer within {} s", socket, seconds(options.deadline))};
      case grpc::StatusCode::PERMISSION_DENIED:
      case grpc::StatusCode::UNAUTHENTICATED:
        return {ErrorCode::platform, fmt::format("the service at {} does not permit that: {}", socket, what)};
      case grpc::StatusCode::NOT_FOUND:
      case grpc::StatusCode::INVALID_ARGUMENT: return {ErrorCode::invalid_argument, what};
      case grpc::StatusCode::UNIMPLEMENTED:
        return {ErrorCode::platform, fmt::format("what listens at {} does not know this call: it is no Troupe service, "
                                                 "or one of another version",
                                                 socket)};
      default: return {ErrorCode::io, fmt::format("the service at {} answered with an error: {}", socket, what)};
    }
  }
};

ServiceCalls::ServiceCalls(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
ServiceCalls::ServiceCalls(ServiceCalls&& other) noexcept = default;
ServiceCalls& ServiceCalls::operator=(ServiceCalls&& other) noexcept = default;
ServiceCalls::~ServiceCalls() = default;

Result<ServiceCalls> ServiceCalls::connect(const std::string& folder, ServiceCallsOptions options) {
  const std::string socket = service_socket(folder);
  auto fd = connect_to(socket, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (!fd) return fd.failure();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLargestAnswer);
  // Pass a duplicate, because gRPC closes the descriptor that it gets.
  const int own = ::fcntl(fd.value().get(), F_DUPFD_CLOEXEC, 0);
  if (own < 0) return no_connection(socket, errno);
  auto channel = grpc::CreateCustomInsecureChannelFromFd("troupe", own, arguments);
  auto connection = std::make_unique<Connection>(Connection{socket, options, v1::Troupe::NewStub(channel)});
  ServiceCalls calls(std::move(connection));
  const auto status = calls.status();
  if (!status) return status.failure();
  if (status.value().protocol_version != kProtocolVersion) {
    return Failure{ErrorCode::platform,
                   fmt::format("the service at {} (Troupe {}) speaks version {} of the protocol, this program version "
                               "{}: use programs and a service of the same Troupe",
                               socket, status.value().version, status.value().protocol_version, kProtocolVersion)};
  }
  return calls;
}

Result<void> ServiceCalls::ping() const {
  const auto reply = connection_->call(&v1::Troupe::Stub::Ping, v1::PingRequest());
  if (!reply) return reply.failure();
  return {};
}

Result<ServiceStatus> ServiceCalls::status() const {
  const auto reply = connection_->call(&v1::Troupe::Stub::Status, v1::StatusRequest());
  if (!reply) return reply.failure();
  return to_status(reply.value());
}

Result<std::vector<SessionView>> ServiceCalls::jobs(bool all) const {
  v1::JobsRequest request;
  request.set_all(all);
  const auto reply = connection_->call(&v1::Troupe::Stub::Jobs, request);
  if (!reply) return reply.failure();
  std::vector<SessionView> jobs;
  for (const v1::Job& job : reply.value().jobs()) jobs.push_back(to_job(job));
  return jobs;
}

Result<std::uint64_t> ServiceCalls::cancel_job(std::uint64_t session) const {
  v1::CancelJobRequest request;
  request.set_session(session);
  const auto reply = connection_->call(&v1::Troupe::Stub::CancelJob, request);
  if (!reply) return reply.failure();
  return reply.value().tasks();
}

Result<ServiceWhy> ServiceCalls::why(std::optional<std::uint64_t> session) const {
  v1::WhyRequest request;
  request.set_session(session.value_or(0));
  auto reply = connection_->call(&v1::Troupe::Stub::Why, request);
  if (!reply) return reply.failure();
  return ServiceWhy{std::move(*reply.value().mutable_text()), std::move(*reply.value().mutable_json())};
}

Result<std::string> ServiceCalls::metrics() const {
  auto reply = connection_->call(&v1::Troupe::Stub::Metrics, v1::MetricsRequest());
  if (!reply) return reply.failure();
  return std::move(*reply.value().mutable_text());
}

Result<std::string> ServiceCalls::look() const {
  auto reply = connection_->call(&v1::Troupe::Stub::Look, v1::LookRequest());
  if (!reply) return reply.failure();
  return std::move(*reply.value().mutable_json());
}

}  // namespace troupe::remote
