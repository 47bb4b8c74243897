#include "service/sessions/session_registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "service/sessions/wire_checks.hpp"

namespace troupe::service {
namespace {

Failure stopping() { return {ErrorCode::stopped, "the service is stopping and takes no more tasks"}; }

/// A stream that only sends the reason for a refusal and ends.
class RefusedStream : public SessionRegistry::Reactor {
 public:
  explicit RefusedStream(const Failure& why) {
    v1::ServiceMessage message;
    fill(*message.add_events()->mutable_goodbye()->mutable_problem(), why);
    goodbye_ = to_bytes(message);
    StartWriteAndFinish(&goodbye_, grpc::WriteOptions(), grpc::Status::OK);
  }

 private:
  void OnDone() override { delete this; }

  grpc::ByteBuffer goodbye_;
};

}  // namespace

SessionRegistry::~SessionRegistry() {
  cancel();
  UniqueLock lock(mutex_);
  changed_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return running_.empty(); });
  lock.unlock();
  collect();
}

std::optional<Failure> SessionRegistry::why_refused(const std::optional<Peer>& peer) const {
  if (!peer) return Failure{ErrorCode::invalid_argument, "the service does not know who makes this call"};
  if (draining_) return stopping();
  const auto same_user = [&](const auto& entry) { return entry.second->peer().user == peer->user; };
  const auto of_user = static_cast<std::size_t>(std::count_if(running_.begin(), running_.end(), same_user));
  if (of_user >= host_.options.sessions_per_user || running_.size() >= host_.options.sessions) {
    return Failure{
        ErrorCode::invalid_argument,
        fmt::format("the service has {} clients, {} of them of user {}; {} and {} of one user are the most "
                    "(limits.clients, limits.clients_per_user): try again when one has ended",
                    running_.size(), of_user, peer->user, host_.options.sessions, host_.options.sessions_per_user)};
  }
  return std::nullopt;
}

SessionRegistry::Reactor* SessionRegistry::open(grpc::CallbackServerContext& context, const std::optional<Peer>& peer) {
  collect();
  const LockGuard lock(mutex_);
  if (const auto refused = why_refused(peer)) return new RefusedStream(*refused);  // The stream belongs to gRPC.
  const auto session = std::make_shared<Session>(host_, next_++, *peer);
  if (const auto reserved = session->reserve(); !reserved) return new RefusedStream(reserved.failure());
  auto* const stream = new SessionStream(context, session);  // The stream belongs to gRPC.
  running_.emplace(session->id(), session);
  look_for_users();
  try {
    session->start(*stream, [this](Session& ended) { has_ended(ended); });
  } catch (const std::system_error&) {
    running_.erase(session->id());
    stream->refuse({ErrorCode::out_of_memory, "the system has no thread left for another client: try again later"});
  }
  return stream;
}

SessionRegistry::Reactor* SessionRegistry::refuse(const Failure& why) {
  return new RefusedStream(why);  // The stream belongs to gRPC.
}

void SessionRegistry::has_ended(Session& session) {
  const LockGuard lock(mutex_);
  const auto found = running_.find(session.id());
  SessionView view = session.look();
  if (!view.name.empty()) ended_.push_back(std::move(view));
  if (ended_.size() > kRemembered) ended_.pop_front();
  to_join_.push_back(std::move(found->second));
  running_.erase(found);
  look_for_users();
  changed_.notify_all();
}

void SessionRegistry::look_for_users() {
  const bool several = std::any_of(running_.begin(), running_.end(), [this](const auto& entry) TROUPE_REQUIRES(mutex_) {
    return entry.second->peer().user != running_.begin()->second->peer().user;
  });
  host_.several_users->store(several, std::memory_order_relaxed);
}

void SessionRegistry::collect() {
  std::vector<std::shared_ptr<Session>> ended;
  {
    const LockGuard lock(mutex_);
    ended.swap(to_join_);
  }
  for (const auto& session : ended) session->join();
}

std::vector<std::shared_ptr<Session>> SessionRegistry::running() const {
  const LockGuard lock(mutex_);
  std::vector<std::shared_ptr<Session>> running;
  for (const auto& [id, session] : running_) running.push_back(session);
  return running;
}

void SessionRegistry::drain() {
  {
    const LockGuard lock(mutex_);
    draining_ = true;
  }
  for (const auto& session : running()) session->drain(stopping());
}

void SessionRegistry::cancel() {
  drain();
  for (const auto& session : running()) {
    session->cancel({ErrorCode::cancelled, "the service is stopping, and cancels what has not started"});
  }
}

bool SessionRegistry::wait_until_empty(Duration at_most) {
  UniqueLock lock(mutex_);
  const bool empty = changed_.wait_for(lock, at_most, [this]() TROUPE_REQUIRES(mutex_) { return running_.empty(); });
  lock.unlock();
  collect();
  return empty;
}

std::vector<SessionView> SessionRegistry::look() const {
  std::vector<SessionView> views;
  for (const auto& session : running()) {
    SessionView view = session->look();
    if (!view.name.empty()) views.push_back(std::move(view));
  }
  return views;
}

std::vector<SessionView> SessionRegistry::ended() const {
  const LockGuard lock(mutex_);
  return {ended_.begin(), ended_.end()};
}

std::shared_ptr<Session> SessionRegistry::find(std::uint64_t id) const {
  const LockGuard lock(mutex_);
  const auto found = running_.find(id);
  return found == running_.end() ? nullptr : found->second;
}

bool SessionRegistry::draining() const {
  const LockGuard lock(mutex_);
  return draining_;
}

}  // namespace troupe::service
