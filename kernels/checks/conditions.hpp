/// What must hold of the data and arguments of a task, so that its kernel stays inside of its data.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/codelets/arguments.hpp"
#include "graph/codelets/codelet.hpp"
#include "graph/codelets/layout.hpp"
#include "proto/errors.hpp"

namespace troupe::kernels {

/// BLAS takes sizes of 32 bits.
inline constexpr std::int64_t kLargestSize = 2147483647;

/// Collects what is wrong with one task; the first thing counts. Comes with: the number and types of the codelet's data
/// and arguments are right, all sizes are from 0 to `kLargestSize`, and no layout wraps around. So sums and differences
/// of a few sizes do not overflow.
class Conditions {
 public:
  /// `definition` is that of a typed codelet, or of a variadic one that says what its handles are. All that is given
  /// outlives this.
  Conditions(const CodeletDefinition& definition, std::span<const Layout> layouts, const Arguments& arguments);

  /// False where nothing more may be looked at.
  [[nodiscard]] bool ok() const { return !wrong_; }
  [[nodiscard]] const Layout& data(std::size_t index) const { return layouts_[index]; }
  /// The data of a variadic codelet's group of handles; at least one.
  [[nodiscard]] std::span<const Layout> group(std::size_t index) const;
  template <class T>
  [[nodiscard]] T argument(std::size_t index) const {
    T value;
    std::memcpy(&value, arguments_.bytes().data() + arguments_.offsets()[index], sizeof(T));
    return value;
  }

  /// `what`: the condition, for people ("A must have as many rows as C").
  void require(bool holds, std::string_view what) {
    if (!holds && !wrong_) wrong_ = std::string(what);
  }
  /// Argument number `index` (int64), which people know as `name`, if it is from 0 to `most`; else 0, and wrong.
  std::int64_t argument_up_to(std::size_t index, std::int64_t most, std::string_view name);

  /// What is wrong, with all sizes and the codelet's name.
  [[nodiscard]] Result<void> result() const;

 private:
  void check_groups();
  void check_data(std::size_t index, const DataParameter& parameter);
  void check_arguments();

  const CodeletDefinition& definition_;
  std::span<const Layout> layouts_;
  const Arguments& arguments_;
  /// The group of each handle, where there are groups.
  std::vector<std::size_t> groups_;
  std::optional<std::string> wrong_;
};

/// A check of tasks: fails with `invalid_argument` where the kernel would leave its data.
using TaskCheck = std::function<Result<void>(std::span<const Layout>, const Arguments&)>;

/// The check that a codelet's conditions make. Without conditions of its own: those that come with `Conditions`.
[[nodiscard]] TaskCheck make_check(const Codelet& codelet, void (*conditions)(Conditions&) = nullptr);

}  // namespace troupe::kernels
