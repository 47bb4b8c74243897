/// Tasks that run in pieces: the functions of the worker actor.
#include "actors/workers/worker_actor.hpp"

namespace troupe::workers {

using graph::TaskEvent;

void WorkerActor::help(const Step& step) {
  note_busy();
  message_handled();
  note_state(WorkerActivity::helping, step.shared->task().task_id());
  helps_ = true;
  port_.board.works_on(step.shared);
  note_running(step.shared->task(), core_.looked_at());
  crew_.tell({.kind = TaskEvent::Kind::joined, .worker = setup_->id});
  const PiecesDone pieces =
      active_->help(*step.shared, step.pieces, [this] { return mail_waits() || core_.is_wanted(); });
  if (pieces.of != nullptr) leave(pieces);
}

void WorkerActor::pieces_done(const PiecesDone& pieces) noexcept { tell_itself({nullptr, nullptr, {}, pieces}); }

void WorkerActor::leave(const PiecesDone& pieces) {
  SharedPieces& shared = *pieces.of;
  // All of this is done before `shared.leave`, because after that call another worker may end and destroy the task.
  is_off_the_device(shared.task());
  port_.board.works_on(nullptr);
  // Observers are told before the task may end.
  tell(TaskEvent::Kind::stopped, setup_->id, shared.task());
  if (pieces.owner) {
    core_.stopped(pieces);
  } else {
    core_.helped(pieces);
    helps_ = false;
    note_state(WorkerActivity::working);
  }
  if (!shared.leave(pieces)) return;
  const SharedPieces::Ended ended = shared.let_go();
  const bool failed = ended.cause != nullptr || ended.task->told();
  tell(failed ? TaskEvent::Kind::failed : TaskEvent::Kind::ended, ended.owner, *ended.task, ended.took);
  core_.last_piece_ended(*ended.task, ended.cause);
}

}  // namespace troupe::workers
