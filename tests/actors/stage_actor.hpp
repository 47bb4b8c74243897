/// Lets tests check the messages between actors: CAF's deterministic scheduler, and actors that only record the
/// messages that they receive.
#pragma once

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <memory>
#include <string>
#include <vector>

#include "proto/messages_actor.hpp"

namespace troupe::tests {

inline std::string in_words(const StartWorker&) { return "start worker"; }
inline std::string in_words(const WorkerStarted& m) {
  return "worker " + std::to_string(m.worker.value()) + " started" + (m.bound ? ", bound" : "");
}
inline std::string in_words(const WorkAvailable&) { return "work available"; }
inline std::string in_words(const StealRequest& m) { return std::to_string(m.thief.value()) + " asks for tasks"; }
inline std::string in_words(const StealReply& m) {
  return std::to_string(m.victim.value()) + " gave " + std::to_string(m.tasks);
}
inline std::string in_words(const TasksActivated&) { return "tasks activated"; }
inline std::string in_words(const Decide&) { return "decide"; }
inline std::string in_words(const Stop&) { return "stop"; }

using Lines = std::vector<std::string>;

/// Actors run in the test's thread, and only if the test lets them run.
class Stage {
 public:
  Stage() : system(configuration_) {}

  /// Returns an actor that writes "name: message" for every message of the given types.
  template <class... Message>
  caf::actor listener(const std::string& name) {
    const auto behavior = [this](caf::event_based_actor* self, const std::string& name) -> caf::behavior {
      return caf::behavior{
          [this, name](const Message& message) { heard_.push_back(name + ": " + in_words(message)); }...,
          [self](const Stop&) { self->quit(caf::exit_reason::normal); }};
    };
    // The name is an argument, not a capture. Without arguments CAF 0.17.6 binds a reference to null, which UBSan
    // reports.
    return system.spawn(behavior, name);
  }
  template <class Message>
  void tell(const caf::actor& actor, Message message) {
    caf::anon_send(actor, std::move(message));
  }
  /// Lets all actors handle their messages until no message is left.
  void play() { coordinator().run(); }
  /// Advances the time until all delayed messages have arrived.
  void wait() { coordinator().trigger_timeouts(); }
  /// Lets the actor with the oldest message handle one message.
  void step() { coordinator().run_once(); }
  /// Returns the lines that the listeners have recorded since the last call.
  Lines heard() { return std::exchange(heard_, {}); }

 private:
  struct Configuration : caf::actor_system_config {
    Configuration() {
      add_message_types<caf::id_block::troupe>();
      set("scheduler.policy", caf::atom("testing"));
    }
  };
  caf::scheduler::test_coordinator& coordinator() {
    return static_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  }

  Lines heard_;
  Configuration configuration_;

 public:
  caf::actor_system system;
};

}  // namespace troupe::tests
