/// The stream of messages between a client and the service.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <memory>
#include <string>

#include "troupe/errors.hpp"

namespace troupe::remote {

/// A stream of messages in both directions, in order. One thread at a time may write, and one thread at a time may
/// read.
class MessageStream {
 public:
  MessageStream() = default;
  virtual ~MessageStream() = default;
  MessageStream(const MessageStream&) = delete;
  MessageStream& operator=(const MessageStream&) = delete;

  /// Writes a message. Returns true when the message has been handed to the connection, and false if the stream has
  /// ended.
  virtual bool write(const v1::ClientMessage& message) = 0;
  /// Blocks until a message comes; returns false if the stream has ended.
  virtual bool read(v1::ServiceMessage& message) = 0;
  /// Tells the other side that nothing more will be written. The other side then ends the stream. Called by the thread
  /// that writes.
  virtual void finish() = 0;
  /// Ends the stream, and everything that the other side does for it. Any thread may call.
  virtual void abandon() = 0;
  /// Returns the reason why the stream ended, as far as it is known. Called after `read` has returned false, by the
  /// thread that reads.
  virtual std::string why_ended() = 0;
};

/// Opens the call `Session` of the service whose sockets are in `folder`. Fails with `io` or `platform`.
[[nodiscard]] Result<std::unique_ptr<MessageStream>> open_session_stream(const std::string& folder);

}  // namespace troupe::remote
