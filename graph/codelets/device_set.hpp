/// Which devices may run a task: as a program says it, and as a runtime knows it.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/device_kinds.hpp"
#include "proto/errors.hpp"
#include "proto/ids.hpp"

namespace troupe {

/// Devices that are named one by one, with kinds beside them: a worker that is any of these.
struct DeviceChoice {
  KindSet kinds = 0;
  /// Rising, each once.
  std::vector<WorkerId> workers;
  /// Of models or of workers (`DeviceSet::named`); sorted, each once.
  std::vector<std::string> names;

  friend auto operator<=>(const DeviceChoice&, const DeviceChoice&) = default;
};

/// Which devices may run a task: all, or those of some kinds, of some models, and workers by number or name, any number
/// of them joined by `|`. Cheap to copy. Names and numbers mean something in a runtime only, which looks them up when
/// the task is submitted.
class DeviceSet {
 public:
  /// All.
  constexpr DeviceSet() = default;
  /// With what is a variant of the kind: `DeviceKind::opencl` means all OpenCL devices.
  DeviceSet(DeviceKind kind) : kinds_(kinds_meant_by(kind)) {}
  [[nodiscard]] static DeviceSet of_kinds(KindSet kinds) {
    DeviceSet set;
    set.kinds_ = kinds & kEveryKind;
    return set;
  }
  /// CPU cores, alone and in clusters.
  [[nodiscard]] static DeviceSet cores() { return DeviceKind::cpu_core; }
  /// GPUs and what stands for them.
  [[nodiscard]] static DeviceSet accelerators() {
    return of_kinds(kinds_where([](const DeviceTraits& row) { return row.accelerator; }));
  }
  /// The devices of a model, or the one that a worker of this name drives, as `troupe info` prints them: "NVIDIA H200",
  /// "GPU 1", "cluster of 4 cores 0-3". Of a model's name some words will do ("h200"); upper and lower case count as
  /// equal.
  [[nodiscard]] static DeviceSet named(std::string name);
  /// The device of one worker, by its number in the runtime.
  [[nodiscard]] static DeviceSet worker(WorkerId worker);
  /// Those of the choice. Empty names are not looked at.
  [[nodiscard]] static DeviceSet of(DeviceChoice choice);

  /// Devices of other kinds are not among them.
  [[nodiscard]] KindSet kinds() const { return kinds_; }
  [[nodiscard]] bool all() const { return kinds_ == kEveryKind && choices_ == nullptr; }
  /// Only devices that are in each of these besides; none: the kinds say it all.
  [[nodiscard]] std::span<const DeviceChoice> choices() const {
    return choices_ == nullptr ? std::span<const DeviceChoice>() : std::span<const DeviceChoice>(*choices_);
  }

  /// Those of either, and of both.
  friend DeviceSet operator|(const DeviceSet& a, const DeviceSet& b);
  friend DeviceSet operator&(const DeviceSet& a, const DeviceSet& b);
  friend bool operator==(const DeviceSet& a, const DeviceSet& b) { return (a <=> b) == 0; }
  /// An order of no meaning, for tables.
  friend std::strong_ordering operator<=>(const DeviceSet& a, const DeviceSet& b);

 private:
  void restrict_to(DeviceChoice choice);
  [[nodiscard]] std::vector<DeviceChoice> conditions() const;

  KindSet kinds_ = kEveryKind;
  /// Null: none. Each leaves some device out.
  std::shared_ptr<const std::vector<DeviceChoice>> choices_;
};

/// For people: "cpu core, CUDA GPU", "h200, worker 3"; "no device" of none.
[[nodiscard]] std::string to_string(const DeviceSet& devices);

/// A runtime's worker, as sets of devices name it.
struct NamedWorker {
  DeviceKind kind = DeviceKind::cpu_core;
  /// "cpu core 3", "GPU 0 (NVIDIA H200)".
  std::string name;
  /// "AMD EPYC", "NVIDIA H200"; may be empty.
  std::string model;
};

/// Some workers of one runtime. Shared by all tasks that only they may run.
struct WorkerSet {
  /// By worker.
  std::vector<bool> members;
  /// Of its members' devices.
  KindSet kinds = 0;
  /// Among the sets of its runtime.
  std::size_t index = 0;

  [[nodiscard]] bool contains(WorkerId worker) const {
    return worker.index() < members.size() && members[worker.index()];
  }
};

/// What a set of devices is in one runtime.
struct DevicesHere {
  /// Those of these kinds,
  KindSet kinds = kEveryKind;
  /// and not null: of these workers only.
  std::shared_ptr<const WorkerSet> workers;
};

/// By worker, whether its device is in the set. `invalid_argument` where the set names something that is not there,
/// with what is.
[[nodiscard]] Result<std::vector<bool>> find_members(const DeviceSet& devices, std::span<const NamedWorker> workers);

}  // namespace troupe
