#include "client/remote/connection/service_stream.hpp"

#include <fcntl.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>
#include <sys/socket.h>
#include <troupe/v1/troupe.grpc.pb.h>

#include <cerrno>
#include <utility>

#include "client/remote/connection/socket_connection.hpp"
#include "client/remote/connection/socket_folder.hpp"

namespace troupe::remote {

namespace {

/// The largest message in bytes. Summaries of failures, and reports of many ended tasks at once, can be large.
constexpr int kLargestMessage = 64 << 20;

class GrpcStream final : public MessageStream {
 public:
  explicit GrpcStream(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(v1::Troupe::NewStub(channel)), stream_(stub_->Session(&context_)) {}
  ~GrpcStream() override {
    context_.TryCancel();
    if (!finished_) end();
  }
  GrpcStream(const GrpcStream&) = delete;
  GrpcStream& operator=(const GrpcStream&) = delete;

  bool write(const v1::ClientMessage& message) override { return stream_->Write(message); }
  bool read(v1::ServiceMessage& message) override { return stream_->Read(&message); }
  void finish() override { stream_->WritesDone(); }
  void abandon() override { context_.TryCancel(); }
  std::string why_ended() override {
    if (!finished_) end();
    return status_.error_message();
  }

 private:
  void end() {
    // Read all remaining messages, because gRPC requires that before `Finish`.
    v1::ServiceMessage rest;
    while (stream_->Read(&rest)) rest.Clear();
    status_ = stream_->Finish();
    finished_ = true;
  }

  grpc::ClientContext context_;
  std::unique_ptr<v1::Troupe::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ClientMessage, v1::ServiceMessage>> stream_;
  bool finished_ = false;
  grpc::Status status_;
};

}  // namespace

Result<std::unique_ptr<MessageStream>> open_session_stream(const std::string& folder) {
  const std::string socket = service_socket(folder);
  const auto connected = connect_to(socket, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (!connected) return connected.failure();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLargestMessage);
  // Pass a duplicate, because gRPC closes the descriptor that it gets.
  const int own = ::fcntl(connected.value().get(), F_DUPFD_CLOEXEC, 0);
  if (own < 0) return no_connection(socket, errno);
  return std::unique_ptr<MessageStream>(
      std::make_unique<GrpcStream>(grpc::CreateCustomInsecureChannelFromFd("troupe", own, arguments)));
}

}  // namespace troupe::remote
