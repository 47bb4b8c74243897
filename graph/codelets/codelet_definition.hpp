/// What a codelet is made of, whoever has made it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/codelets/device_set.hpp"
#include "graph/codelets/kernel_context.hpp"
#include "graph/codelets/pieces.hpp"
#include "proto/access.hpp"
#include "proto/device_kinds.hpp"

namespace troupe {

/// An implementation. It may throw: the task then fails with the exception's text, and with its code where it is an
/// `Error` (else `kernel_failed`).
using Kernel = std::function<void(const KernelContext&)>;
/// Floating-point operations of one task, from the shapes of its data and its arguments.
using FlopCount = std::function<double(const KernelContext&)>;
/// Tells tasks apart that take different times on data of the same shapes.
using Footprint = std::function<std::uint64_t(const KernelContext&)>;
/// Makes what must hold while kernels of the codelet may run; what it returns lives as long as the runtime.
/// It is called once per runtime, when the runtime first sees a codelet with this environment.
using Environment = std::shared_ptr<void> (*)();

/// What a typed implementation expects of one handle.
struct DataParameter {
  ViewShape shape = ViewShape::any;
  std::uint64_t element_tag = 0;
  bool writable = false;
  /// In bytes. Follows from the tag, so it does not count in comparisons; but layouts that another process made up may
  /// say something else.
  std::uint32_t element_size = 0;

  friend bool operator==(const DataParameter& a, const DataParameter& b) {
    return a.shape == b.shape && a.element_tag == b.element_tag && a.writable == b.writable;
  }
};

/// What a typed implementation expects of one argument by value.
struct ArgumentType {
  template <class T>
  [[nodiscard]] static ArgumentType of() {
    return {type_tag<T>(), sizeof(T), alignof(T)};
  }

  std::uint64_t tag = 0;
  std::uint8_t size = 0;
  std::uint8_t alignment = 1;

  friend bool operator==(const ArgumentType&, const ArgumentType&) = default;
};

/// A variadic codelet's handles of one kind, one after the other.
struct HandleGroup {
  static constexpr bool any_number = true;

  /// Of handles that a kernel takes as `P`: `HandleGroup::of<MatrixView<const double>>(AccessMode::read)`.
  template <class P>
  [[nodiscard]] static HandleGroup of(AccessMode mode, bool repeated = false);

  DataParameter parameter;
  AccessMode mode = AccessMode::read;
  /// One or more; else one. What follows must have another element type.
  bool repeated = false;
};

/// Finds the groups of a variadic codelet's handles, one handle after the other.
class GroupWalk {
 public:
  explicit GroupWalk(std::span<const HandleGroup> groups) : groups_(groups) {}
  /// That of the next handle, whose elements have this type; null: no group has it there.
  [[nodiscard]] const HandleGroup* next(std::uint64_t element_tag) {
    const auto fits = [&] { return index_ < groups_.size() && groups_[index_].parameter.element_tag == element_tag; };
    if (has_some_ && !(groups_[index_].repeated && fits())) ++index_;
    has_some_ = fits();
    return has_some_ ? &groups_[index_] : nullptr;
  }
  /// No group is left without a handle.
  [[nodiscard]] bool complete() const { return has_some_ ? index_ + 1 == groups_.size() : groups_.empty(); }
  /// Which group the last handle has.
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
  /// True: `modes` says nothing, every access of a task names its mode.
  bool variadic = false;
  /// Of a variadic codelet, what every task's handles must be, in this order; empty: anything.
  std::vector<HandleGroup> groups;
  std::array<Kernel, kDeviceKinds> kernels;
  /// Others are taken to have no implementation (`Codelet::only_on`): as a program said it, for people, and as the
  /// runtime knows them whose tasks they are.
  DeviceSet devices;
  DevicesHere devices_here;
  /// See `Codelet::cpu_team`; empty: a cluster runs what a core runs, on one of its cores.
  Kernel team_kernel;
  /// The kernel for a core is that for a team, with a team of one.
  bool team_on_core = false;
  /// The most cores that it can make use of.
  int most_cores = 1;
  /// See `Codelet::prologue`; null: none.
  TeamPrologue prologue = nullptr;
  /// See `Codelet::pieces`; null: a core runs a task whole. The kernel for a core runs all pieces in sequence.
  std::shared_ptr<const Pieces> pieces;
  FlopCount flops;
  /// See `Codelet::footprint`; may be empty.
  Footprint footprint;
  /// See `Codelet::timed_as`.
  std::string timed_as;
  /// See `Codelet::known_as`.
  std::string known_as;
  /// The runtime's own: its time is not counted in virtual time.
  bool internal = false;
  Environment environment = nullptr;
  /// Filled from a typed implementation; empty where only untyped ones were given.
  bool typed = false;
  std::vector<DataParameter> parameters;
  /// From a typed implementation, or from `Codelet::takes`.
  std::vector<ArgumentType> argument_types;

  /// What a device of this kind calls; empty where the codelet does not run there.
  [[nodiscard]] const Kernel& kernel_for(DeviceKind kind) const {
    const Kernel& own = kernels[static_cast<std::size_t>(kind)];
    if (own && (devices_here.kinds & kind_set(kind)) != 0) [[likely]]
      return own;
    return kernel_in_place_of(kind);
  }
  [[nodiscard]] bool runs_on(DeviceKind kind) const { return static_cast<bool>(kernel_for(kind)); }
  /// Of a worker of the runtime with such a device.
  [[nodiscard]] bool runs_on(DeviceKind kind, WorkerId worker) const { return allows(worker) && runs_on(kind); }
  /// False where the worker may not run it, whatever its device is.
  [[nodiscard]] bool allows(WorkerId worker) const {
    return devices_here.workers == nullptr || devices_here.workers->contains(worker);
  }
  /// All kinds of device that it runs on.
  [[nodiscard]] KindSet kinds() const {
    return kinds_where([this](const DeviceTraits& row) { return runs_on(row.kind); });
  }
  /// How many cores of such a device its kernels use: of a cluster one where there is neither a version for teams nor
  /// pieces.
  [[nodiscard]] int cores_used(const DeviceType& type) const {
    return team_kernel || pieces != nullptr ? std::min(type.cores, most_cores) : 1;
  }
  /// `kernel_for` a kind that there is no kernel of its own for.
  [[nodiscard]] const Kernel& kernel_in_place_of(DeviceKind kind) const;
  /// What its times are known by.
  [[nodiscard]] const std::string& timed_name() const { return timed_as.empty() ? name : timed_as; }
  /// What a service knows it by: no two codelets of a service have the same one.
  [[nodiscard]] const std::string& known_name() const { return known_as.empty() ? name : known_as; }
};

}  // namespace troupe
