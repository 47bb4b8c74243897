/// Sets of devices that may run a task: as a program says them, and as a runtime knows them.
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

/// Devices that are named one by one, with kinds beside them. It contains each worker that is any of these.
struct DeviceChoice {
  KindSet kinds = 0;
  /// Rising, each once.
  std::vector<WorkerId> workers;
  /// Names of models or of workers (`DeviceSet::named`); sorted, each once.
  std::vector<std::string> names;

  friend auto operator<=>(const DeviceChoice&, const DeviceChoice&) = default;
};

/// The devices that may run a task: all, or those of some kinds, of some models, and workers by number or name, any
/// number of them joined by `|`. Cheap to copy. Names and numbers mean something in a runtime only, which looks them up
/// when the task is submitted.
class DeviceSet {
 public:
  /// All devices.
  constexpr DeviceSet() = default;
  /// The devices of this kind and of its variants: `DeviceKind::opencl` means all OpenCL devices.
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
  /// "GPU 1", "cluster of 4 cores 0-3". Some words of a model's name are enough ("h200"); upper and lower case count as
  /// equal.
  [[nodiscard]] static DeviceSet named(std::string name);
  /// The device of one worker, by its number in the runtime.
  [[nodiscard]] static DeviceSet worker(WorkerId worker);
  /// The devices of the choice. Empty names are ignored.
  [[nodiscard]] static DeviceSet of(DeviceChoice choice);

  /// The kinds of device in the set; devices of other kinds are not in it.
  [[nodiscard]] KindSet kinds() const { return kinds_; }
  [[nodiscard]] bool all() const { return kinds_ == kEveryKind && choices_ == nullptr; }
  /// Conditions besides the kinds: a device must be in each of these choices. Empty: the kinds alone decide.
  [[nodiscard]] std::span<const DeviceChoice> choices() const {
    return choices_ == nullptr ? std::span<const DeviceChoice>() : std::span<const DeviceChoice>(*choices_);
  }

  /// The union and the intersection of two sets.
  friend DeviceSet operator|(const DeviceSet& a, const DeviceSet& b);
  friend DeviceSet operator&(const DeviceSet& a, const DeviceSet& b);
  friend bool operator==(const DeviceSet& a, const DeviceSet& b) { return (a <=> b) == 0; }
  /// An order without meaning, for tables.
  friend std::strong_ordering operator<=>(const DeviceSet& a, const DeviceSet& b);

 private:
  void restrict_to(DeviceChoice choice);
  [[nodiscard]] std::vector<DeviceChoice> conditions() const;

  KindSet kinds_ = kEveryKind;
  /// The choices; null: none. Each leaves some device out.
  std::shared_ptr<const std::vector<DeviceChoice>> choices_;
};

/// The text for people: "cpu core, CUDA GPU", "h200, worker 3"; "no device" for an empty set.
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
  /// One entry per worker, by its number.
  std::vector<bool> members;
  /// The kinds of its members' devices.
  KindSet kinds = 0;
  /// Its index among the sets of its runtime.
  std::size_t index = 0;

  [[nodiscard]] bool contains(WorkerId worker) const {
    return worker.index() < members.size() && members[worker.index()];
  }
};

/// A set of devices in one runtime.
struct DevicesHere {
  /// The kinds of device in the set.
  KindSet kinds = kEveryKind;
  /// Not null: only these workers are in the set.
  std::shared_ptr<const WorkerSet> workers;
};

/// Returns for each worker whether its device is in the set. Fails with `invalid_argument` where the set names
/// something that is not there; the failure lists what is.
[[nodiscard]] Result<std::vector<bool>> find_members(const DeviceSet& devices, std::span<const NamedWorker> workers);

}  // namespace troupe
