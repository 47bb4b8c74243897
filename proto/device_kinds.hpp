/// What kinds of device there are, and all that differs between them.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

/// The kinds of device that a codelet can have an implementation for: numbers of rows in `kDeviceTraits`.
enum class DeviceKind : std::uint8_t { cpu_core, cuda, emulated, opencl, opencl_in_place };

/// A row of the table. Whoever has to treat kinds differently asks for one of these, never for the kind.
struct DeviceTraits {
  DeviceKind kind = DeviceKind::cpu_core;
  /// For people, and what files of kernel times and a service's view know the kind by: it stays.
  const char* name = "";
  /// Its kernels see a memory of its own (a memory node), to which data are copied; else the host's.
  bool own_memory = false;
  /// Its kernels run on the host's cores, in its worker's thread: it takes part in tasks of pieces, can lend its thread
  /// to a cluster, and puts partial results together.
  bool on_cores = false;
  /// Counts as an accelerator beside the cores: faster for most tasks, and there are few. What policies that weigh one
  /// against the other, summaries and described machines mean by "GPU".
  bool accelerator = false;
  /// Takes tasks that reduce though there are cores: its kernels reach partial results, which lie in host memory.
  bool reduces = false;
  /// Its worker asks for ended tasks (`workers::Device::poll`); else the device says when they end. In virtual time all
  /// devices do.
  bool polled = false;
  /// Tasks that a device takes at a time; in virtual time one.
  std::size_t slots = 1;
  /// It takes more tasks than that, and begins them when its slots come free, or when those that they wait for have
  /// ended there: nobody on the host has to be asked in between.
  bool issues = false;
  /// From the start of a task on an idle device to its kernel's begin, and from a kernel's end to its worker's
  /// completing the task, in microseconds: what issuing tasks ahead saves. In virtual time as the machine or the
  /// options say. Rough figures; they bound how much work is issued ahead.
  int launch_us = 0;
  int notice_us = 0;
  /// Its devices differ in speed by their model, so kernel times are kept for each (`DeviceType`).
  bool by_model = false;
  /// The kind whose implementations it runs of codelets that have none for it: its own where there are no such.
  DeviceKind stands_in_for = DeviceKind::cpu_core;
  /// They are the devices of that kind, working otherwise: a program that names that means these, too.
  bool variant = false;
};

inline constexpr std::array kDeviceTraits{
    DeviceTraits{.kind = DeviceKind::cpu_core,
                 .name = "cpu core",
                 .on_cores = true,
                 .reduces = true,
                 .stands_in_for = DeviceKind::cpu_core},
    // Four slots: enough for the next kernels to begin as others end, and for small ones to share the GPU.
    DeviceTraits{.kind = DeviceKind::cuda,
                 .name = "CUDA GPU",
                 .own_memory = true,
                 .accelerator = true,
                 .polled = true,
                 .slots = 4,
                 .issues = true,
                 .launch_us = 4,
                 .notice_us = 20,
                 .stands_in_for = DeviceKind::cuda},
    // Its memory is an arena of host memory, and its kernels run on a host core. Two slots: the next kernel begins when
    // one ends, and does not wait until its worker has heard of that, which takes two wake-ups of threads. More would
    // only keep tasks from other workers.
    DeviceTraits{.kind = DeviceKind::emulated,
                 .name = "emulated GPU",
                 .own_memory = true,
                 .accelerator = true,
                 .reduces = true,
                 .slots = 2,
                 .issues = true,
                 .launch_us = 20,
                 .notice_us = 60,
                 .stands_in_for = DeviceKind::cpu_core},
    // Of any vendor, one device each. Two slots: the next kernel is enqueued while one runs. What waits for tasks that
    // have not ended is not issued behind them.
    DeviceTraits{.kind = DeviceKind::opencl,
                 .name = "OpenCL device",
                 .own_memory = true,
                 .accelerator = true,
                 .slots = 2,
                 .launch_us = 20,
                 .notice_us = 60,
                 .by_model = true,
                 .stands_in_for = DeviceKind::opencl},
    // Those that share the host's memory and whose drivers show that they need no copies.
    DeviceTraits{.kind = DeviceKind::opencl_in_place,
                 .name = "OpenCL device in place",
                 .accelerator = true,
                 .slots = 2,
                 .launch_us = 20,
                 .notice_us = 60,
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
/// Nothing where no kind has this name.
[[nodiscard]] constexpr std::optional<DeviceKind> device_kind_named(std::string_view name) {
  for (const DeviceTraits& row : kDeviceTraits) {
    if (name == row.name) return row.kind;
  }
  return std::nullopt;
}

/// Kinds of device, a bit for each.
using KindSet = std::uint8_t;
static_assert(kDeviceKinds <= 8, "a bit for each");
inline constexpr std::size_t kKindSets = std::size_t{1} << kDeviceKinds;

[[nodiscard]] constexpr KindSet kind_set(DeviceKind kind) {
  return static_cast<KindSet>(1U << static_cast<unsigned>(kind));
}
/// Those of which `holds(row)` is true.
template <class Holds>
[[nodiscard]] constexpr KindSet kinds_where(Holds&& holds) {
  KindSet found = 0;
  for (const DeviceTraits& row : kDeviceTraits) {
    if (holds(row)) found = static_cast<KindSet>(found | kind_set(row.kind));
  }
  return found;
}
inline constexpr KindSet kEveryKind = kinds_where([](const DeviceTraits&) { return true; });
/// Whose kernels work on host memory.
inline constexpr KindSet kOnHostMemory = kinds_where([](const DeviceTraits& row) { return !row.own_memory; });
inline constexpr KindSet kOnCores = kinds_where([](const DeviceTraits& row) { return row.on_cores; });
inline constexpr KindSet kThatReduce = kinds_where([](const DeviceTraits& row) { return row.reduces; });
/// Those that a program means by a kind: it, and the same devices working otherwise.
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

/// Devices that count as equally fast: kernel times are kept by it.
struct DeviceType {
  DeviceType(DeviceKind kind = DeviceKind::cpu_core, int cores = 1, std::string model = {})
      : kind(kind), cores(cores), model(std::move(model)) {}

  DeviceKind kind;
  /// That each of its kernels has.
  int cores;
  /// Its maker's name for it; empty where all of the kind count as one.
  std::string model;

  friend auto operator<=>(const DeviceType&, const DeviceType&) = default;
};

/// For people: "cpu core", "4 x cpu core", "CUDA GPU (H200)".
[[nodiscard]] inline std::string to_string(const DeviceType& type) {
  std::string text = type.cores == 1 ? "" : std::to_string(type.cores) + " x ";
  text += to_string(type.kind);
  return type.model.empty() ? text : text + " (" + type.model + ")";
}

}  // namespace troupe
