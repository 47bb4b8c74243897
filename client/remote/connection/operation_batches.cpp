#include "client/remote/connection/operation_batches.hpp"

#include <algorithm>
#include <utility>

#include "client/remote/connection/wire_text.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "troupe/devices.hpp"

namespace troupe::remote {

v1::AccessMode to_wire(AccessMode mode) {
  switch (mode) {
    case AccessMode::read: return v1::READ;
    case AccessMode::write: return v1::WRITE;
    case AccessMode::read_write: return v1::READ_WRITE;
    case AccessMode::commute: return v1::COMMUTE;
    case AccessMode::reduce: return v1::REDUCE;
  }
  return v1::READ_WRITE;
}

namespace {

/// Adds the devices to the message, and returns their approximate size in bytes.
std::size_t add_devices(v1::TaskDetail& detail, const DeviceSet& devices) {
  const auto add_kinds = [](KindSet kinds, auto& names) {
    for (const DeviceTraits& row : kDeviceTraits) {
      if ((kinds & kind_set(row.kind)) != 0) names.Add()->assign(row.name);
    }
  };
  if (devices.kinds() != kEveryKind) add_kinds(devices.kinds(), *detail.mutable_devices());
  for (const DeviceChoice& choice : devices.choices()) {
    v1::DeviceChoice& named = *detail.add_choices();
    add_kinds(choice.kinds, *named.mutable_kinds());
    for (const WorkerId worker : choice.workers) named.add_workers(worker.value());
    for (const std::string& name : choice.names) named.add_names(wire_text(name));
  }
  return devices.all() ? 0 : detail.ByteSizeLong();
}

/// Adds nesting and weak accesses to the message, and returns their approximate bytes.
std::size_t add_nesting(v1::TaskDetail& detail, const TaskOptions& options) {
  detail.set_nested(true);
  for (const Access& access : options.weak) {
    detail.add_weak(access.handle.id().value());
    detail.mutable_weak_mode()->push_back(static_cast<char>(to_wire(access.mode.value_or(AccessMode::read))));
  }
  return 2 + options.weak.size() * 6;
}

}  // namespace

OperationBatches::OperationBatches(std::uint64_t most_tasks)
    : most_tasks_(std::clamp<std::uint64_t>(most_tasks, 1, kFullTasks)) {}

void OperationBatches::close() {
  full_.push_back(std::move(current_));
  bytes_ = 0;
  list_ = nullptr;
}

void OperationBatches::make_room() {
  if (current_ != nullptr && (bytes_ >= kFullBytes || current_->tasks >= most_tasks_)) close();
  if (current_ == nullptr) current_ = std::make_unique<Batch>();
}

void OperationBatches::begin_list(std::uint64_t first) {
  list_ = current_->message.add_operations()->mutable_tasks();
  list_->set_first(first);
  next_number_ = first;
  count_ = 0;
  has_modes_ = false;
}

void OperationBatches::add_task(const EncodedTask& task) {
  make_room();
  const graph::TaskSpecification& specification = task.specification;
  const std::span<const Access> accesses = specification.accesses;
  const bool names_modes = specification.codelet.definition().variadic && !accesses.empty();
  const bool has_handles = list_ != nullptr && list_->handle_size() != 0;
  const bool other_kind = !accesses.empty() && has_handles && has_modes_ != names_modes;
  if (list_ == nullptr || next_number_ != task.number || other_kind) begin_list(task.number);
  has_modes_ = has_modes_ || names_modes;

  list_->add_codelet(task.codelet);
  if (!accesses.empty() && list_->accesses_size() == 0) list_->mutable_accesses()->Resize(count_, 0);
  if (!accesses.empty() || list_->accesses_size() != 0) {
    list_->add_accesses(static_cast<std::uint32_t>(accesses.size()));
  }
  for (const Access& access : accesses) {
    list_->add_handle(access.handle.id().value());
    if (names_modes) {
      list_->mutable_mode()->push_back(static_cast<char>(to_wire(access.mode.value_or(AccessMode::read))));
    }
  }
  const auto arguments = specification.arguments.bytes();
  if (!arguments.empty()) {
    list_->mutable_arguments()->append(reinterpret_cast<const char*>(arguments.data()), arguments.size());
  }
  const TaskOptions& options = specification.options;
  if (options.priority != 0 && list_->priority_size() == 0) list_->mutable_priority()->Resize(count_, 0);
  if (options.priority != 0 || list_->priority_size() != 0) list_->add_priority(options.priority);
  if (!options.name.empty() || !task.after.empty() || options.callback || !options.devices.all() || options.nested) {
    v1::TaskDetail& detail = *list_->add_details();
    detail.set_task(static_cast<std::uint32_t>(count_));
    detail.set_name(wire_text(options.name));
    for (const std::uint64_t number : task.after) detail.add_after(number);
    if (options.callback) detail.set_awaited(true);
    if (options.nested) bytes_ += add_nesting(detail, options);
    bytes_ += add_devices(detail, options.devices);
    bytes_ += 8 + detail.name().size() + task.after.size() * 5;
  }
  ++count_;
  ++next_number_;
  current_->needs = ++current_->tasks;
  bytes_ += 4 + accesses.size() * 4 + arguments.size();
}

v1::Operation& OperationBatches::add(std::size_t bytes) {
  make_room();
  list_ = nullptr;
  bytes_ += bytes;
  return *current_->message.add_operations();
}

v1::Operation& OperationBatches::add_run(std::size_t bytes, std::uint64_t weight) {
  v1::Operation& operation = add(bytes);
  current_->needs = current_->tasks + 1;
  current_->tasks += weight;
  return operation;
}

std::unique_ptr<OperationBatches::Batch> OperationBatches::take() {
  if (full_.empty()) close();
  std::unique_ptr<Batch> batch = std::move(full_.front());
  full_.pop_front();
  return batch;
}

std::uint64_t OperationBatches::next_needs() const { return full_.empty() ? current_->needs : full_.front()->needs; }

void OperationBatches::append(OperationBatches& other, bool counts) {
  if (other.empty()) return;
  if (current_ != nullptr) close();
  while (!other.empty()) {
    full_.push_back(other.take());
    if (!counts) full_.back()->tasks = full_.back()->needs = 0;
  }
}

}  // namespace troupe::remote
