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

/// Receives the events of a stream, in gRPC's threads, so its functions must be short.
class StreamListener {
 public:
  virtual ~StreamListener() = default;
  /// A message has come; the next one comes after `SessionStream::read`.
  virtual void received(grpc::ByteBuffer message) = 0;
  /// No more messages will come.
  virtual void received_all() = 0;
  /// The message that was given to `write` has gone out, or never will.
  virtual void wrote(bool ok) = 0;
  /// The client, or the connection to it, is gone.
  virtual void gone() = 0;
};

/// Reads the operations of a `ClientMessage` one at a time: parsed all together, they can take twenty times the memory
/// of the message.
class MessageReader {
 public:
  /// `bytes` must outlive the reader.
  explicit MessageReader(grpc::ByteBuffer& bytes) : source_(&bytes), input_(&source_) {}

  /// Goes to the next operation. Returns false if there is none, or if the message is `malformed`.
  bool next();
  /// Returns the size of the operation, in bytes of the message.
  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// Parses the operation. Returns false if the bytes are not one.
  bool read(v1::Operation& operation);
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  bool skip(std::uint32_t tag);

  grpc::ProtoBufferReader source_;
  google::protobuf::io::CodedInputStream input_;
  std::uint32_t size_ = 0;
  bool malformed_ = false;
};

/// A stream deletes itself when gRPC has done with it, which is after `finish`. Until then the listener may call its
/// functions, from one thread.
class SessionStream : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  SessionStream(grpc::CallbackServerContext& context, std::shared_ptr<StreamListener> listener);

  void read();
  /// Sends a message. Must not be called again before `wrote`.
  void write(const v1::ServiceMessage& message);
  /// Ends a `write` that is under way by cancelling the call, as the client may not be reading.
  void give_up() { context_.TryCancel(); }
  /// Ends the call; no `write` may be under way. The stream must not be used afterwards.
  void finish() { Finish(grpc::Status::OK); }
  /// Says goodbye and ends the call, for a listener that has not begun. The stream must not be used afterwards.
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
