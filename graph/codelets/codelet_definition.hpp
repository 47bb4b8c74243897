/// The content of a codelet.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/codelets/device_set.hpp"
#include "graph/codelets/pieces.hpp"
#include "troupe/access.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"

namespace troupe {

/// Assigns a variadic codelet's handles to its groups, one handle after the other.
class GroupWalk {
 public:
  explicit GroupWalk(std::span<const HandleGroup> groups) : groups_(groups) {}
  /// Returns the group of the next handle, which has the element type `element_tag`; null if the next handle must not
  /// have this type.
  [[nodiscard]] const HandleGroup* next(std::uint64_t element_tag) {
    const auto fits = [&] { return index_ < groups_.size() && groups_[index_].parameter.element_tag == element_tag; };
    if (has_some_ && !(groups_[index_].repeated && fits())) ++index_;
    has_some_ = fits();
    return has_some_ ? &groups_[index_] : nullptr;
  }
  /// Returns true if every group has a handle, so that the list of handles may end here.
  [[nodiscard]] bool complete() const { return has_some_ ? index_ + 1 == groups_.size() : groups_.empty(); }
  /// Returns the index of the last handle's group.
  [[nodiscard]] std::size_t index() const { return index_; }

 private:
  std::span<const HandleGroup> groups_;
  std::size_t index_ = 0;
  bool has_some_ = false;
};

/// The immutable content of a codelet. Shared by all copies of a `Codelet` and by every runtime that has seen it.
struct CodeletDefinition {
  std::string name;
  std::vector<AccessMode> modes;
  /// True if `modes` is not used, because every access of a task names its mode.
  bool variadic = false;
  /// True for a kernel that is written inside the call that submits it. A service never has such a kernel.
  bool inline_kernel = false;
  /// True if the kernel captures objects (`KernelParameters::captures`).
  bool captures = false;
  /// True if a typed implementation takes the context.
  bool takes_context = false;
  /// The groups that the handles of a variadic codelet's tasks must form, in this order. If empty, any handles are
  /// allowed.
  std::vector<HandleGroup> groups;
  std::array<Kernel, kDeviceKinds> kernels;
  /// The devices that may run the codelet (`Codelet::only_on`); other devices count as having no implementation.
  /// `devices` is the set as the program wrote it, for messages; `devices_here` is the same set in terms of the workers
  /// of the runtime that runs the tasks.
  DeviceSet devices;
  DevicesHere devices_here;
  struct Team {
    /// The kernel for a cluster of cores (`Codelet::cpu_team`). If it is empty, a cluster runs the kernel for a core,
    /// on one of the cluster's cores.
    Kernel kernel;
    /// True if the kernel for a core is the kernel for a team, called with a team of one.
    bool on_core = false;
    /// The largest number of cores that the codelet can make use of.
    int most_cores = 1;
  };
  Team team;
  /// The function that prepares a worker's team for the kernels (`Codelet::prologue`); null if there is none.
  TeamPrologue prologue = nullptr;
  /// The implementation in pieces (`Codelet::pieces`); if null, tasks are not divided into pieces. If there is one, the
  /// kernel for a core runs all pieces in sequence.
  std::shared_ptr<const Pieces> pieces;
  FlopCount flops;
  /// A function that distinguishes tasks whose data have equal shapes (`Codelet::footprint`); may be empty.
  Footprint footprint;
  /// The name of a kernel in machine descriptions, whose time each task takes in virtual time (`Codelet::timed_as`);
  /// may be empty.
  std::string timed_as;
  /// The name by which a service finds the codelet (`Codelet::known_as`); if empty, the service uses `name`.
  std::string known_as;
  /// True for the runtime's own codelets. Their tasks take no time in virtual time.
  bool internal = false;
  /// True for stand-ins of nested tasks that have no time in virtual time (`Codelet::untimed_on`).
  bool untimed = false;
  /// True if only the futures of the tasks report their failures (`Codelet::reported_by_futures`).
  bool reported_by_futures = false;
  /// Called once for each task when it has ended, whether it ran or not; may be null. Called only for nested tasks, for
  /// children, and for tasks with `TaskSpecification::may_nest`.
  void (*ended)(ArgumentsView) = nullptr;
  Environment environment = nullptr;
  /// `typed` is true if some implementation is typed; `parameters` are then the parameters of its data, else empty.
  bool typed = false;
  std::vector<DataParameter> parameters;
  /// The types of arguments by value, as a typed implementation or `Codelet::takes` declares them.
  std::vector<ArgumentType> argument_types;

  /// Returns the kernel that a device of this kind calls; empty if the codelet does not run there.
  [[nodiscard]] const Kernel& kernel_for(DeviceKind kind) const {
    const Kernel& own = kernels[static_cast<std::size_t>(kind)];
    if (own && (devices_here.kinds & kind_set(kind)) != 0) [[likely]]
      return own;
    return kernel_in_place_of(kind);
  }
  [[nodiscard]] bool runs_on(DeviceKind kind) const { return static_cast<bool>(kernel_for(kind)); }
  /// Returns true if this worker, which drives a device of this kind, can run the codelet.
  [[nodiscard]] bool runs_on(DeviceKind kind, WorkerId worker) const { return allows(worker) && runs_on(kind); }
  /// Returns false if the program has excluded this worker. Does not check whether the codelet has a kernel for the
  /// worker's device.
  [[nodiscard]] bool allows(WorkerId worker) const {
    return devices_here.workers == nullptr || devices_here.workers->contains(worker);
  }
  /// Returns all kinds of device that the codelet runs on.
  [[nodiscard]] KindSet kinds() const {
    return kinds_where([this](const DeviceTraits& row) { return runs_on(row.kind); });
  }
  /// Returns the number of cores that a task uses on a device of this type: one if the codelet has neither a kernel for
  /// teams nor pieces.
  [[nodiscard]] int cores_used(const DeviceType& type) const {
    return team.kernel || pieces != nullptr ? std::min(type.cores, team.most_cores) : 1;
  }
  /// Does the work of `kernel_for` for a kind of device that has no kernel of its own.
  [[nodiscard]] const Kernel& kernel_in_place_of(DeviceKind kind) const;
  /// Returns the name under which execution times of the codelet are stored.
  [[nodiscard]] const std::string& timed_name() const { return timed_as.empty() ? name : timed_as; }
  /// Returns the name by which a service knows the codelet: no two codelets of a service have the same name.
  [[nodiscard]] const std::string& known_name() const { return known_as.empty() ? name : known_as; }
};

/// The kinds of device that run the kernels of cores, and have memory of their own.
inline constexpr KindSet kStandInsForCores =
    kinds_where([](const DeviceTraits& row) { return row.own_memory && row.stands_in_for == DeviceKind::cpu_core; });
/// Returns true if `kinds` contains both cores and such devices.
[[nodiscard]] constexpr bool has_stand_ins_for_cores(KindSet kinds) {
  return (kinds & kStandInsForCores) != 0 && (kinds & kind_set(DeviceKind::cpu_core)) != 0;
}

}  // namespace troupe
