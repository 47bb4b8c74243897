#include "service/sessions/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "client/remote/connection/protocol_version.hpp"
#include "platform/machine/account_names.hpp"
#include "platform/machine/host_memory.hpp"
#include "service/sessions/session_costs.hpp"
#include "service/sessions/wire_checks.hpp"
#include "service/views/visible_view.hpp"

namespace troupe::service {
namespace {

/// The longest wait for the first message, which a correct client sends at once.
constexpr std::chrono::seconds kGreetingTime{10};
/// The longest wait for a client to read the last message, because some clients never do.
constexpr std::chrono::seconds kGoodbyeTime{2};
/// After a client's last message, the session waits this long in case gRPC reports that the client has died.
constexpr std::chrono::milliseconds kDyingTime{50};
/// If a session used at least this many bytes, free memory is given back to the system when the session ends. Giving
/// memory back takes milliseconds.
constexpr std::uint64_t kManyBytes = 4 << 20U;

/// The largest size of a usual message, in bytes. Larger messages of Troupe's own clients are only partitions into very
/// many blocks.
constexpr std::size_t kUsualMessage = 1 << 20U;

/// Returns the limit of tasks in flight that is sent to the client. A correct client waits when it has reached the
/// limit. The memory that its user may have must therefore be enough for that many tasks.
std::uint64_t affordable_tasks(const MemoryAccount& client) {
  return std::max<std::uint64_t>(client.above()->most().count / 4 / costs::kTask, 1);
}

Failure malformed() { return violation("message", "it is no message of this protocol"); }

Failure no_memory() { return {ErrorCode::out_of_memory, "the service ran out of memory while it served this client"}; }

}  // namespace

Session::Session(const SessionHost& host, std::uint64_t id, Peer peer)
    : host_(host), id_(id), peer_(std::move(peer)), thread_hold_(host_.budgets, Resource::threads, peer_.user) {
  view_.id = id_;
  view_.user = peer_.user;
  view_.user_name = platform::user_name(peer_.user);
  view_.process = peer_.process;
  view_.state = "running";
}

void Session::start(SessionStream& stream, std::function<void(Session&)> ended) {
  stream_ = &stream;
  ended_ = std::move(ended);
  thread_ = std::thread([this] { run(); });
}

SessionView Session::look() const {
  const LockGuard lock(mutex_);
  SessionView view = view_;
  view.age = Clock::now() - began_;
  if (!work_) return view;
  const SessionWork::Counts counts = work_->counts();
  view.submitted = counts.submitted;
  view.ended = counts.ended;
  view.failed = counts.failed;
  view.worker_time = work_->worker_time();
  view.memory = memory_->used();
  return view;
}

std::optional<WhyReport> Session::why() const {
  const LockGuard lock(mutex_);
  if (!work_) return std::nullopt;
  return work_->why();
}

std::uint64_t Session::cancel(const Failure& reason) {
  mailbox_->change([&](SessionNews& news) { news.cancel = reason; });
  const LockGuard lock(mutex_);
  return work_ ? work_->in_flight() : 0;
}

void Session::drain(const Failure& reason) {
  mailbox_->change([&](SessionNews& news) { news.drain = reason; });
}

void Session::received(grpc::ByteBuffer message) {
  mailbox_->change([&](SessionNews& news) { news.messages.push_back(std::move(message)); });
}

void Session::received_all() {
  mailbox_->change([](SessionNews& news) { news.received_all = true; });
}

void Session::wrote(bool ok) {
  mailbox_->change([ok](SessionNews& news) {
    news.wrote = true;
    if (!ok) news.gone = true;
  });
}

void Session::gone() {
  mailbox_->change([](SessionNews& news) { news.gone = true; });
}

void Session::run() {
  std::optional<Failure> why;
  try {
    why = serve();
  } catch (const std::bad_alloc&) {
    why = no_memory();
  } catch (const std::exception& error) {
    why = Failure{ErrorCode::io, fmt::format("the service failed while it served this client: {}", error.what())};
  }
  if (work_) work_->withdraw({ErrorCode::cancelled, "the session has ended"});
  if (why && !gone_) say_goodbye(*why);
  wait_until_written();
  // The client may close its memory connection from now on. Stop watching the connection, so that its end does not look
  // like the client's death.
  if (traffic_.received_all && memory_) memory_->unwatch();
  std::exchange(stream_, nullptr)->finish();
  if (traffic_.received_all && work_) wait_for_cancellation();
  const bool known = work_ != nullptr;
  take_down();
  [[maybe_unused]] const auto given_back = thread_hold_.set(0);
  if (known || why) log(why ? LogLevel::warning : LogLevel::info, known ? "session ended" : "client refused", why);
  ended_(*this);
}

std::optional<Failure> Session::serve() {
  listen();
  const Clock::time_point latest = began_ + kGreetingTime;
  while (!work_) {
    if (Clock::now() >= latest) {
      return Failure{
          ErrorCode::invalid_argument,
          fmt::format("the client said nothing for {} seconds: the first message is 'hello'", kGreetingTime.count())};
    }
    if (!handle(mailbox_->take(latest))) return goodbye_;
  }
  while (handle(next_news())) {
  }
  return goodbye_;
}

SessionNews Session::next_news() {
  std::optional<Clock::time_point> until = latest_;
  if (const auto tell_at = work_->tell_at(); !traffic_.writing && tell_at && (!until || *tell_at < *until))
    until = tell_at;
  return until ? mailbox_->take(*until) : mailbox_->take();
}

bool Session::handle(SessionNews news) {
  gone_ = gone_ || news.gone;
  traffic_.received_all = traffic_.received_all || news.received_all;
  if (news.wrote) traffic_.writing = false;
  if (!news.messages.empty()) traffic_.reading = false;
  std::move(news.messages.begin(), news.messages.end(), std::back_inserter(messages_));
  if (gone_) return false;
  if (news.drain) {
    draining_ = news.drain;
    if (work_) work_->refuse_more(*draining_);
  }
  if (news.cancel && work_) {
    work_->withdraw(*news.cancel);
    // After a drain, a cancellation means that the service is ending. No client may delay the end for longer than
    // `kGoodbyeTime`.
    if (draining_) latest_ = Clock::now() + kGoodbyeTime;
    const LockGuard lock(mutex_);
    view_.state = "cancelled";
  }
  while (!messages_.empty() && !(work_ && work_->overloaded())) {
    grpc::ByteBuffer message = std::move(messages_.front());
    messages_.pop_front();
    listen();
    used_ = thread_time();
    auto handled = handle(message);
    rest();
    if (!handled) {
      goodbye_ = handled.failure();
      return false;
    }
  }
  if (work_) tell();
  listen();
  if (traffic_.received_all && messages_.empty()) return false;
  const bool unread = traffic_.writing || (work_ && !work_->idle());
  // `late` is true if the time is over: the client may be suspended and not read, or one of its kernels may not end.
  const bool late = latest_ && Clock::now() >= *latest_;
  if (!draining_ || (unread && !late)) return true;
  goodbye_ = draining_;
  return false;
}

void Session::rest() {
  // Each pause is short, because meanwhile the client or the other users may leave.
  constexpr std::chrono::milliseconds kLongestRest{20};
  const Clock::time_point now = Clock::now();
  const Duration used = thread_time();
  host_.time->spend(peer_.user, used - std::exchange(used_, used), now);
  if (!host_.several_users->load(std::memory_order_relaxed)) return;
  const Clock::time_point ready = host_.time->ready_at(peer_.user, now);
  if (ready > now) std::this_thread::sleep_until(std::min(ready, now + kLongestRest));
}

Result<void> Session::handle(grpc::ByteBuffer& bytes) {
  MessageReader message(bytes);
  constexpr std::uint64_t kBetweenRests = 256;
  for (std::uint64_t count = 1; message.next(); ++count) {
    if (auto handled = handle(message); !handled) return handled;
    if (count % kBetweenRests == 0) rest();
  }
  // Free the memory that was needed for a large message; small messages do not need it.
  if (bytes.Length() > kUsualMessage) incoming_ = {};
  if (message.malformed()) return malformed();
  if (!work_) return violation("operations", "none, and 'hello' comes first");
  return {};
}

Result<void> Session::handle(MessageReader& message) {
  const std::uint64_t parsed = message.size() * costs::kParsed;
  if (!work_ && parsed > kUsualMessage) return violation("operations", "the first one is not 'hello'");
  if (work_) {
    if (auto room = work_->make_room(parsed); !room) return room;
  }
  if (!message.read(incoming_)) return malformed();
  return work_ ? work_->apply(incoming_) : welcome(incoming_);
}

Result<std::shared_ptr<ClientMemory>> Session::find_memory(const v1::Hello& hello) const {
  if (hello.protocol_version() != remote::kProtocolVersion) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("the service speaks version {} of the protocol (Troupe {}), the client version {}: use "
                               "the same release of Troupe on both sides",
                               remote::kProtocolVersion, TROUPE_VERSION, hello.protocol_version())};
  }
  Token token{};
  if (hello.token().size() != token.size()) {
    return violation("hello.token", fmt::format("{} bytes; a token has {}", hello.token().size(), token.size()));
  }
  std::copy(hello.token().begin(), hello.token().end(), token.begin());
  auto memory = host_.memory.find(token);
  if (!memory || memory->peer().user != peer_.user) {
    return violation("hello.token", "no connection to the memory socket has it");
  }
  return memory;
}

Result<void> Session::welcome(const v1::Operation& first) {
  if (!first.has_hello()) return violation("operations", "the first one is not 'hello'");
  const v1::Hello& hello = first.hello();
  auto memory = find_memory(hello);
  if (!memory) return memory.failure();
  if (auto named = check_name("hello.name", hello.name()); !named) return named;
  if (draining_) return *draining_;
  const auto gone = [mailbox = mailbox_] { mailbox->change([](SessionNews& news) { news.gone = true; }); };
  if (!memory.value()->watch(gone)) return violation("hello.token", "another session uses it");
  memory_ = std::move(memory).value();
  name_ = hello.name().empty() ? fmt::format("process {}", peer_.process) : hello.name();
  if (host_.options.weight) weight_ = std::max(host_.options.weight(peer_.user), 1e-6);
  auto work = std::make_unique<SessionWork>(
      SessionWork::Collaborators{host_.system, host_.codelets, host_.options.limits, memory_, host_.refused,
                                 host_.budgets},
      SessionWork::Options{graph_name(id_, name_), peer_.user, weight_}, [mailbox = mailbox_] { mailbox->wake(); });
  v1::Welcome& welcome = *work->outbox().add().mutable_welcome();
  welcome.set_session(id_);
  welcome.set_service_version(TROUPE_VERSION);
  welcome.set_workers(static_cast<std::uint32_t>(host_.system.workers()));
  welcome.set_policy(host_.system.policy());
  welcome.set_most_tasks(std::min(host_.options.limits.tasks, affordable_tasks(memory_->account())));
  welcome.set_most_memory(host_.options.limits.memory.count);
  welcome.set_most_handles(host_.options.limits.handles);
  {
    const LockGuard lock(mutex_);
    work_ = std::move(work);
    view_.name = name_;
    view_.weight = weight_;
  }
  log(LogLevel::info, "session opened");
  return {};
}

void Session::listen() {
  if (traffic_.reading || traffic_.received_all || !messages_.empty()) return;
  traffic_.reading = true;
  stream_->read();
}

void Session::tell() {
  if (traffic_.writing || !work_->tell(outgoing_)) return;
  traffic_.writing = true;
  stream_->write(outgoing_);
}

void Session::say_goodbye(const Failure& why) {
  wait_until_written();
  if (gone_) return;
  outgoing_.Clear();
  // The message first reports the tasks that have ended, then the reason for the end.
  if (work_) work_->tell(outgoing_, true);
  fill(*outgoing_.add_events()->mutable_goodbye()->mutable_problem(), why);
  traffic_.writing = true;
  stream_->write(outgoing_);
}

void Session::wait_until_written() {
  const Clock::time_point latest = Clock::now() + kGoodbyeTime;
  bool given_up = false;
  while (traffic_.writing) {
    const SessionNews news = given_up ? mailbox_->take() : mailbox_->take(latest);
    gone_ = gone_ || news.gone;
    if (news.wrote) traffic_.writing = false;
    if (!traffic_.writing || given_up || (Clock::now() < latest && !gone_)) continue;
    stream_->give_up();
    given_up = true;
  }
}

void Session::wait_for_cancellation() {
  const Clock::time_point latest = Clock::now() + kDyingTime;
  while (!gone_ && Clock::now() < latest) gone_ = mailbox_->take(latest).gone;
}

void Session::take_down() {
  if (!work_) return;
  {
    const LockGuard lock(mutex_);
    if (view_.state == "running") view_.state = "gone";
  }
  memory_->unwatch();
  work_->wind_up();
  SessionView last = look();
  const std::uint64_t needed = work_->highest_bytes();
  std::unique_ptr<SessionWork> work;
  {
    const LockGuard lock(mutex_);
    work = std::move(work_);
  }
  work.reset();
  // The session's objects are freed, but the allocator keeps their memory. The service may not need that memory again.
  if (needed >= kManyBytes) platform::give_back_free_memory();
  last.memory = {};
  // A client that closed its stream has ended by itself ("done"). All other clients were killed, lost their connections
  // or broke the protocol ("lost").
  if (last.state == "gone") last.state = traffic_.received_all && !gone_ ? "done" : "lost";
  const LockGuard lock(mutex_);
  view_ = last;
}

void Session::log(LogLevel level, std::string_view event, const std::optional<Failure>& why) const {
  if (!host_.options.log) return;
  std::vector<LogField> fields{{"session", std::to_string(id_)},
                               {"user", std::to_string(peer_.user)},
                               {"process", std::to_string(peer_.process)}};
  if (!name_.empty()) fields.emplace_back("name", name_);
  if (why) fields.emplace_back("reason", why->message);
  host_.options.log(level, event, fields);
}

}  // namespace troupe::service
