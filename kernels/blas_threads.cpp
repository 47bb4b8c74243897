#include "kernels/blas_threads.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/blas_setting.hpp"
#include "platform/machine/process_limits.hpp"
#include "troupe/errors.hpp"

// The symbols are weak, because the program may be linked with a BLAS library that does not have these functions.
extern "C" {
[[gnu::weak]] void* blas_memory_alloc(int);
[[gnu::weak]] void blas_memory_free(void*);
[[gnu::weak]] char* openblas_get_corename();
}

namespace troupe::kernels {

namespace {

/// The size of the work space that OpenBLAS maps for each thread that calls it: OpenBLAS's `BUFFER_SIZE` on x86-64, in
/// a build with kernels for all processors.
constexpr std::size_t kWorkSpace = std::size_t{128} << 20U;

bool fits(std::size_t bytes) {
  void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place != MAP_FAILED) ::munmap(place, bytes);
  return place != MAP_FAILED;
}

/// Makes OpenBLAS allocate all its work space now, once, if the process has a limit on its address space. Otherwise an
/// allocation inside a kernel could fail, and OpenBLAS would retry forever. OpenBLAS keeps the work space, so kernels
/// can use it later. Throws `Error`.
void reserve_work_space() {
  static bool reserved = false;
  if (reserved || blas_memory_alloc == nullptr || blas_memory_free == nullptr || !platform::address_space_left())
    return;
  const auto threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<void*> taken;
  while (taken.size() < threads && fits(kWorkSpace)) taken.push_back(blas_memory_alloc(0));
  for (void* const one : taken) blas_memory_free(one);
  reserved = taken.size() == threads;
  if (reserved) return;
  throw Error(
      ErrorCode::out_of_memory,
      fmt::format("not enough memory for the BLAS library: it needs {} MiB of addresses for each of {} threads, "
                  "but the {} leaves less: raise it",
                  kWorkSpace >> 20U, threads, platform::address_space_left()->limited_by));
}

class SingleThreaded {
 public:
  SingleThreaded() {
    const LockGuard lock(blas_setting.mutex);
    reserve_work_space();
    if (++blas_setting.users == 1 && BlasSetting::can_be_set()) blas_setting.take();
  }
  ~SingleThreaded() {
    const LockGuard lock(blas_setting.mutex);
    if (--blas_setting.users == 0) blas_setting.give_back();
  }
  SingleThreaded(const SingleThreaded&) = delete;
  SingleThreaded& operator=(const SingleThreaded&) = delete;
};

}  // namespace

BlasInOneThread::BlasInOneThread() {
  const LockGuard lock(blas_setting.mutex);
  ++blas_setting.users;
  // Set the number even if there are other users, because `lend_blas_threads` may have restored the program's number.
  if (BlasSetting::can_be_set()) blas_setting.take();
}

BlasInOneThread::~BlasInOneThread() {
  const LockGuard lock(blas_setting.mutex);
  if (--blas_setting.users == 0) blas_setting.give_back();
}

std::shared_ptr<void> single_threaded_blas() { return std::make_shared<SingleThreaded>(); }

void lend_blas_threads() {
  const LockGuard lock(blas_setting.mutex);
  blas_setting.give_back();
}

std::optional<std::string> outdated_blas_kernels() {
#ifdef __x86_64__
  // The names that OpenBLAS 0.3.29 gives to x86-64 processors without AVX2.
  constexpr std::array<std::string_view, 20> kWithoutAvx2{
      "Katmai",       "Coppermine", "Northwood", "Prescott",    "Banias",     "Atom",       "Core2",
      "Penryn",       "Dunnington", "Nehalem",   "Sandybridge", "Nano",       "Athlon",     "Opteron",
      "Opteron_SSE3", "Barcelona",  "Bobcat",    "Bulldozer",   "Piledriver", "Steamroller"};
  if (openblas_get_corename == nullptr || !__builtin_cpu_supports("avx2")) return std::nullopt;
  const std::string_view name = openblas_get_corename();
  if (std::ranges::find(kWithoutAvx2, name) == kWithoutAvx2.end()) return std::nullopt;
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return fmt::format(
      "OpenBLAS uses its kernels for {} on a processor that has {}, and is much slower than it could be: set "
      "OPENBLAS_CORETYPE={}, or install a newer OpenBLAS",
      name, wide ? "AVX-512" : "AVX2", wide ? "SkylakeX" : "Haswell");
#else
  return std::nullopt;
#endif
}

}  // namespace troupe::kernels
