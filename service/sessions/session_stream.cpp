#include "service/sessions/session_stream.hpp"

#include <grpcpp/impl/codegen/proto_utils.h>

#include <utility>

namespace troupe::service {

SessionStream::SessionStream(grpc::CallbackServerContext& context, std::shared_ptr<StreamListener> listener)
    : context_(context), listener_(std::move(listener)) {}

void SessionStream::read() { StartRead(&incoming_); }

void SessionStream::write(const v1::ServiceMessage& message) {
  bool owns = false;
  outgoing_.Clear();
  // Serializing to memory does not fail.
  [[maybe_unused]] const grpc::Status status =
      grpc::GenericSerialize<grpc::ProtoBufferWriter, v1::ServiceMessage>(message, &outgoing_, &owns);
  StartWrite(&outgoing_);
}

bool SessionStream::parse(grpc::ByteBuffer& bytes, v1::ClientMessage& message) {
  return grpc::GenericDeserialize<grpc::ProtoBufferReader, v1::ClientMessage>(&bytes, &message).ok();
}

void SessionStream::OnReadDone(bool ok) {
  if (!ok) return listener_->received_all();
  grpc::ByteBuffer message;
  message.Swap(&incoming_);
  listener_->received(std::move(message));
}

}  // namespace troupe::service
