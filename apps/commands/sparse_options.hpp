/// The options of sparse-lu that `run` and `simulate` share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/run/sparse_problem.hpp"
#include "linalg/factorization.hpp"

namespace CLI {
class App;
}

namespace troupe::apps {

/// Adds the required argument for the application. If the user chooses `sparse-lu`, `sparse` gets a value. The
/// references must outlive the parsing.
void add_application_or_sparse(CLI::App& command, linalg::Application& application,
                               std::optional<SparseLuArguments>& sparse);
/// Adds the options that only sparse-lu has.
void add_sparse_lu_options(CLI::App& command, SparseLuArguments& sparse);
/// Returns true if reuse indices have an effect on eviction or on one of the policies.
[[nodiscard]] bool looks_at_reuse(const std::string& eviction, const std::vector<std::string>& policies);
/// For sparse-lu: refuses options that have no effect in combination with the other given options. `reuse` is the
/// result of `looks_at_reuse`.
void check_sparse_lu_options(const CLI::App& command, const SparseLuArguments& sparse, bool reuse);
/// For all applications except sparse-lu: refuses all options of sparse-lu.
void refuse_sparse_lu_options(const CLI::App& command);

}  // namespace troupe::apps
