#include "graph/tasks/task_owner.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"

namespace troupe {

const TaskOptions& TaskOptions::none() {
  static const TaskOptions none;
  return none;
}

TaskStatus Future::status() const {
  if (owner_ == nullptr) throw Error(ErrorCode::invalid_argument, "an empty future has no status");
  return owner_->status(*this);
}

void Future::wait() const {
  if (owner_ == nullptr) throw Error(ErrorCode::invalid_argument, "an empty future cannot be waited for");
  owner_->wait(*this).value_or_throw();
}

void Future::cancel() const {
  if (owner_ == nullptr) throw Error(ErrorCode::invalid_argument, "an empty future cannot be cancelled");
  owner_->cancel(*this);
}

}  // namespace troupe
