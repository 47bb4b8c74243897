#include "platform/machine/machine.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <type_traits>

namespace troupe::platform {
namespace {

struct TopologyDestroyer {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using OwnedTopology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, TopologyDestroyer>;

struct BitmapDestroyer {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using OwnedBitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, BitmapDestroyer>;

Failure hwloc_failure(const std::string& what, int error) {
  return Failure{ErrorCode::platform, "cannot inspect this machine: " + what + ": " + std::strerror(error)};
}

Result<OwnedTopology> load(const std::string& synthetic) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return hwloc_failure("hwloc_topology_init", errno);
  OwnedTopology topology(raw);
  // Keeps processing units (PUs) that this process may not use, so that the whole machine can be reported;
  // `Machine::allowed` lists the usable PUs. Discovery must not move the calling thread to other PUs.
  const unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
                              HWLOC_TOPOLOGY_FLAG_THISSYSTEM_ALLOWED_RESOURCES |
                              HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING | HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                              HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
  if (hwloc_topology_set_flags(raw, flags) != 0) return hwloc_failure("hwloc_topology_set_flags", errno);
  // If /sys is not mounted (a plain chroot), hwloc's component for Linux would only print that it gives up.
  if (!std::filesystem::exists("/sys/devices/system/cpu")) {
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "linux");
  }
  // The OpenCL plug-in of hwloc asks OpenCL's loader for devices. But this call may itself come from the loader,
  // because Troupe is an OpenCL driver, too.
  hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "opencl");
  if (!synthetic.empty() && hwloc_topology_set_synthetic(raw, synthetic.c_str()) != 0) {
    return Failure{ErrorCode::invalid_argument,
                   "\"" + synthetic +
                       "\" is not a synthetic topology: write it as hwloc does, for instance "
                       "\"package:2 l3:2 core:4 pu:1\""};
  }
  if (hwloc_topology_load(raw) != 0) return hwloc_failure("hwloc_topology_load", errno);
  return topology;
}

std::optional<DomainKind> domain_kind(hwloc_obj_type_t type) {
  switch (type) {
    case HWLOC_OBJ_CORE: return DomainKind::core;
    case HWLOC_OBJ_L1CACHE: return DomainKind::l1;
    case HWLOC_OBJ_L2CACHE: return DomainKind::l2;
    case HWLOC_OBJ_L3CACHE: return DomainKind::l3;
    case HWLOC_OBJ_L4CACHE: return DomainKind::l4;
    case HWLOC_OBJ_L5CACHE: return DomainKind::l5;
    case HWLOC_OBJ_DIE: return DomainKind::die;
    case HWLOC_OBJ_GROUP: return DomainKind::group;
    case HWLOC_OBJ_PACKAGE: return DomainKind::package;
    case HWLOC_OBJ_MACHINE: return DomainKind::machine;
    default: return std::nullopt;
  }
}

int logical_index(const hwloc_obj* object) { return static_cast<int>(object->logical_index); }

/// Returns the index of a domain. For groups it is `gp_index`, because a machine may have groups at several depths, and
/// the logical indices of each depth begin at zero.
int domain_index(const hwloc_obj* object) {
  return object->type == HWLOC_OBJ_GROUP ? static_cast<int>(object->gp_index) : logical_index(object);
}

/// Returns the first NUMA node attached to `object`, directly or behind a memory-side cache.
const hwloc_obj* attached_numa_node(const hwloc_obj* object) {
  const hwloc_obj* memory = object->memory_first_child;
  while (memory != nullptr && memory->type != HWLOC_OBJ_NUMANODE) memory = memory->memory_first_child;
  return memory;
}

Core describe_pu(hwloc_topology_t topology, const hwloc_obj* pu) {
  Core result;
  result.pu = static_cast<int>(pu->os_index);
  const auto* core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, const_cast<hwloc_obj*>(pu));
  result.core = logical_index(core != nullptr ? core : pu);
  bool has_numa_node = false;
  for (const hwloc_obj* object = pu; object != nullptr; object = object->parent) {
    const auto kind = domain_kind(object->type);
    // A NUMA node covers exactly the processing units of the object that it is attached to. If that object is a cache,
    // the node comes after the cache in the list; if it is a package, the node comes before the package. So the list
    // names the closest link between two cores first.
    const bool before_numa = kind && *kind < DomainKind::numa_node;
    if (before_numa) result.domains.push_back({*kind, domain_index(object)});
    if (const auto* node = attached_numa_node(object); node != nullptr && !has_numa_node) {
      has_numa_node = true;
      result.numa_node = logical_index(node);
      result.domains.push_back({DomainKind::numa_node, result.numa_node});
    }
    if (kind && !before_numa) result.domains.push_back({*kind, domain_index(object)});
    if (object->type == HWLOC_OBJ_PACKAGE) result.package = logical_index(object);
  }
  return result;
}

std::vector<CacheLevel> describe_caches(hwloc_topology_t topology) {
  std::vector<CacheLevel> levels;
  for (const auto type :
       {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE}) {
    for (auto* cache = hwloc_get_next_obj_by_type(topology, type, nullptr); cache != nullptr;
         cache = hwloc_get_next_obj_by_type(topology, type, cache)) {
      CacheLevel level{static_cast<int>(cache->attr->cache.depth), Bytes{cache->attr->cache.size}, 1,
                       hwloc_bitmap_weight(cache->cpuset)};
      const auto same = std::find_if(levels.begin(), levels.end(), [&](const CacheLevel& other) {
        return other.level == level.level && other.size == level.size && other.pus_each == level.pus_each;
      });
      if (same != levels.end()) {
        ++same->count;
      } else {
        levels.push_back(level);
      }
    }
  }
  std::stable_sort(levels.begin(), levels.end(), [](const CacheLevel& a, const CacheLevel& b) {
    return a.level != b.level ? a.level < b.level : a.size < b.size;
  });
  return levels;
}

std::vector<NumaNode> describe_numa_nodes(hwloc_topology_t topology) {
  std::vector<NumaNode> nodes;
  for (auto* node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, nullptr); node != nullptr;
       node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) {
    nodes.push_back({static_cast<int>(node->os_index), Bytes{node->attr->numanode.local_memory}});
  }
  return nodes;
}

std::string describe_cpu_model(hwloc_topology_t topology) {
  const auto* object = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  if (object == nullptr) object = hwloc_get_root_obj(topology);
  const char* model = hwloc_obj_get_info_by_name(const_cast<hwloc_obj*>(object), "CPUModel");
  return model != nullptr && *model != '\0' ? model : "unknown processor";
}

/// Returns the processing units (PUs) that the operating system allows. If the topology is this machine's, leaves out
/// PUs outside of the process's affinity mask.
CpuSet allowed_pus(hwloc_topology_t topology) {
  OwnedBitmap allowed(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)));
  if (hwloc_topology_is_thissystem(topology) != 0) {
    OwnedBitmap bound(hwloc_bitmap_alloc());
    if (hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_PROCESS) == 0 && !hwloc_bitmap_iszero(bound.get())) {
      hwloc_bitmap_and(allowed.get(), allowed.get(), bound.get());
    }
  }
  CpuSet pus;
  for (int pu = hwloc_bitmap_first(allowed.get()); pu >= 0; pu = hwloc_bitmap_next(allowed.get(), pu)) {
    pus.push_back(pu);
  }
  return pus;
}

}  // namespace

std::vector<int> Core::all_pus() const {
  std::vector<int> all{pu};
  all.insert(all.end(), helper_pus.begin(), helper_pus.end());
  return all;
}

Result<Machine> inspect_machine(const std::string& synthetic) {
  auto loaded = load(synthetic);
  if (!loaded) return loaded.failure();
  hwloc_topology_t topology = loaded.value().get();

  Machine machine;
  machine.cpu_model = describe_cpu_model(topology);
  machine.packages = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE));
  machine.caches = describe_caches(topology);
  machine.numa_nodes = describe_numa_nodes(topology);
  for (auto* pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, nullptr); pu != nullptr;
       pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) {
    machine.pus.push_back(describe_pu(topology, pu));
  }
  const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  machine.cores = cores > 0 ? cores : static_cast<int>(machine.pus.size());
  machine.allowed = allowed_pus(topology);
  machine.this_system = hwloc_topology_is_thissystem(topology) != 0;
  return machine;
}

}  // namespace troupe::platform
