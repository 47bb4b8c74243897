/// Conditions on the data and arguments of a task. If the conditions hold, the task's kernel accesses no memory outside
/// of its data.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"
#include "troupe/errors.hpp"
#include "troupe/layout.hpp"

namespace troupe::kernels {

/// The largest number of rows or columns of a matrix: sizes in BLAS have 32 bits.
inline constexpr std::int64_t kLargestSize = 2147483647;

/// Checks the conditions of one task, and keeps the first fault. The constructor checks that the number and types of
/// the data and arguments are right, that all sizes are from 0 to `kLargestSize`, and that no layout exceeds the
/// address space. So sums and differences of a few sizes do not overflow.
class Conditions {
 public:
  /// Makes the checks that are described above the class. `definition` belongs to a typed codelet, or to a variadic
  /// codelet that declares its handles. The arguments must outlive this object.
  Conditions(const CodeletDefinition& definition, std::span<const Layout> layouts, const Arguments& arguments);

  /// Returns false if a fault was found; then the data and arguments must not be used any more.
  [[nodiscard]] bool ok() const { return !wrong_; }
  [[nodiscard]] const Layout& data(std::size_t index) const { return layouts_[index]; }
  /// Returns the layouts of the handles in group `index` of a variadic codelet. Each group has at least one handle.
  [[nodiscard]] std::span<const Layout> group(std::size_t index) const;
  template <class T>
  [[nodiscard]] T argument(std::size_t index) const {
    T value;
    std::memcpy(&value, arguments_.bytes().data() + arguments_.offsets()[index], sizeof(T));
    return value;
  }

  /// Requires a condition. `what` is its text in messages ("A must have as many rows as C").
  void require(bool holds, std::string_view what) {
    if (!holds && !wrong_) wrong_ = std::string(what);
  }
  /// Returns argument number `index` (int64) if it is from 0 to `most`. Otherwise notes a fault, whose message calls
  /// the argument `name`, and returns 0.
  std::int64_t argument_up_to(std::size_t index, std::int64_t most, std::string_view name);

  /// Returns success, or the fault with all sizes and the codelet's name.
  [[nodiscard]] Result<void> result() const;

 private:
  void check_groups();
  void check_data(std::size_t index, const DataParameter& parameter);
  void check_arguments();

  const CodeletDefinition& definition_;
  std::span<const Layout> layouts_;
  const Arguments& arguments_;
  /// Entry i is the group of handle i. Empty if the codelet is not variadic.
  std::vector<std::size_t> groups_;
  std::optional<std::string> wrong_;
};

/// A check of tasks: fails with `invalid_argument` if the kernel would access memory outside of its data.
using TaskCheck = std::function<Result<void>(std::span<const Layout>, const Arguments&)>;

/// Returns a check that tests a codelet's `conditions`. If `conditions` is null, the check makes only the tests of the
/// constructor of `Conditions`.
[[nodiscard]] TaskCheck make_check(const Codelet& codelet, void (*conditions)(Conditions&) = nullptr);

}  // namespace troupe::kernels
