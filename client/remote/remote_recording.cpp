#include "client/remote/remote_recording.hpp"

#include <algorithm>
#include <utility>

#include "client/remote/connection/wire_text.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/submission_checks.hpp"
#include "graph/tasks/block_pool.hpp"

namespace troupe::remote {

RemoteBackend::Recorded::~Recorded() {
  const std::shared_ptr<Session> session = session_.lock();
  if (number_ == 0 || session == nullptr || session->is_lost()) return;
  auto lock = session->sender().lock();
  session->sender().operations().add().mutable_drop_recording()->set_recording(number_);
  session->sender().send(lock);
}

Result<Future> RemoteBackend::submit_recorded(const graph::TaskSpecification& specification, std::uint32_t codelet,
                                              graph::Recording& recording) {
  const auto lock = session_->sender().lock();
  if (auto valid = graph::check_accesses(specification, registry_, ++last_mark_, kEveryKind); !valid)
    return valid.failure();
  if (auto valid = check_weak(specification); !valid) return valid.failure();
  const auto after = numbers_of(specification, &recording);
  if (!after) return after.failure();
  const auto is_its = [&recording](const OpenRecording* open) { return open->recording == &recording; };
  OpenRecording& open = **std::find_if(open_recordings_.begin(), open_recordings_.end(), is_its);

  graph::RecordedTask& task = recording.add();
  const TaskId id(kRecordedBit | ++last_mark_);
  task.id.store(id.value(), std::memory_order_relaxed);
  const std::size_t count = specification.accesses.size();
  if (count > graph::Task::kInlineAccesses) task.accesses = new graph::TaskAccess[count];  // ~Task deletes the array
  task.access_count = static_cast<std::uint32_t>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto mode = graph::mode_of(specification.codelet, specification.accesses[i], i);
    task.accesses[i] = graph::TaskAccess(specification.accesses[i].handle.record(), mode.value());
  }
  if (specification.options.nested) {
    task.role = graph::TaskRole::recorded_nested;
    task.extras = std::make_unique<graph::TaskExtras>();
    task.extras->recorded_weak = graph::weak_accesses(specification.options);
  }
  recording.note_uses(task);
  open.tasks.add_task({open.next++, codelet, specification, after.value()});
  return Future(this, nullptr, id);
}

Result<std::shared_ptr<client::RecordedTasks>> RemoteBackend::record(const std::function<void()>& program,
                                                                     std::string name) {
  if (auto here = home_.check(); !here) return here.failure();
  if (recording_here() != nullptr) return graph::records_in_recording();
  if (graph::ExecutionScope::find(this) != nullptr) return graph::records_in_kernel();
  auto recording = std::make_shared<graph::Recording>(std::move(name));
  OpenRecording open{recording.get(), OperationBatches(), 1};
  {
    const auto lock = session_->sender().lock();
    open_recordings_.push_back(&open);
  }
  recording_threads_.fetch_add(1, std::memory_order_relaxed);
  const auto end = [&] {
    recording_threads_.fetch_sub(1, std::memory_order_relaxed);
    const auto lock = session_->sender().lock();
    std::erase(open_recordings_, &open);
  };
  try {
    const graph::RecordingScope scope(this, recording.get());
    program();
  } catch (...) {
    end();
    throw;
  }
  end();
  return seal(std::move(recording), open);
}

Result<std::shared_ptr<client::RecordedTasks>> RemoteBackend::seal(std::shared_ptr<graph::Recording> recording,
                                                                   OpenRecording& open) {
  // Only the data that the recording uses matter here: its tasks have no edges.
  graph::BlockPool<graph::EdgeBlock> pool;
  graph::BlockPool<graph::EdgeBlock>::Cache cache;
  recording->seal(pool, cache);
  auto lock = session_->sender().lock();
  // If some of the data were released, the recording cannot run any more. The service does not know these data, so the
  // recording is not sent.
  if (!graph::rebind(*recording, registry_, {})) {
    const std::size_t size = recording->size();
    return std::shared_ptr<client::RecordedTasks>(std::make_shared<Recorded>(*this, std::move(recording), 0, size));
  }
  const std::uint64_t number = ++last_recording_;
  OperationBatches& operations = session_->sender().operations();
  v1::BeginRecording& begin = *operations.add(32 + recording->name().size()).mutable_begin_recording();
  begin.set_recording(number);
  begin.set_name(wire_text(recording->name()));
  operations.append(open.tasks, false);
  const auto answer = session_->call(std::move(lock), [](v1::Operation& operation, std::uint64_t request) {
    operation.mutable_end_recording()->set_request(request);
  });
  if (!answer) return answer.failure();
  return std::shared_ptr<client::RecordedTasks>(
      std::make_shared<Recorded>(*this, std::move(recording), number, answer.value()));
}

Result<Future> RemoteBackend::replay(Recorded& recorded, std::span<const Rebinding> rebindings) {
  if (auto here = home_.check(); !here) return here.failure();
  if (recording_here() != nullptr) return graph::runs_in_recording();
  if (auto room = wait_for_room(); !room) return room.failure();
  const graph::Recording& recording = recorded.recording();
  auto lock = session_->sender().lock();
  if (session_->is_lost()) return loss();
  if (stopped_.load(std::memory_order_relaxed)) return graph::takes_no_runs(recording);
  const auto data = graph::rebind(recording, registry_, rebindings);
  if (!data) return data.failure();
  if (auto valid = graph::check_uses(recording, data.value(), ++last_mark_); !valid) return valid.failure();
  if (registry_.any_to_check()) {
    if (auto usable = graph::check_usable(recording, data.value()); !usable) return usable.failure();
    graph::note_written(registry_, recording, data.value());
  }
  const std::uint64_t number = last_task_.load(std::memory_order_relaxed) + 1;
  session_->ledger().submitted(number, 1 + recorded.size());
  last_task_.store(number, std::memory_order_relaxed);
  std::vector<TasksBehindHold::Use> uses;
  for (std::size_t i = 0; i < data.value().size(); ++i) {
    if (recording.uses()[i].written) data_.will_write(*data.value()[i], number);
    if (!holds_.empty()) uses.push_back({data.value()[i], recording.uses()[i].mode});
  }
  if (!holds_.empty()) note_behind_holds(number, uses, {}, 1 + recorded.size());
  v1::Replay& replay =
      *session_->sender().operations().add_run(16 + 12 * rebindings.size(), 1 + recorded.size()).mutable_replay();
  replay.set_task(number);
  replay.set_recording(recorded.number());
  for (const Rebinding& rebinding : rebindings) {
    v1::Rebinding& filled = *replay.add_rebindings();
    filled.set_recorded(rebinding.recorded.id().value());
    filled.set_now(rebinding.now.id().value());
  }
  session_->sender().send(lock);
  return Future(this, nullptr, TaskId(number));
}

}  // namespace troupe::remote
