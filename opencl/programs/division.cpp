#include "opencl/programs/division.hpp"

#include "opencl/objects/refusal.hpp"

namespace troupe::opencl {

void Division::set(cl_uint index, const void* value) {
  const LockGuard lock(mutex_);
  if (index == kFunction) {
    function_ = reinterpret_cast<DivideFunction>(const_cast<void*>(value));
  } else if (index == kData) {
    data_ = const_cast<void*>(value);
  } else {
    require(value != nullptr, CL_INVALID_ARG_VALUE);
    times_.assign(*static_cast<const cl_uint*>(value), 0);
    next_ = 1;
  }
}

Division::Choice Division::choose() {
  const LockGuard lock(mutex_);
  if (next_ < times_.size()) return {function_, data_, next_++};
  cl_uint best = 1;
  for (cl_uint factor = 2; factor < times_.size(); ++factor) {
    if (times_[factor] != 0 && (times_[best] == 0 || times_[factor] < times_[best])) best = factor;
  }
  return {function_, data_, best};
}

void Division::took(cl_uint factor, double time) {
  const LockGuard lock(mutex_);
  if (factor < times_.size()) times_[factor] = time;
}

}  // namespace troupe::opencl
