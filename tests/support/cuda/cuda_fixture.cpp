#include "tests/support/cuda/cuda_fixture.hpp"

#include <dlfcn.h>
#include <built_paths.hpp>  // written by the build

#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "platform/environment_value.hpp"
#include "tests/support/skipping.hpp"

namespace troupe::tests {

namespace {

FakeCudaControl* load_fake() {
  if (platform::environment_value("TROUPE_TEST_GPU") == "real") return nullptr;
  ::setenv("TROUPE_CUDA_LIBRARIES", TROUPE_FAKE_CUDA_FOLDER, 1);
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  void* const library = ::dlopen(TROUPE_FAKE_CUDA_FOLDER "/" TROUPE_FAKE_CUDA_FILE, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(::dlerror());
  return reinterpret_cast<FakeCudaControl* (*)()>(::dlsym(library, kFakeCudaControl))();
}

}  // namespace

CudaFixture::CudaFixture(const FakeCudaOptions& options) {
  static FakeCudaControl* const loaded = load_fake();
  fake = loaded;
  if (fake != nullptr) fake->reset(options);
}

CudaFixture::~CudaFixture() {
  if (fake == nullptr) return;
  const FakeCudaLeaks left = fake->leaks();
  BOOST_TEST(left.allocations == 0U);
  BOOST_TEST(left.pinned_ranges == 0U);
  BOOST_TEST(left.streams == 0U);
  BOOST_TEST(left.events == 0U);
}

bool CudaFixture::needs_fake() const {
  if (fake == nullptr) tests::skip("a real GPU has no faults on demand");
  return fake != nullptr;
}

}  // namespace troupe::tests
