/// The messages between actors. Commands have names in the imperative; facts have names in the past.
///
/// No message carries tasks, because a message can be lost when an actor dies, and a task must not be lost. Tasks lie
/// in deques, which outlive the actors; messages only say that there are tasks.
#pragma once

#include <cstdint>

#include "troupe/ids.hpp"

namespace troupe {

/// supervisor -> worker: bind your thread to your core, and begin.
struct StartWorker {};
/// worker -> supervisor: I have begun, and look for work. `bound` is false if my thread could not be bound to a core.
struct WorkerStarted {
  WorkerId worker;
  bool bound = false;
};
/// supervisor -> itself: try again to replace dead workers; a replacement got no thread.
struct ReplaceDead {};
/// any thread -> a worker without a thread of its own: there is work in a deque.
struct WorkAvailable {};
/// worker -> itself: go on working, after you have handled the messages that came before this one.
struct Continue {};
/// thief -> victim: give me some of your tasks.
struct StealRequest {
  WorkerId thief;
};
/// victim -> thief: I moved this many tasks to your deque. Also supervisor -> workers, with 0 tasks: the actor of
/// `victim` has died and will not answer earlier requests.
struct StealReply {
  WorkerId victim;
  std::uint32_t tasks = 0;
};
/// worker or submitter -> scheduler: there are ready tasks in the activation queue.
struct TasksActivated {};
/// scheduler -> itself: decide where the tasks run that were activated before this message.
struct Decide {};
/// device -> its worker: a started task has ended; the device's completion queue says which task, and with what result.
struct DeviceDone {};
/// memory manager -> worker: for some tasks in your port, the data have arrived on your memory node, or will never
/// arrive.
struct DataArrived {};
/// worker, scheduler, copy engine or program -> memory manager: there are requests or other events in your inbox.
struct DataRequested {};
/// runtime -> supervisor -> all: end your work. Sent when no task is left.
struct Stop {};

}  // namespace troupe
