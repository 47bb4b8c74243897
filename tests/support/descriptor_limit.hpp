/// Stands for a process that has next to no descriptors left.
#pragma once

#include <sys/resource.h>

namespace troupe::tests {

/// This process gets no descriptor from this number on while it lives.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t count) {
    ::getrlimit(RLIMIT_NOFILE, &previous_);
    const rlimit limit{count, previous_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &previous_); }

 private:
  rlimit previous_{};
};

}  // namespace troupe::tests
