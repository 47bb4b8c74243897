#include "service/descriptor_reserve.hpp"

#include <fcntl.h>

#include <boost/test/unit_test.hpp>

#include "platform/files/file_descriptor.hpp"
#include "tests/support/resource_limit.hpp"
#include "tests/support/running_service.hpp"
#include "tests/support/service_client.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(descriptor_reserve)

namespace {

BOOST_AUTO_TEST_CASE(the_last_descriptors_are_scarce) {
  {
    const tests::ResourceLimit usual(RLIMIT_NOFILE, 400);
    BOOST_TEST(!descriptors_are_scarce(335));
    BOOST_TEST(descriptors_are_scarce(336));
  }
  const tests::ResourceLimit few(RLIMIT_NOFILE, 40);
  BOOST_TEST(!descriptors_are_scarce(29));
  BOOST_TEST(descriptors_are_scarce(30));
}

BOOST_AUTO_TEST_CASE(a_user_who_has_a_connection_gets_none_of_them) {
  const tests::RunningService service;
  const tests::MemoryClient first(service.folder());
  first.hello();
  const platform::FileDescriptor next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  BOOST_REQUIRE(next.valid());
  // Both ends of a connection fit below the limit. The service's end gets one of the last descriptors.
  const tests::ResourceLimit limit(RLIMIT_NOFILE, static_cast<rlim_t>(next.get()) + 6);
  const tests::MemoryClient second(service.folder());
  const auto reply = second.receive();
  BOOST_REQUIRE(reply.has_value());
  BOOST_TEST((reply->error == wire::MemoryError::limit));
  BOOST_TEST(tests::contains(reply->message(), "no descriptors left for another client"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
