/// The facts about all kernels of a program, by its source.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "opencl/analysis/kernel_facts.hpp"

namespace troupe::opencl {

/// By the kernels' names. Empty: nothing is known.
using ProgramFacts = std::map<std::string, KernelFacts, std::less<>>;

/// Runs a compiler, or takes what is known from before; waits for it (some 0.1 s), so not for threads that must not.
/// Never null; empty where there is no compiler, it refuses the source, or the source looks at what vendors define
/// differently. `options`: the program's, of clBuildProgram. `compiler`: what the environment says of it. May be called
/// from several threads at once.
[[nodiscard]] std::shared_ptr<const ProgramFacts> facts_of(const std::string& source, const std::string& options,
                                                           const std::string& compiler);

/// Of LLVM's intermediate code, as text. Kernels that are not understood are left out. Throws CodeNotUnderstood.
[[nodiscard]] ProgramFacts facts_of_code(std::string_view code);

/// What comes of it some time. The last one of its copies that is destroyed waits for it.
using FutureFacts = std::shared_future<std::shared_ptr<const ProgramFacts>>;

/// The same in a thread of its own. Not valid where there is none to be had.
[[nodiscard]] FutureFacts facts_in_background(const std::string& source, const std::string& options);

}  // namespace troupe::opencl
