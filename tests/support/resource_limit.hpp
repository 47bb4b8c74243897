/// A limit for a resource of this process, to test what happens when the resource runs out.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>

namespace troupe::tests {

/// While an object of this class lives, this process and the processes that it starts can use at most `most` of a
/// resource such as `RLIMIT_AS`.
class ResourceLimit {
 public:
  using Resource = decltype(RLIMIT_AS);

  ResourceLimit(Resource resource, rlim_t most) : resource_(resource) {
    BOOST_REQUIRE(::getrlimit(resource_, &previous_) == 0);
    const rlimit limit{std::min(most, previous_.rlim_max), previous_.rlim_max};
    BOOST_REQUIRE(::setrlimit(resource_, &limit) == 0);
  }
  ResourceLimit(const ResourceLimit&) = delete;
  ResourceLimit& operator=(const ResourceLimit&) = delete;
  ~ResourceLimit() { ::setrlimit(resource_, &previous_); }

 private:
  Resource resource_;
  rlimit previous_{};
};

}  // namespace troupe::tests
