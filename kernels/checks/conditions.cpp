#include "kernels/checks/conditions.hpp"
#include "graph/codelets/codelet_definition.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace troupe::kernels {

namespace {

bool is_size(std::int64_t value) { return value >= 0 && value <= kLargestSize; }

}  // namespace

Conditions::Conditions(const CodeletDefinition& definition, std::span<const Layout> layouts, const Arguments& arguments)
    : definition_(definition), layouts_(layouts), arguments_(arguments) {
  if (definition.variadic) {
    check_groups();
  } else if (layouts.size() != definition.parameters.size()) {
    wrong_ = fmt::format("it takes {} handles", definition.parameters.size());
  } else {
    for (std::size_t i = 0; i < layouts.size(); ++i) check_data(i, definition.parameters[i]);
  }
  if (ok()) check_arguments();
}

void Conditions::check_groups() {
  GroupWalk walk(definition_.groups);
  for (std::size_t i = 0; i < layouts_.size(); ++i) {
    const HandleGroup* const group = walk.next(layouts_[i].element_tag);
    if (group == nullptr) return require(false, fmt::format("handle {} must have another type, or not be there", i));
    groups_.push_back(walk.index());
    check_data(i, group->parameter);
  }
  require(walk.complete(), "it takes more handles");
}

std::span<const Layout> Conditions::group(std::size_t index) const {
  const auto [first, last] = std::equal_range(groups_.begin(), groups_.end(), index);
  return layouts_.subspan(static_cast<std::size_t>(first - groups_.begin()), static_cast<std::size_t>(last - first));
}

void Conditions::check_data(std::size_t index, const DataParameter& parameter) {
  const Layout& layout = layouts_[index];
  const auto expects = [&](bool holds, std::string_view what) {
    if (!holds) require(false, fmt::format("handle {} must {}", index, what));
  };
  expects(layout.element_tag == parameter.element_tag && layout.element_size == parameter.element_size,
          "have elements of the type that the kernel takes");
  expects(is_size(layout.rows) && is_size(layout.cols) && is_size(layout.ld),
          "have at most 2147483647 rows and columns, and as many elements from one column to the next");
  expects(layout.ld >= std::max<std::int64_t>(layout.rows, 1), "have columns that do not overlap");
  if (!ok()) return;
  // The last element's index is at most 2^62, because it is below the product of two sizes.
  const auto most = std::uint64_t{1} << 62U;
  const auto spanned = static_cast<std::uint64_t>(layout.ld) * static_cast<std::uint64_t>(layout.cols);
  expects(spanned <= most / layout.element_size, "be smaller");
  if (parameter.shape == ViewShape::vector) expects(layout.contiguous(), "have no gaps between its columns");
  if (parameter.shape == ViewShape::scalar) expects(layout.rows == 1 && layout.cols == 1, "have one element");
}

void Conditions::check_arguments() {
  const auto& types = definition_.argument_types;
  if (arguments_.size() != types.size()) {
    return require(false, fmt::format("it takes {} arguments by value", types.size()));
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (arguments_.tag(i) != types[i].tag) {
      return require(false, fmt::format("argument {} must have the type that the kernel takes", i));
    }
  }
}

std::int64_t Conditions::argument_up_to(std::size_t index, std::int64_t most, std::string_view name) {
  const auto value = argument<std::int64_t>(index);
  if (value >= 0 && value <= most) return value;
  require(false, most < 0 ? fmt::format("the data must leave room for {}, which is {}", name, value)
                          : fmt::format("{} must be from 0 to {}, it is {}", name, most, value));
  return 0;
}

Result<void> Conditions::result() const {
  if (ok()) return {};
  std::string sizes;
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < std::min(layouts_.size(), kShown); ++i) {
    sizes += fmt::format("{}handle {}: {} x {}", i == 0 ? " (" : ", ", i, layouts_[i].rows, layouts_[i].cols);
  }
  if (!sizes.empty()) sizes += layouts_.size() > kShown ? ", …)" : ")";
  return Failure{ErrorCode::invalid_argument, fmt::format("codelet '{}' cannot take these data and arguments: {}{}",
                                                          definition_.known_name(), *wrong_, sizes)};
}

TaskCheck make_check(const Codelet& codelet, void (*conditions)(Conditions&)) {
  return [definition = codelet.shared_definition(), conditions](std::span<const Layout> layouts,
                                                                const Arguments& arguments) -> Result<void> {
    Conditions all(*definition, layouts, arguments);
    if (all.ok() && conditions != nullptr) conditions(all);
    return all.result();
  };
}

}  // namespace troupe::kernels
