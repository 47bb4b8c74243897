/// The stream of messages between a client and the service.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <memory>
#include <string>

#include "proto/errors.hpp"

namespace troupe::remote {

/// Messages in both directions, in order. One thread at a time may write, and one read.
class MessageStream {
 public:
  MessageStream() = default;
  virtual ~MessageStream() = default;
  MessageStream(const MessageStream&) = delete;
  MessageStream& operator=(const MessageStream&) = delete;

  /// Returns when the message is on its way. False: the stream has ended.
  virtual bool write(const v1::ClientMessage& message) = 0;
  /// Blocks until one comes. False: none will.
  virtual bool read(v1::ServiceMessage& message) = 0;
  /// Nothing more will be written: the other side ends the stream. By the thread that writes.
  virtual void finish() = 0;
  /// Ends the stream, and with it what the other side does for it. Any thread.
  virtual void abandon() = 0;
  /// What is known of why it ended. After `read` has returned false, by the thread that reads.
  virtual std::string why_ended() = 0;
};

/// The call `Session` of the service whose sockets are in `folder`. Fails with `io` or `platform`.
[[nodiscard]] Result<std::unique_ptr<MessageStream>> open_session_stream(const std::string& folder);

}  // namespace troupe::remote
