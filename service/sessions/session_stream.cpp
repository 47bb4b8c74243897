#include "service/sessions/session_stream.hpp"

#include <grpcpp/support/proto_buffer_writer.h>

#include <utility>

#include "service/sessions/wire_checks.hpp"

namespace troupe::service {

grpc::ByteBuffer to_bytes(const v1::ServiceMessage& message) {
  constexpr int kPiece = 64 << 10U;
  grpc::ByteBuffer bytes;
  grpc::ProtoBufferWriter writer(&bytes, kPiece, static_cast<int>(message.ByteSizeLong()));
  // Writing to memory cannot fail.
  message.SerializeToZeroCopyStream(&writer);
  return bytes;
}

bool MessageReader::next() {
  constexpr std::uint32_t kOperation = v1::ClientMessage::kOperationsFieldNumber << 3U | 2U;
  for (;;) {
    const std::uint32_t tag = input_.ReadTag();
    if (tag == kOperation) {
      malformed_ = !input_.ReadVarint32(&size_);
      return !malformed_;
    }
    // At the end of the message, the tag is 0.
    const bool ended = tag == 0 && input_.ConsumedEntireMessage();
    malformed_ = !ended && !skip(tag);
    if (ended || malformed_) return false;
  }
}

bool MessageReader::skip(std::uint32_t tag) {
  // Skips a field that is unknown here, because a later version of the protocol added it.
  std::uint64_t number = 0;
  std::uint32_t size = 0;
  switch (tag & 7U) {
    case 0: return tag != 0 && input_.ReadVarint64(&number);
    case 1: return input_.Skip(8);
    case 2: return input_.ReadVarint32(&size) && size <= INT32_MAX && input_.Skip(static_cast<int>(size));
    case 5: return input_.Skip(4);
    default: return false;
  }
}

bool MessageReader::read(v1::Operation& operation) {
  if (size_ > INT32_MAX) return false;
  const auto limit = input_.PushLimit(static_cast<int>(size_));
  operation.Clear();
  const bool ok =
      operation.MergeFromCodedStream(&input_) && input_.ConsumedEntireMessage() && input_.BytesUntilLimit() == 0;
  input_.PopLimit(limit);
  return ok;
}

SessionStream::SessionStream(grpc::CallbackServerContext& context, std::shared_ptr<StreamListener> listener)
    : context_(context), listener_(std::move(listener)) {}

void SessionStream::read() { StartRead(&incoming_); }

void SessionStream::write(const v1::ServiceMessage& message) {
  outgoing_ = to_bytes(message);
  StartWrite(&outgoing_);
}

void SessionStream::refuse(const Failure& why) {
  v1::ServiceMessage message;
  fill(*message.add_events()->mutable_goodbye()->mutable_problem(), why);
  outgoing_ = to_bytes(message);
  StartWriteAndFinish(&outgoing_, grpc::WriteOptions(), grpc::Status::OK);
}

void SessionStream::OnReadDone(bool ok) {
  if (!ok) return listener_->received_all();
  grpc::ByteBuffer message;
  message.Swap(&incoming_);
  listener_->received(std::move(message));
}

}  // namespace troupe::service
