/// Keeps the BLAS library from starting threads of its own inside workers, and tells whether its kernels fit the
/// processor.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace troupe::kernels {

/// While any of the returned objects lives, the BLAS library runs in the calling thread only. When the last one dies,
/// the program gets back the number of threads that it had set before the first was made. The object is the
/// `Environment` of codelets that call BLAS: a runtime holds one from the first such codelet on. Thread-safe.
///
/// In OpenBLAS's pthread build the number of threads is one for the whole process, so meanwhile the program's own BLAS
/// calls have one thread, too. If the program sets a number meanwhile, the next kernel sets it to one again, and the
/// program later gets that number back. Libraries without such a setting are left alone.
///
/// Throws `Error` (`out_of_memory`) if a limit of the process leaves no room for the library's work space.
std::shared_ptr<void> single_threaded_blas();

/// Gives the program its number of threads back until the next kernel that calls BLAS. Called by a runtime that has
/// nothing to do at the moment. Thread-safe.
void lend_blas_threads();

/// Returns what is wrong, and what to do about it, if OpenBLAS has chosen kernels for processors without AVX2 on one
/// that has it, as OpenBLAS does if it is older than the processor: BLAS then runs at a fifth to a half of its speed.
/// Returns nothing if its kernels fit, or if another library is linked.
[[nodiscard]] std::optional<std::string> outdated_blas_kernels();

}  // namespace troupe::kernels
