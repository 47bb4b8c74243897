/// The gRPC side of a session: it receives and sends bytes.
#pragma once

#include <google/protobuf/io/coded_stream.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/server_callback.h>
#include <troupe/v1/troupe.pb.h>

#include <cstdint>
#include <memory>

#include "troupe/errors.hpp"

namespace troupe::service {

[[nodiscard]] grpc::ByteBuffer to_bytes(const v1::ServiceMessage& message);

/// Receives the events of a stream. gRPC's threads call these functions, so they must be short.
class StreamListener {
 public:
  virtual ~StreamListener() = default;
  /// Called for each message; the next message arrives only after `SessionStream::read`.
  virtual void received(grpc::ByteBuffer message) = 0;
  /// Called when no more messages will arrive.
  virtual void received_all() = 0;
  /// Called when the message of the last `write` has been sent (`ok`), or cannot be sent.
  virtual void wrote(bool ok) = 0;
  /// Called when the client or its connection has gone.
  virtual void gone() = 0;
};

/// Reads the operations of a `ClientMessage` one at a time. If all operations were parsed together, they could take
/// twenty times the memory of the message.
class MessageReader {
 public:
  /// `bytes` must outlive the reader.
  explicit MessageReader(grpc::ByteBuffer& bytes) : source_(&bytes), input_(&source_) {}

  /// Goes to the next operation. Returns false at the end of the message, or if the message is `malformed`.
  bool next();
  /// Returns the size of the operation, in bytes of the message.
  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// Parses the current operation. Returns false if its bytes are invalid.
  bool read(v1::Operation& operation);
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  bool skip(std::uint32_t tag);

  grpc::ProtoBufferReader source_;
  google::protobuf::io::CodedInputStream input_;
  std::uint32_t size_ = 0;
  bool malformed_ = false;
};

/// The stream of one session. The stream deletes itself after `finish`, when gRPC no longer needs it. Before that, one
/// thread of the listener may call the functions of the stream.
class SessionStream : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  SessionStream(grpc::CallbackServerContext& context, std::shared_ptr<StreamListener> listener);

  void read();
  /// Sends a message. Must not be called again before `StreamListener::wrote` was called.
  void write(const v1::ServiceMessage& message);
  /// Ends a running `write` by cancelling the call; for clients that do not read.
  void give_up() { context_.TryCancel(); }
  /// Ends the call; no `write` may be running. The stream must not be used afterwards.
  void finish() { Finish(grpc::Status::OK); }
  /// Sends the reason for a refusal and ends the call, if the listener has not been started. The stream must not be
  /// used afterwards.
  void refuse(const Failure& why);

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override { listener_->wrote(ok); }
  void OnCancel() override { listener_->gone(); }
  void OnDone() override { delete this; }

  grpc::CallbackServerContext& context_;
  const std::shared_ptr<StreamListener> listener_;
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
};

}  // namespace troupe::service
