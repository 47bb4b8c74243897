/// Kinds of device, with all their differences in one table; sets of devices that may run a task; and the options that
/// choose the devices of a runtime.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "troupe/emulation_options.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe {

/// The kinds of device that a codelet can have an implementation for: each has a row in `kDeviceTraits`.
enum class DeviceKind : std::uint8_t { cpu_core, cuda, emulated, opencl, opencl_in_place };

/// The way in which tasks are queued on a device.
struct DeviceQueue {
  /// The number of tasks that a device takes at the same time. In virtual time it is always 1.
  std::size_t slots = 1;
  /// True if the device can be given more tasks than it has slots. The device then begins a waiting task by itself,
  /// without the host, as soon as a slot is free and the task's predecessors on the device have ended.
  bool issues = false;
  /// The time, in microseconds, from handing a task to an idle device until its kernel begins, plus the time from a
  /// kernel's end until its worker completes the task. A device that is given its next task in advance loses neither
  /// time. The figure is rough, and only bounds how much work is given in advance. In virtual time the machine or the
  /// options set these times.
  int round_trip_us = 0;
};

/// A row of the table. Code that treats kinds differently reads one of these members, and never compares the kind
/// itself.
struct DeviceTraits {
  DeviceKind kind = DeviceKind::cpu_core;
  /// The name for people. Files of kernel times and a service's view identify the kind by this name, so it must not
  /// change.
  const char* name = "";
  /// True if the kind's kernels use a memory of their own (a memory node), to which data are copied; false if they use
  /// the host's memory.
  bool own_memory = false;
  /// True if the kind's kernels run on the host's cores, in the worker's thread. Such a worker takes part in tasks that
  /// are cut into pieces (`Codelet::pieces`), can lend its thread to a cluster, and combines partial results.
  bool on_cores = false;
  /// True if the kind counts as an accelerator beside the cores: faster for most tasks, and there are few. Policies
  /// that choose between cores and accelerators, summaries and described machines call such kinds "GPU".
  bool accelerator = false;
  /// True if the kind runs tasks with access mode `reduce` even if the runtime has cores. Kernels of such a kind can
  /// access the partial results, which lie in host memory.
  bool reduces = false;
  /// True if the worker polls the device for tasks that have ended (`workers::Device::poll`). False if the device
  /// reports the end of tasks, as all devices do in virtual time.
  bool polled = false;
  DeviceQueue queue = {};
  /// True if devices of the kind differ in speed by their model, so that kernel times are kept for each model
  /// (`DeviceType`).
  bool by_model = false;
  /// The kind whose implementation runs if a codelet has none for this kind; this kind itself if there is no other
  /// kind.
  DeviceKind stands_in_for = DeviceKind::cpu_core;
  /// True if devices of this kind are devices of kind `stands_in_for` that work in another way. A program that names
  /// `stands_in_for` then means this kind, too.
  bool variant = false;
};

inline constexpr std::array kDeviceTraits{
    DeviceTraits{.kind = DeviceKind::cpu_core,
                 .name = "cpu core",
                 .on_cores = true,
                 .reduces = true,
                 .stands_in_for = DeviceKind::cpu_core},
    // Four slots are enough for the next kernels to begin as soon as others end, and for small kernels to share the
    // GPU.
    DeviceTraits{.kind = DeviceKind::cuda,
                 .name = "CUDA GPU",
                 .own_memory = true,
                 .accelerator = true,
                 .polled = true,
                 .queue = {.slots = 4, .issues = true, .round_trip_us = 24},
                 .stands_in_for = DeviceKind::cuda},
    // The memory of an emulated GPU is an arena of host memory, and its kernels run on a host core. With two slots, the
    // next kernel begins as soon as one ends. With one slot, it would wait until the worker has noticed the end, which
    // takes two wake-ups of threads. More slots would only withhold tasks from other workers.
    DeviceTraits{.kind = DeviceKind::emulated,
                 .name = "emulated GPU",
                 .own_memory = true,
                 .accelerator = true,
                 .reduces = true,
                 .queue = {.slots = 2, .issues = true, .round_trip_us = 80},
                 .stands_in_for = DeviceKind::cpu_core},
    // The kind has devices of any vendor. With two slots the next kernel is enqueued while one runs. A task is not
    // issued before its predecessors have ended.
    DeviceTraits{.kind = DeviceKind::opencl,
                 .name = "OpenCL device",
                 .own_memory = true,
                 .accelerator = true,
                 .queue = {.slots = 2, .round_trip_us = 80},
                 .by_model = true,
                 .stands_in_for = DeviceKind::opencl},
    // The kind has OpenCL devices that share the host's memory, if a trial of the driver has shown that no copies are
    // needed.
    DeviceTraits{.kind = DeviceKind::opencl_in_place,
                 .name = "OpenCL device in place",
                 .accelerator = true,
                 .queue = {.slots = 2, .round_trip_us = 80},
                 .by_model = true,
                 .stands_in_for = DeviceKind::opencl,
                 .variant = true},
};
inline constexpr std::size_t kDeviceKinds = kDeviceTraits.size();

[[nodiscard]] constexpr const DeviceTraits& traits(DeviceKind kind) {
  return kDeviceTraits[static_cast<std::size_t>(kind)];
}
[[nodiscard]] constexpr bool is_accelerator(DeviceKind kind) { return traits(kind).accelerator; }
[[nodiscard]] constexpr bool has_own_memory(DeviceKind kind) { return traits(kind).own_memory; }
[[nodiscard]] constexpr const char* to_string(DeviceKind kind) { return traits(kind).name; }
/// Returns the kind of this name; empty if no kind has this name.
[[nodiscard]] constexpr std::optional<DeviceKind> device_kind_named(std::string_view name) {
  for (const DeviceTraits& row : kDeviceTraits) {
    if (name == row.name) return row.kind;
  }
  return std::nullopt;
}

/// A set of kinds of device, one bit for each.
using KindSet = std::uint8_t;
static_assert(kDeviceKinds <= 8, "a bit for each");
inline constexpr std::size_t kKindSets = std::size_t{1} << kDeviceKinds;

[[nodiscard]] constexpr KindSet kind_set(DeviceKind kind) {
  return static_cast<KindSet>(1U << static_cast<unsigned>(kind));
}
/// Returns the kinds of device for whose rows `holds(row)` is true.
template <class Holds>
[[nodiscard]] constexpr KindSet kinds_where(Holds&& holds) {
  KindSet found = 0;
  for (const DeviceTraits& row : kDeviceTraits) {
    if (holds(row)) found = static_cast<KindSet>(found | kind_set(row.kind));
  }
  return found;
}
inline constexpr KindSet kEveryKind = kinds_where([](const DeviceTraits&) { return true; });
/// The kinds of device whose kernels work on host memory.
inline constexpr KindSet kOnHostMemory = kinds_where([](const DeviceTraits& row) { return !row.own_memory; });
inline constexpr KindSet kOnCores = kinds_where([](const DeviceTraits& row) { return row.on_cores; });
inline constexpr KindSet kThatReduce = kinds_where([](const DeviceTraits& row) { return row.reduces; });
/// Returns the kinds that a program means by a kind: the kind itself and its variants (`DeviceTraits::variant`).
[[nodiscard]] constexpr KindSet kinds_meant_by(DeviceKind kind) {
  return kinds_where(
      [kind](const DeviceTraits& row) { return row.kind == kind || (row.variant && row.stands_in_for == kind); });
}

static_assert(
    [] {
      for (std::size_t i = 0; i < kDeviceKinds; ++i) {
        if (kDeviceTraits[i].kind != static_cast<DeviceKind>(i)) return false;
      }
      return true;
    }(),
    "each kind's row is at its number");

/// The type of devices that count as equally fast: kernel times are kept for each type.
struct DeviceType {
  DeviceType(DeviceKind kind = DeviceKind::cpu_core, int cores = 1, std::string model = {})
      : kind(kind), cores(cores), model(std::move(model)) {}

  DeviceKind kind;
  /// The number of cores that each kernel on such a device uses.
  int cores;
  /// The maker's name for the device; empty if all devices of the kind count as one type.
  std::string model;

  friend auto operator<=>(const DeviceType&, const DeviceType&) = default;
};

/// Returns the text for people, such as "cpu core", "4 x cpu core" or "CUDA GPU (H200)".
[[nodiscard]] inline std::string to_string(const DeviceType& type) {
  std::string text = type.cores == 1 ? "" : std::to_string(type.cores) + " x ";
  text += to_string(type.kind);
  return type.model.empty() ? text : text + " (" + type.model + ")";
}

/// A choice of devices by kind, by number and by name. The choice contains every worker that matches at least one of
/// the kinds, numbers and names.
struct DeviceChoice {
  KindSet kinds = 0;
  /// The numbers of workers, rising, each once.
  std::vector<WorkerId> workers;
  /// Names of models or of workers (`DeviceSet::named`); sorted, each once.
  std::vector<std::string> names;

  friend auto operator<=>(const DeviceChoice&, const DeviceChoice&) = default;
};

/// The devices that may run a task: all devices, or some kinds, some models, and workers by number or name; `|` joins
/// any number of these. Cheap to copy. Names and numbers have a meaning only in a runtime, which looks them up when the
/// task is submitted.
class DeviceSet {
 public:
  /// Makes the set of all devices.
  constexpr DeviceSet() = default;
  /// Makes the set of the devices of this kind and of its variants: `DeviceKind::opencl` means all OpenCL devices.
  DeviceSet(DeviceKind kind) : kinds_(kinds_meant_by(kind)) {}
  [[nodiscard]] static DeviceSet of_kinds(KindSet kinds) {
    DeviceSet set;
    set.kinds_ = kinds & kEveryKind;
    return set;
  }
  /// Returns the set of CPU cores, alone and in clusters.
  [[nodiscard]] static DeviceSet cores() { return DeviceKind::cpu_core; }
  /// Returns the set of all accelerators: GPUs, emulated GPUs and OpenCL devices.
  [[nodiscard]] static DeviceSet accelerators() {
    return of_kinds(kinds_where([](const DeviceTraits& row) { return row.accelerator; }));
  }
  /// Returns the devices of a model, or the device of the worker with this name. `troupe info` prints both names:
  /// "NVIDIA H200", "GPU 1", "cluster of 4 cores 0-3". Some words of a model's name are enough ("h200"); upper and
  /// lower case count as equal.
  [[nodiscard]] static DeviceSet named(std::string name);
  /// Returns the device of one worker, by its number in the runtime.
  [[nodiscard]] static DeviceSet worker(WorkerId worker);
  /// Returns the devices of the choice. Empty names are ignored.
  [[nodiscard]] static DeviceSet of(DeviceChoice choice);

  /// Returns the kinds of device in the set; devices of other kinds are not in it.
  [[nodiscard]] KindSet kinds() const { return kinds_; }
  [[nodiscard]] bool all() const { return kinds_ == kEveryKind && choices_ == nullptr; }
  /// Returns further conditions: a device in the set must also be in each of these choices. If there are no choices,
  /// the kinds alone decide.
  [[nodiscard]] std::span<const DeviceChoice> choices() const {
    return choices_ == nullptr ? std::span<const DeviceChoice>() : std::span<const DeviceChoice>(*choices_);
  }

  /// Return the union and the intersection of two sets.
  friend DeviceSet operator|(const DeviceSet& a, const DeviceSet& b);
  friend DeviceSet operator&(const DeviceSet& a, const DeviceSet& b);
  friend bool operator==(const DeviceSet& a, const DeviceSet& b) { return std::is_eq(a <=> b); }
  /// Orders sets in an arbitrary way, so that sets can be keys of tables.
  friend std::strong_ordering operator<=>(const DeviceSet& a, const DeviceSet& b);

 private:
  void restrict_to(DeviceChoice choice);
  [[nodiscard]] std::vector<DeviceChoice> conditions() const;

  KindSet kinds_ = kEveryKind;
  /// The choices; null if there are none. Each choice excludes at least one device.
  std::shared_ptr<const std::vector<DeviceChoice>> choices_;
};

/// Returns the text for people, such as "cpu core, CUDA GPU" or "h200, worker 3"; "no device" for an empty set.
[[nodiscard]] std::string to_string(const DeviceSet& devices);

/// The amounts of work that devices are given in advance. Each number is 0 to 1024.
struct LookaheadOptions {
  /// The number of tasks whose data an accelerator fetches while its kernels run. `core` is the same number for a core
  /// in a runtime that has accelerators. A higher number hides more latency, but tasks are placed earlier.
  std::size_t gpu = 4;
  std::size_t core = 1;
  /// The number of tasks that an accelerator is given beyond its slots (`DeviceQueue`), so that it continues without
  /// the host: ready tasks, and tasks that wait only for tasks on the same accelerator. Such tasks are given only while
  /// their predicted times together are at most four times the time that the host needs to notice an end and launch a
  /// kernel (`DeviceQueue::round_trip_us`). If 0, no task is given beyond the slots.
  std::size_t issue = 8;
};

/// The accelerators of a runtime, besides the number of CUDA GPUs.
struct AcceleratorOptions {
  /// Emulated accelerators. Each occupies one core, unless only one core is left (docs/accelerators.md).
  std::vector<platform::EmulationOptions> emulated_gpus = {};
  /// The most memory that data may take on each CUDA GPU. Without a value: nine tenths of the memory that is free when
  /// the runtime starts, and never the last 512 MiB.
  std::optional<Bytes> gpu_memory = std::nullopt;
  LookaheadOptions ahead = {};
  /// The eviction policy, which chooses the data that leave a full memory first: "next-use", "reuse" or "lru"
  /// (docs/eviction.md). Unknown names are an error.
  std::string eviction = "next-use";
  /// A file with the number of uses of each handle, in the order of registration. This number replaces the number of
  /// `Runtime::set_reuse` for handles for which the program sets none. If the file does not exist, this run counts the
  /// uses and writes the file. Empty: no file is read or written.
  std::string reuse_profile = {};
  /// The OpenCL devices to use: "all", "gpu" or "cpu" (all GPUs or all CPUs), or numbers as `troupe info` lists them,
  /// "0,2". Empty: none. If a device does not exist, the error message lists the existing devices. Each device occupies
  /// one core, unless only one core is left.
  std::string opencl = {};
  /// The most memory that data may take on each OpenCL device. Without a value: nine tenths of the device's memory;
  /// devices that share the host's memory take, together, at most half of the host memory that is available when the
  /// runtime starts. With a value, every device has a memory of its own, which the value limits, and no device works in
  /// place.
  std::optional<Bytes> opencl_memory = std::nullopt;
  /// True: OpenCL devices that share the host's memory work on copies, too. False: such devices work in place if a
  /// trial, once per process, shows that they can. Then nothing is copied, and nothing limits the memory that they use
  /// (`troupe info`).
  bool opencl_copies = false;
  /// An OpenCL device that works in place does so on data that have no gaps between columns and begin at a multiple of
  /// this many bytes; other data are copied for every task. 0: the alignment that the device needs for any type
  /// (CL_DEVICE_MEM_BASE_ADDR_ALIGN, often 128). If kernels use no vector types, the size of an element is enough.
  std::size_t opencl_alignment = 0;
};

}  // namespace troupe
