#include "service/sessions/task_columns.hpp"

#include <fmt/format.h>

#include "graph/codelets/codelet_definition.hpp"
#include "service/sessions/wire_checks.hpp"
#include "troupe/devices.hpp"

namespace troupe::service {
namespace {

/// Checks a list that must be empty or have one element per task.
Result<void> check_length(std::string_view field, int length, int tasks) {
  if (length == 0 || length == tasks) return {};
  return violation(field, fmt::format("{} elements for {} tasks", length, tasks));
}

template <class Names>
Result<void> check_kinds(std::string_view field, const Names& names) {
  for (const std::string& name : names) {
    if (!device_kind_named(name)) return violation(field, fmt::format("'{}' is no kind of device", name));
  }
  return {};
}

/// The limits for the device choices of a task, and for the names in a choice. Comparing names with the names of all
/// workers takes time from other users.
constexpr int kMostChoices = 8;
constexpr int kMostNames = 16;

Result<void> check_choice(const v1::DeviceChoice& choice) {
  if (auto kinds = check_kinds("tasks.details.choices.kinds", choice.kinds()); !kinds) return kinds;
  if (choice.workers().empty() && choice.names().empty()) {
    return violation("tasks.details.choices", "neither a worker nor a name");
  }
  if (choice.names_size() > kMostNames) {
    return violation("tasks.details.choices.names",
                     fmt::format("{}, and {} are the most", choice.names_size(), kMostNames));
  }
  for (const std::string& name : choice.names()) {
    if (name.empty()) return violation("tasks.details.choices.names", "one is empty");
    if (auto valid = check_name("tasks.details.choices.names", name); !valid) return valid;
  }
  return {};
}

Result<void> check_details(const v1::Tasks& message) {
  std::int64_t before = -1;
  for (const v1::TaskDetail& detail : message.details()) {
    if (static_cast<std::int64_t>(detail.task()) <= before ||
        detail.task() >= static_cast<std::uint32_t>(message.codelet_size())) {
      return violation("tasks.details.task", fmt::format("{} after {}, of {} tasks: places in the list come in their "
                                                         "order, once each",
                                                         detail.task(), before, message.codelet_size()));
    }
    before = detail.task();
    if (auto named = check_name("tasks.details.name", detail.name()); !named) return named;
    if (auto kinds = check_kinds("tasks.details.devices", detail.devices()); !kinds) return kinds;
    if (detail.weak_mode().size() != static_cast<std::size_t>(detail.weak_size())) {
      return violation("tasks.details.weak_mode",
                       fmt::format("{} modes for {} handles", detail.weak_mode().size(), detail.weak_size()));
    }
    if (detail.weak_size() > 0 && !detail.nested()) {
      return violation("tasks.details.weak", "only nested tasks have weak data");
    }
    if (detail.choices_size() > kMostChoices) {
      return violation("tasks.details.choices",
                       fmt::format("{}, and {} are the most", detail.choices_size(), kMostChoices));
    }
    for (const v1::DeviceChoice& choice : detail.choices()) {
      if (auto valid = check_choice(choice); !valid) return valid;
    }
  }
  return {};
}

}  // namespace

Result<TaskColumns> TaskColumns::read(const v1::Tasks& message, const SessionCodelets& codelets) {
  const int tasks = message.codelet_size();
  if (auto fits = check_length("tasks.accesses", message.accesses_size(), tasks); !fits) return fits.failure();
  if (auto fits = check_length("tasks.priority", message.priority_size(), tasks); !fits) return fits.failure();
  if (auto valid = check_details(message); !valid) return valid.failure();
  std::uint64_t handles = 0;
  for (const std::uint32_t count : message.accesses()) handles += count;
  const auto handle_size = static_cast<std::uint64_t>(message.handle_size());
  if (handles != handle_size) {
    return violation("tasks.handle", fmt::format("{} handles, and the tasks have {}", handle_size, handles));
  }
  if (!message.mode().empty() && message.mode().size() != handle_size) {
    return violation("tasks.mode", fmt::format("{} modes for {} handles", message.mode().size(), handle_size));
  }
  std::uint64_t arguments = 0;
  for (const std::uint32_t number : message.codelet()) {
    const SessionCodelet* const codelet = codelets.find(number);
    if (codelet == nullptr) return violation("tasks.codelet", fmt::format("no codelet was opened as {}", number));
    arguments += codelet->argument_bytes;
    if (codelet->variadic && message.mode().empty() && handle_size > 0) {
      return violation("tasks.mode", "none, and a codelet that takes any number of handles says none either");
    }
  }
  if (arguments != message.arguments().size()) {
    return violation("tasks.arguments",
                     fmt::format("{} bytes, and the tasks' arguments take {}", message.arguments().size(), arguments));
  }
  return TaskColumns(message, codelets);
}

TaskRow TaskColumns::next() {
  TaskRow row;
  row.codelet = codelets_->find(message_->codelet(row_));
  if (message_->accesses_size() > 0) {
    const std::size_t count = message_->accesses(row_);
    row.handles = {message_->handle().data() + handle_, count};
    if (!message_->mode().empty()) row.modes = std::string_view(message_->mode()).substr(handle_, count);
    handle_ += count;
  }
  row.arguments = message_->arguments().data() + argument_;
  argument_ += row.codelet->argument_bytes;
  if (message_->priority_size() > 0) row.priority = message_->priority(row_);
  if (detail_ < message_->details_size() && message_->details(detail_).task() == static_cast<std::uint32_t>(row_)) {
    row.detail = &message_->details(detail_++);
  }
  ++row_;
  return row;
}

}  // namespace troupe::service
