/// Prevents the BLAS library from starting threads of its own inside workers, and checks whether its kernels suit the
/// processor.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace troupe::kernels {

/// While any of the returned objects lives, the BLAS library runs in the calling thread only. When the last object is
/// destroyed, the number of threads that the program had set before the first object was made is restored. The object
/// is the `Environment` of codelets that call BLAS: a runtime holds such an object from its first such codelet on.
/// Thread-safe.
///
/// In OpenBLAS's pthread build the number of threads is a setting of the whole process, so meanwhile the program's own
/// BLAS calls run in one thread, too. If the program sets another number meanwhile, the next kernel sets it to one
/// again, and the program's latest number is restored at the end. Libraries without such a setting are not changed.
///
/// Throws `Error` (`out_of_memory`) if a limit of the process leaves no room for the library's work space.
std::shared_ptr<void> single_threaded_blas();

/// While any of these objects lives, the BLAS library runs in the calling thread only; the last object restores the
/// program's number of threads. A function of a program that may call BLAS gets one object for each of its calls.
/// Unlike `single_threaded_blas`, an object reserves no memory, and so never fails. Making and destroying an object
/// takes an uncontended lock.
class BlasInOneThread {
 public:
  BlasInOneThread();
  ~BlasInOneThread();
  BlasInOneThread(const BlasInOneThread&) = delete;
  BlasInOneThread& operator=(const BlasInOneThread&) = delete;
};

/// Restores the program's number of threads until the next kernel that calls BLAS. Called by a runtime that has nothing
/// to do at the moment. Thread-safe.
void lend_blas_threads();

/// Returns a warning, with advice, if OpenBLAS has chosen kernels for processors without AVX2 although this processor
/// has AVX2. An OpenBLAS that is older than the processor does so, and then runs at a fifth to a half of its speed.
/// Returns nothing if the kernels suit the processor, or if another library is linked.
[[nodiscard]] std::optional<std::string> outdated_blas_kernels();

}  // namespace troupe::kernels
