/// An actor whose mailbox is measured.
#pragma once

#include <caf/all.hpp>
#include <functional>
#include <memory>
#include <utility>

#include "actors/observation/mailbox_record.hpp"
#include "platform/machine/clock.hpp"

namespace troupe::observation {

/// Stamps every message when it is sent (`enqueue`, in the sender's thread) and when it is handled (`consume`, which
/// CAF calls for each message, system messages included). The clock is read twice for each handled message, and once
/// for each sent message.
class ObservedActor : public caf::event_based_actor {
 public:
  /// `record` and `clock` outlive the actor. Tests of a single actor pass null for both; then nothing is measured.
  ObservedActor(caf::actor_config& config, MailboxRecord* record, const platform::Clock* clock)
      : caf::event_based_actor(config), clock_(clock) {
    if (record != nullptr) meter_ = std::make_unique<MailboxMeter>(*record);
  }

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* host) noexcept override {
    if (meter_) meter_->sent(clock_->now());
    caf::event_based_actor::enqueue(std::move(what), host);
  }

  using caf::event_based_actor::consume;
  caf::invoke_message_result consume(caf::mailbox_element& message) override {
    if (!meter_) return caf::event_based_actor::consume(message);
    meter_->begin(clock_->now());
    const caf::invoke_message_result result = caf::event_based_actor::consume(message);
    if (result == caf::invoke_message_result::skipped) {
      meter_->put_back();
    } else if (meter_->measuring()) {
      meter_->end(clock_->now());
    }
    return result;
  }

  void on_exit() override {
    if (meter_) meter_->close();
  }

 protected:
  /// Called when the handler continues with work that no longer belongs to handling the message, such as kernels.
  void message_handled() noexcept {
    if (meter_ && meter_->measuring()) meter_->end(clock_->now());
  }
  /// Calls `answer`, which handles a message in its sender's thread.
  template <class Answer>
  void answer_at_delivery(Answer&& answer) noexcept {
    const bool timed = meter_ && meter_->record().answers();
    const TimeStamp begin = timed ? clock_->now() : TimeStamp{};
    answer();
    if (timed) meter_->record().answered_in(clock_->now() - begin);
  }

 private:
  std::unique_ptr<MailboxMeter> meter_;
  const platform::Clock* clock_;
};

/// An observed actor whose behaviour is made by a function, for actors that consist of functions over a state.
class ObservedBehavior final : public ObservedActor {
 public:
  using Make = std::function<caf::behavior(caf::event_based_actor*)>;
  ObservedBehavior(caf::actor_config& config, MailboxRecord* record, const platform::Clock* clock, Make make)
      : ObservedActor(config, record, clock), make_(std::move(make)) {}

  /// Makes the behaviour and releases the function `make_`, because the function may hold objects that refer to the
  /// actor.
  caf::behavior make_behavior() override { return std::exchange(make_, nullptr)(this); }

 private:
  Make make_;
};

}  // namespace troupe::observation
