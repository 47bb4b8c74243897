#include "service/sessions/session_costs.hpp"

namespace troupe::service::costs {
namespace {

std::uint64_t of_tasks(const v1::Tasks& tasks) {
  std::uint64_t bytes = kTask * static_cast<std::uint64_t>(tasks.codelet_size()) +
                        kAccess * static_cast<std::uint64_t>(tasks.handle_size());
  for (const v1::TaskDetail& detail : tasks.details()) {
    bytes += of_detail(detail);
  }
  return bytes;
}

}  // namespace

std::uint64_t of_codelet(const v1::OpenCodelet& message) {
  constexpr std::uint64_t kParameter = 64;
  const auto count = static_cast<std::uint64_t>(message.modes_size()) +
                     static_cast<std::uint64_t>(message.parameters_size()) +
                     static_cast<std::uint64_t>(message.arguments_size());
  return kCodelet + kParameter * count;
}

bool is_request(const v1::Operation& operation) {
  switch (operation.kind_case()) {
    case v1::Operation::kPartition:
    case v1::Operation::kAcquire:
    case v1::Operation::kSetReduction:
    case v1::Operation::kReleaseData:
    case v1::Operation::kWaitAll: return true;
    default: return false;
  }
}

std::uint64_t of_operation(const v1::Operation& operation) {
  switch (operation.kind_case()) {
    case v1::Operation::kOpenCodelet: return of_codelet(operation.open_codelet());
    case v1::Operation::kRegisterData: return kHandle;
    case v1::Operation::kPartition: {
      const v1::Partition& partition = operation.partition();
      const std::uint64_t each = partition.anew() ? kHandle + kDivision : kHandle;
      return kRequest + each * static_cast<std::uint64_t>(partition.handles_size());
    }
    case v1::Operation::kTasks: return of_tasks(operation.tasks());
    case v1::Operation::kBeginRecording: return kRecording;
    case v1::Operation::kReplay: return kTask;
    case v1::Operation::kAcquire:
    case v1::Operation::kSetReduction:
    case v1::Operation::kReleaseData:
    case v1::Operation::kWaitAll:
    case v1::Operation::kKeep: return kRequest;
    default: return 0;
  }
}

}  // namespace troupe::service::costs
