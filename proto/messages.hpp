/// The messages between actors. Names of commands are in the imperative, names of facts in the past.
///
/// No message carries tasks, because a message can be lost when an actor dies, and a task must not be lost. Tasks lie
/// in deques, which outlive the actors; messages say that they are there.
#pragma once

#include <cstdint>

#include "troupe/ids.hpp"

namespace troupe {

/// supervisor -> worker: bind to the core and begin.
struct StartWorker {};
/// worker -> supervisor: I am bound, and look for work. `bound` is false if binding was not possible.
struct WorkerStarted {
  WorkerId worker;
  bool bound = false;
};
/// supervisor -> itself: the replacement for a dead worker got no thread; try again.
struct ReplaceDead {};
/// any thread -> worker that has no thread of its own: there is work in a deque.
struct WorkAvailable {};
/// worker -> itself: continue, after the messages that came meanwhile.
struct Continue {};
/// thief -> victim: give me some of your tasks.
struct StealRequest {
  WorkerId thief;
};
/// victim -> thief: I moved this many tasks to your deque. Also supervisor -> workers, with no tasks: the victim's
/// actor has died and will not answer earlier requests.
struct StealReply {
  WorkerId victim;
  std::uint32_t tasks = 0;
};
/// worker or submitter -> scheduler: there are ready tasks in the activation queue.
struct TasksActivated {};
/// scheduler -> itself: place all that was activated before this message.
struct Decide {};
/// device -> its worker: a started task has ended; the device's completion queue says which task, and with what result.
struct DeviceDone {};
/// memory manager -> worker: your port has tasks whose data are on your memory node, or never will be.
struct DataArrived {};
/// worker, scheduler, copy engine or program -> memory manager: there are requests or other events in your inbox.
struct DataRequested {};
/// runtime -> supervisor -> all: end your work. Sent when no task is left.
struct Stop {};

}  // namespace troupe
