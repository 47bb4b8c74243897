/// The facts about all kernels of a program, found in its source.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "opencl/analysis/kernel_facts.hpp"

namespace troupe::opencl {

/// The facts, by the names of the kernels. Empty if nothing is known.
using ProgramFacts = std::map<std::string, KernelFacts, std::less<>>;

/// Runs a compiler and waits for it (about 0.1 s), or returns an earlier result. Threads that must not wait must not
/// call this. Never returns null. The result is empty if there is no compiler, the compiler refuses the source, or the
/// source depends on macros that vendors define differently. `options` are the program's options of clBuildProgram;
/// `compiler` is the result of `compiler_in_environment`. Several threads may call this at the same time.
[[nodiscard]] std::shared_ptr<const ProgramFacts> facts_of(const std::string& source, const std::string& options,
                                                           const std::string& compiler);

/// Returns the facts that LLVM's intermediate code (as text) shows. Kernels that are not understood are left out.
/// Throws CodeNotUnderstood if the text as a whole is not understood.
[[nodiscard]] ProgramFacts facts_of_code(std::string_view code);

/// The future result of an analysis. The destruction of the last copy waits until the analysis has ended.
using FutureFacts = std::shared_future<std::shared_ptr<const ProgramFacts>>;

/// Runs `facts_of` in a new thread. The returned future is not valid if the system has no thread left.
[[nodiscard]] FutureFacts facts_in_background(const std::string& source, const std::string& options);

}  // namespace troupe::opencl
