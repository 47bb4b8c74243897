#include "client/remote/connection/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "client/remote/connection/protocol_version.hpp"
#include "client/remote/connection/wire_text.hpp"

namespace troupe::remote {

namespace {

/// The time that the service may take to end the stream of a client that has sent everything.
constexpr std::chrono::seconds kPatience{2};

TaskStatus status_of(v1::Ended::Status status) {
  switch (status) {
    case v1::Ended::SUCCEEDED: return TaskStatus::succeeded;
    case v1::Ended::CANCELLED: return TaskStatus::cancelled;
    default: return TaskStatus::failed;
  }
}

Failure gone(const std::string& why) {
  return {ErrorCode::service_lost, "the service has gone" + (why.empty() ? "" : " (" + why + ")") +
                                       ": what this program had there is lost; connect again when it runs"};
}

}  // namespace

ErrorCode code_of(const std::string& name, ErrorCode otherwise) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::service_lost); ++code) {
    if (name == to_string(static_cast<ErrorCode>(code))) return static_cast<ErrorCode>(code);
  }
  return otherwise;
}

Failure failure_of(const v1::Problem& problem, ErrorCode otherwise) {
  return {code_of(problem.code(), otherwise), problem.message()};
}

Result<std::unique_ptr<Session>> Session::open(std::unique_ptr<MessageStream> stream,
                                               std::span<const std::uint8_t> token, const std::string& name,
                                               std::function<void(TaskLedger::DueCallback&)> call_back) {
  v1::ClientMessage message;
  v1::Hello& hello = *message.add_operations()->mutable_hello();
  hello.set_protocol_version(kProtocolVersion);
  hello.set_token(token.data(), token.size());
  hello.set_name(wire_text(name));
  v1::ServiceMessage answer;
  if (!stream->write(message) || !stream->read(answer)) return gone(stream->why_ended());
  if (answer.events_size() != 0 && answer.events(0).has_goodbye()) {
    return failure_of(answer.events(0).goodbye().problem(), ErrorCode::service_lost);
  }
  if (answer.events_size() == 0 || !answer.events(0).has_welcome()) {
    return Failure{ErrorCode::platform, "what answers at the service's socket does not speak its protocol"};
  }
  const v1::Welcome& welcome = answer.events(0).welcome();
  ServiceGreeting greeting{welcome.session(),
                           welcome.service_version(),
                           welcome.workers(),
                           welcome.policy(),
                           std::max<std::uint64_t>(welcome.most_tasks(), 1),
                           welcome.most_handles()};
  return std::unique_ptr<Session>(new Session(std::move(stream), std::move(greeting), std::move(call_back)));
}

Session::Session(std::unique_ptr<MessageStream> stream, ServiceGreeting greeting,
                 std::function<void(TaskLedger::DueCallback&)> call_back)
    : stream_(std::move(stream)),
      greeting_(std::move(greeting)),
      call_back_(std::move(call_back)),
      ledger_([this](TaskLedger::DueCallback due) {
        callbacks_.run([this, due = std::move(due)]() mutable { call_back_(due); });
      }),
      sender_(*stream_, ledger_, greeting_.most_tasks),
      listener_([this] { listen(); }) {}

Session::~Session() { end(); }

void Session::end() {
  if (!listener_.joinable()) return;
  sender_.stop(is_lost());
  stream_->finish();
  {
    UniqueLock lock(mutex_);
    if (!ended_.wait_for(lock, kPatience, [this]() TROUPE_REQUIRES(mutex_) { return has_ended_; })) stream_->abandon();
  }
  listener_.join();
  callbacks_.stop();
}

void Session::withdraw(std::uint64_t request) {
  auto lock = sender_.lock();
  sender_.operations().add().mutable_withdraw()->set_request(request);
  sender_.send(lock);
}

void Session::listen() {
  v1::ServiceMessage message;
  Failure farewell;
  while (stream_->read(message)) {
    for (v1::Event& event : *message.mutable_events()) hear(event, farewell);
  }
  if (farewell.message.empty()) farewell = gone(stream_->why_ended());
  lose(farewell);
  const LockGuard lock(mutex_);
  has_ended_ = true;
  ended_.notify_all();
}

void Session::hear(v1::Event& event, Failure& farewell) {
  switch (event.kind_case()) {
    case v1::Event::kEndings: {
      const v1::Endings& endings = event.endings();
      for (int i = 0; i + 1 < endings.succeeded_size(); i += 2) {
        ledger_.succeeded(endings.succeeded(i), endings.succeeded(i + 1));
      }
      for (const v1::Ended& ended : endings.others()) {
        ledger_.ended(ended.task(), status_of(ended.status()), failure_of(ended.problem(), ErrorCode::kernel_failed));
      }
      break;
    }
    case v1::Event::kReply: {
      const v1::Reply& reply = event.reply();
      requests_.answer(reply.request(), reply.has_problem()
                                            ? PendingRequests::Answer(failure_of(reply.problem(), ErrorCode::platform))
                                            : PendingRequests::Answer(reply.count()));
      break;
    }
    case v1::Event::kGoodbye:
      farewell = {ErrorCode::service_lost,
                  "the service has ended this program's session: " + event.goodbye().problem().message()};
      // Report the loss now, so that waiting threads need not wait for the end of the stream.
      lose(farewell);
      break;
    // Messages that only later versions of the service send are ignored.
    default: break;
  }
}

void Session::lose(const Failure& cause) {
  {
    // A concurrent submission may acquire the lock before this thread; then its task is lost, and the task's callback
    // is called. Otherwise the submission sees that the session is lost, and reports the cause.
    const auto lock = sender_.lock();
    ledger_.lose(cause);
    is_lost_.store(true, std::memory_order_release);
  }
  requests_.lose(cause);
}

}  // namespace troupe::remote
