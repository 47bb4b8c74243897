#include "service/budgets/user_calls.hpp"

#include <fmt/format.h>

#include <chrono>

namespace troupe::service {
namespace {

constexpr double kRefusalsPerSecond = 20;
constexpr double kRefusalsAtOnce = 100;

double mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1048576.0; }

}  // namespace

UserCalls::UserCalls(const Limits& limits)
    : limits_(limits),
      rates_(limits.per_second, limits.per_second),
      refusals_(kRefusalsPerSecond, kRefusalsAtOnce),
      arrivals_(limits.per_second, limits.per_second) {}

std::optional<Failure> UserCalls::why_not(std::uint32_t user, Clock::time_point now) {
  const auto found = open_.find(user);
  const Open open = found != open_.end() ? found->second : Open{};
  if (open.calls >= limits_.most_open) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("the service has {} calls of user {} to answer, or whose answers he has not read, and "
                               "takes no more: read the answers",
                               open.calls, user)};
  }
  if (open.bytes >= limits_.unread.count) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("user {} has not read {:.1f} MiB of answers, and gets no more (limits.unread_answers): "
                               "read them",
                               user, mebibytes(open.bytes))};
  }
  if (rates_.try_take(user, now) > now) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("user {} makes more than {} calls a second (limits.calls_per_s): wait a second", user,
                               limits_.per_second)};
  }
  return std::nullopt;
}

std::optional<UserCalls::Refusal> UserCalls::begin(std::uint32_t user, Clock::time_point now) {
  const LockGuard lock(mutex_);
  arrivals_.take_anyway(user, now);
  if (auto why = why_not(user, now)) return Refusal{std::move(*why), refusals_.try_take(user, now) > now};
  ++open_[user].calls;
  return std::nullopt;
}

UserCalls::Clock::time_point UserCalls::ready_at(std::uint32_t user, Clock::time_point now) {
  constexpr std::chrono::milliseconds kLookAgain{20};
  const LockGuard lock(mutex_);
  if (const auto found = open_.find(user); found != open_.end()) {
    const Open& open = found->second;
    if (open.calls > limits_.most_open / 2 || open.bytes > limits_.unread.count / 2) return now + kLookAgain;
  }
  return arrivals_.ready_at(user, now);
}

void UserCalls::answered(std::uint32_t user, std::uint64_t bytes) {
  const LockGuard lock(mutex_);
  open_[user].bytes += bytes;
}

void UserCalls::done(std::uint32_t user, std::uint64_t bytes) {
  const LockGuard lock(mutex_);
  const auto found = open_.find(user);
  found->second.bytes -= bytes;
  if (--found->second.calls == 0) open_.erase(found);
}

}  // namespace troupe::service
