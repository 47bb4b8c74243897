#include "graph/submission_checks.hpp"

#include <algorithm>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/type_names.hpp"
#include "graph/data/domain.hpp"
#include "graph/data/halo_overlaps.hpp"
#include "graph/data/usable.hpp"
#include "graph/data/working_set.hpp"

namespace troupe::graph {

std::string quoted(const Codelet& codelet) { return "codelet '" + codelet.name() + "'"; }

std::string sizes_of(std::span<const Access> accesses, const DataRegistry& registry) {
  std::string text;
  for (const Access& access : accesses) {
    const auto record = registry.find(access.handle);
    if (!record) continue;
    text += (text.empty() ? " on data of " : ", ") + shape_text(record.value()->view.layout);
  }
  return text;
}

namespace {

Failure mismatch(const Codelet& codelet, const std::string& what) {
  return {ErrorCode::signature_mismatch, quoted(codelet) + ": " + what};
}

}  // namespace

Failure no_device_may_run(const Codelet& codelet) {
  return {ErrorCode::no_implementation, quoted(codelet) + ": its task is restricted to no device"};
}

Result<void> check_signature(const TaskSpecification& specification, KindSet device_kinds) {
  const CodeletDefinition& definition = specification.codelet.definition();
  if ((definition.kinds() & device_kinds) != 0) return check_counts(specification);
  if (definition.devices_here.kinds == 0) return no_device_may_run(specification.codelet);
  if (!definition.devices.all()) {
    return Failure{ErrorCode::no_implementation,
                   quoted(specification.codelet) + ": its task is restricted to " + to_string(definition.devices) +
                       ", and this runtime has no such device that the codelet has an implementation for"};
  }
  return Failure{ErrorCode::no_implementation,
                 quoted(specification.codelet) +
                     " has no implementation for any device of this runtime: give it one, for instance "
                     "with Codelet::cpu"};
}

Result<void> check_counts(const TaskSpecification& specification) {
  const Codelet& codelet = specification.codelet;
  const CodeletDefinition& definition = codelet.definition();
  const std::size_t count = specification.accesses.size();
  if (!definition.variadic && count != definition.modes.size()) {
    return mismatch(codelet, "takes " + std::to_string(definition.modes.size()) + " handles, the task has " +
                                 std::to_string(count));
  }
  if (count < definition.groups.size()) {
    return mismatch(codelet, "takes at least " + std::to_string(definition.groups.size()) + " handles, the task has " +
                                 std::to_string(count));
  }
  // If the codelet declares no types, the task's arguments cannot be compared with any.
  if (!definition.typed && definition.argument_types.empty()) return {};
  if (definition.typed && count != definition.parameters.size()) {
    return mismatch(codelet, "its kernel takes " + std::to_string(definition.parameters.size()) +
                                 " handles, the task has " + std::to_string(count));
  }
  if (specification.arguments.size() != definition.argument_types.size()) {
    return mismatch(codelet, "its kernel takes " + std::to_string(definition.argument_types.size()) +
                                 " arguments by value, the task has " + std::to_string(specification.arguments.size()));
  }
  for (std::size_t i = 0; i < definition.argument_types.size(); ++i) {
    const ArgumentType& type = definition.argument_types[i];
    const Arguments& given = specification.arguments;
    if (type.tag == given.tag(i)) continue;
    const std::size_t end = i + 1 < given.size() ? given.offsets()[i + 1] : given.bytes().size();
    return mismatch(codelet, "argument " + std::to_string(i) + " is " +
                                 two_types(given.tag(i), end - given.offsets()[i], ", but the kernel's parameter is ",
                                           type.tag, type.size) +
                                 ": cast it, as in args(" + type_name(type.tag, type.size) + "(x))");
  }
  return {};
}

Result<AccessMode> mode_of(const Codelet& codelet, const Access& access, std::size_t index) {
  const CodeletDefinition& definition = codelet.definition();
  if (definition.variadic) {
    if (access.mode) return *access.mode;
    return mismatch(codelet, "takes any number of handles, so each needs its mode: read(handle) …");
  }
  const AccessMode declared = definition.modes[index];
  if (!access.mode || *access.mode == declared) return declared;
  return mismatch(codelet, "access " + std::to_string(index) + " is declared " + to_string(declared) +
                               ", the task says " + to_string(*access.mode));
}

namespace {

std::string which_handle(const DataRecord& record, std::size_t index) {
  return "access " + std::to_string(index) + " (" + describe(record) + ")";
}

/// Returns true if a kernel can take data of this layout in this mode.
bool takes(const DataParameter& parameter, const Layout& layout, AccessMode mode) {
  return parameter.writable == writes(mode) && parameter.element_tag == layout.element_tag &&
         parameter.element_size == layout.element_size &&
         (parameter.shape != ViewShape::matrix || layout.planes == 1) &&
         (parameter.shape != ViewShape::vector || layout.contiguous()) &&
         (parameter.shape != ViewShape::scalar || layout.elements() == 1);
}

/// Returns the failure for an access for which `takes` is false; it says why.
Failure cannot_take(const Codelet& codelet, const DataParameter& parameter, const DataRecord& record, AccessMode mode,
                    std::size_t index) {
  const Layout& layout = record.view.layout;
  const std::string which = which_handle(record, index);
  // Only variadic codelets can fail here, because their tasks name the modes. Other modes were checked when the codelet
  // was built.
  if (parameter.writable != writes(mode)) {
    return mismatch(codelet, which + " has mode " + to_string(mode) + ", but the kernel takes it as " +
                                 (parameter.writable ? "writable" : "const"));
  }
  if (parameter.element_tag != layout.element_tag || parameter.element_size != layout.element_size) {
    return mismatch(codelet, which + " has the element type " +
                                 two_types(layout.element_tag, layout.element_size, ", but the kernel takes ",
                                           parameter.element_tag, parameter.element_size));
  }
  if (parameter.shape == ViewShape::vector) {
    return mismatch(codelet, which +
                                 " has gaps between its columns or planes; a kernel that takes a VectorView needs "
                                 "contiguous data, a MatrixView or VolumeView does not");
  }
  if (parameter.shape == ViewShape::matrix) {
    return mismatch(codelet, which + " has " + std::to_string(layout.planes) +
                                 " planes; a kernel that takes a MatrixView needs one: let it take a VolumeView, or "
                                 "give it a block of one plane");
  }
  return mismatch(codelet, which + " has " + std::to_string(layout.elements()) +
                               " elements; a kernel that takes a reference needs one");
}

Result<void> check_parameter(const Codelet& codelet, const DataParameter& parameter, const DataRecord& record,
                             AccessMode mode, std::size_t index) {
  if (takes(parameter, record.view.layout, mode)) return {};
  return cannot_take(codelet, parameter, record, mode, index);
}

/// Checks one handle of a task; its variadic codelet declares groups of handles, and `walk` has gone through the
/// handles before.
Result<void> check_group(const Codelet& codelet, GroupWalk& walk, const DataRecord& record, AccessMode mode,
                         std::size_t index) {
  const HandleGroup* const group = walk.next(record.view.layout.element_tag);
  if (group == nullptr) {
    const Layout& layout = record.view.layout;
    const auto& groups = codelet.definition().groups;
    if (walk.index() >= groups.size()) return mismatch(codelet, which_handle(record, index) + " is one too many");
    const DataParameter& parameter = groups[walk.index()].parameter;
    return mismatch(codelet, which_handle(record, index) + " has the element type " +
                                 two_types(layout.element_tag, layout.element_size, ", but the kernel takes there ",
                                           parameter.element_tag, parameter.element_size));
  }
  if (group->mode != mode) {
    return mismatch(codelet, which_handle(record, index) + " has mode " + to_string(mode) +
                                 ", the kernel needs it in mode " + to_string(group->mode));
  }
  return check_parameter(codelet, group->parameter, record, mode, index);
}

/// Returns true if no core can run the codelet. Returns false for codelets without implementations, which clients of a
/// service have.
bool lacks_cores(const CodeletDefinition& definition) {
  return definition.kinds() != 0 && (definition.kinds() & kOnCores) == 0;
}

/// Returns the failure of a task that no device of this runtime can run, because the task reads the halo part.
Failure nowhere(const TaskSpecification& specification, const DataRecord& halo, bool writes_in_it) {
  const KindSet usable = kinds_for_halo(halo, writes_in_it);
  const bool on_cores_only = usable == kOnCores;
  const std::string why = writes_in_it               ? " and writes data in it"
                          : lies_between_parts(halo) ? " of data with elements between their parts"
                                                     : "";
  return {ErrorCode::no_implementation,
          quoted(specification.codelet) + " reads " + describe(halo) + ", a halo part," + why +
              (on_cores_only ? ", so its task runs on cores" : ", so its task runs on cores or in a memory of a GPU") +
              ", and no worker here can run it there: give the codelet an implementation for cores, or give the task "
              "the parts themselves"};
}

/// Checks the halo parts among the task's data, after all accesses have passed the other checks.
Result<void> check_halos(const TaskSpecification& specification, KindSet device_kinds) {
  const CodeletDefinition& definition = specification.codelet.definition();
  for (const Access& access : specification.accesses) {
    const DataRecord& halo = *access.handle.record();
    if (!halo.is_halo) continue;
    bool writes_in_it = false;
    for (std::size_t i = 0; i < specification.accesses.size(); ++i) {
      const Access& other = specification.accesses[i];
      const DataRecord& data = *other.handle.record();
      const auto mode = mode_of(specification.codelet, other, i);
      if (!mode || !writes(mode.value()) || data.is_halo) continue;
      const auto lies_inside = [&data](const DataRecord* overlapped) { return data.contains(*overlapped); };
      if (std::ranges::none_of(halo.children, lies_inside)) continue;
      writes_in_it = true;
      if (mode.value() != AccessMode::reduce) continue;
      return Failure{ErrorCode::conflicting_access, quoted(specification.codelet) + ": access " + std::to_string(i) +
                                                        " (" + describe(data) + ", mode reduce) overlaps " +
                                                        describe(halo) +
                                                        ", a halo part that the task reads: use another mode"};
    }
    const KindSet kinds = definition.kinds();
    // `kinds` is empty on a client of a service, whose codelets have no implementations.
    if (kinds != 0 && (kinds & device_kinds & kinds_for_halo(halo, writes_in_it)) == 0)
      return nowhere(specification, halo, writes_in_it);
  }
  return {};
}

}  // namespace

namespace {

/// Does the work of `simple_access`. Every submission needs it for each of its data.
[[gnu::always_inline]] inline DataRecord* find_simple(const CodeletDefinition& definition, const Access& access,
                                                      std::size_t index, AccessMode mode, const TaskOwner& owner) {
  DataRecord* const record = access.handle.record();
  if (record == nullptr || record->owner != &owner || record->handle_id() != access.handle.id()) return nullptr;
  if (mode == AccessMode::reduce || access.mode.value_or(mode) != mode) return nullptr;
  if (definition.typed && !takes(definition.parameters[index], record->view.layout, mode)) return nullptr;
  if (record->is_halo && (writes(mode) || lacks_cores(definition))) [[unlikely]]
    return nullptr;
  return record;
}

}  // namespace

DataRecord* simple_access(const CodeletDefinition& definition, const Access& access, std::size_t index,
                          const TaskOwner& owner) {
  if (definition.variadic && !access.mode) return nullptr;
  const AccessMode mode = definition.variadic ? *access.mode : definition.modes[index];
  return find_simple(definition, access, index, mode, owner);
}

bool mark_simple_accesses(const TaskSpecification& specification, const TaskOwner& owner, std::uint64_t mark) {
  const CodeletDefinition& definition = specification.codelet.definition();
  if (!definition.groups.empty()) return false;
  for (std::size_t i = 0; i < specification.accesses.size(); ++i) {
    const Access& access = specification.accesses[i];
    if (definition.variadic && !access.mode) return false;
    const AccessMode mode = definition.variadic ? *access.mode : definition.modes[i];
    DataRecord* const record = find_simple(definition, access, i, mode, owner);
    if (record == nullptr || record->releasing()) return false;
    if (record->is_halo) [[unlikely]]
      continue;
    if (!record->children.empty()) return false;
    if (record->seen.by == mark && (writes(mode) || writes(record->seen.mode))) return false;
    record->seen.by = mark;
    record->seen.mode = mode;
  }
  return true;
}

Result<void> check_accesses(const TaskSpecification& specification, const DataRegistry& registry, std::uint64_t id,
                            KindSet device_kinds, const Domain* domain) {
  const Codelet& codelet = specification.codelet;
  const CodeletDefinition& definition = codelet.definition();
  GroupWalk walk(definition.groups);
  for (std::size_t i = 0; i < specification.accesses.size(); ++i) {
    const Access& access = specification.accesses[i];
    const auto mode = mode_of(codelet, access, i);
    if (!mode) return mode.failure();
    const auto record = registry.find(access.handle, domain);
    if (!record) {
      return Failure{record.failure().code,
                     quoted(codelet) + ": access " + std::to_string(i) + ": " + record.failure().message};
    }
    if (definition.typed) {
      const DataParameter& parameter = definition.parameters[i];
      if (auto fits = check_parameter(codelet, parameter, *record.value(), mode.value(), i); !fits) return fits;
    } else if (!definition.groups.empty()) {
      if (auto fits = check_group(codelet, walk, *record.value(), mode.value(), i); !fits) return fits;
    }
    if (auto allowed = check_halo(*record.value(), mode.value()); !allowed) {
      return Failure{allowed.failure().code,
                     quoted(codelet) + ": access " + std::to_string(i) + ": " + allowed.failure().message};
    }
    if (mode.value() == AccessMode::reduce && !record.value()->reduction) {
      return Failure{ErrorCode::invalid_argument, quoted(codelet) + ": " + describe(*record.value()) +
                                                      " is used in mode reduce but has no reduction methods: call "
                                                      "set_reduction first"};
    }
    if (mode.value() == AccessMode::reduce && definition.pieces != nullptr) {
      return Failure{ErrorCode::invalid_argument,
                     quoted(codelet) + ": " + describe(*record.value()) +
                         " is used in mode reduce, which tasks made of pieces cannot, as partial results are each "
                         "worker's: use commute instead"};
    }
    if (!record.value()->mark(id, mode.value())) {
      return Failure{ErrorCode::conflicting_access,
                     quoted(codelet) + ": access " + std::to_string(i) + " (" + describe(*record.value()) + ", mode " +
                         to_string(mode.value()) +
                         ") is the same data as, or part of, another handle of the task, and not both only read"};
    }
  }
  if (!walk.complete()) return mismatch(codelet, "the task has fewer handles than the kernel takes");
  return check_halos(specification, device_kinds);
}

Result<void> check_usable(const TaskSpecification& specification, const Domain* domain) {
  for (std::size_t i = 0; i < specification.accesses.size(); ++i) {
    const Access& access = specification.accesses[i];
    const auto mode = mode_of(specification.codelet, access, i);
    if (!mode) continue;
    const DataRecord& record = *access.handle.record();
    const auto usable =
        is_checked(domain, record) ? check_writable(record, mode.value()) : check_usable(record, mode.value());
    if (usable) continue;
    return Failure{ErrorCode::invalid_argument, quoted(specification.codelet) + ": " + which_handle(record, i) +
                                                    " is used in mode " + to_string(mode.value()) + ", but " +
                                                    usable.failure().message};
  }
  return {};
}

Failure not_declared(const DataRecord& record, const std::string& parent) {
  return {ErrorCode::invalid_argument, describe(record) + " is not among the data that " + parent +
                                           ", which the task belongs to, declares: add it to the data of the nested "
                                           "task, or to TaskOptions::weak if only its children use it"};
}

Failure declared_in_read(const DataRecord& record, AccessMode mode, const std::string& parent) {
  return {ErrorCode::invalid_argument, describe(record) + " is used in mode " + to_string(mode) + ", but " + parent +
                                           ", which the task belongs to, declares it in mode read"};
}

std::vector<TaskAccess> weak_accesses(const TaskOptions& options) {
  std::vector<TaskAccess> weak;
  for (const Access& access : options.weak) {
    weak.emplace_back(access.handle.record(), access.mode.value_or(AccessMode::read));
  }
  return weak;
}

Result<void> check_after(const TaskSpecification& specification, const TaskOwner& owner) {
  for (const Future& future : specification.options.after) {
    if (future.owner() == &owner) continue;
    return Failure{ErrorCode::invalid_argument,
                   quoted(specification.codelet) + ": an explicit dependency is empty or of another runtime"};
  }
  return {};
}

Failure recorded_dependency(const Codelet& codelet) {
  return {ErrorCode::invalid_argument, quoted(codelet) +
                                           ": an explicit dependency is a task of a recording, which has not run: "
                                           "name what RecordedGraph::run returned"};
}

Failure unrecorded_dependency(const Codelet& codelet) {
  return {ErrorCode::invalid_argument,
          quoted(codelet) + ": a recorded task can only be told to run after tasks of the same recording"};
}

Failure never_ends(const std::string& why) {
  return {ErrorCode::invalid_argument, "this wait would never end: " + why +
                                           ": give that back before (HostAccess::give_back, or the end of its scope; "
                                           "troupe_hold_free in C)"};
}

Failure never_has_room(std::uint64_t window) {
  return never_ends("the submission window (" + std::to_string(window) +
                    " tasks) is full of tasks that wait for data which this thread and others hold (acquire), and the "
                    "others wait for room, too");
}

Failure deadline_in_virtual_time(const Codelet& codelet) {
  return {ErrorCode::invalid_argument,
          quoted(codelet) +
              ": the task has a deadline, a time of std::chrono::steady_clock, to which this run (simulated or "
              "deterministic) does not keep: submit it without, or use TaskOptions::stop"};
}

Failure limited_in_recording(const Codelet& codelet) {
  return {ErrorCode::invalid_argument,
          quoted(codelet) +
              ": a recorded task can have no deadline and no stop token, since it runs many times: cancel the future "
              "that RecordedGraph::run returns"};
}

Failure limited_on_service(const Codelet& codelet) {
  return {
      ErrorCode::invalid_argument,
      quoted(codelet) +
          ": a task's deadline or stop token is not carried to a service: submit it without, and cancel its future"};
}

Failure takes_no_tasks(const Codelet& codelet) {
  return {ErrorCode::stopped, quoted(codelet) + ": the runtime is stopping and takes no tasks"};
}

Failure waits_in_kernel() {
  return {
      ErrorCode::wait_in_kernel,
      "a kernel or callback waited for its own runtime, which would never end: submit a task that depends on what "
      "you wait for instead, or wait in the kernel of a task with TaskOptions::nested for the tasks that it submits"};
}

Result<void> check_hold_mode(AccessMode mode) {
  if (mode == AccessMode::read || mode == AccessMode::write || mode == AccessMode::read_write) return {};
  return Failure{ErrorCode::invalid_argument, std::string("the program cannot acquire data in mode ") +
                                                  to_string(mode) + ": use read, write or read_write"};
}

Result<void> check_methods(const ReductionMethods& methods, const DataRecord& record) {
  if (!methods.initialize || !methods.combine) {
    return Failure{ErrorCode::invalid_argument, "a reduction needs both an initializer and a combiner"};
  }
  const Layout& layout = record.view.layout;
  if (methods.element_tag == 0 || methods.element_tag == layout.element_tag) return {};
  return Failure{ErrorCode::signature_mismatch,
                 describe(record) + " has elements of type " +
                     two_types(layout.element_tag, layout.element_size, ", and its reduction is for elements of type ",
                               methods.element_tag, methods.element_size) +
                     ": take one for the type that the data were registered with"};
}

Failure call_in_recording(const Codelet& codelet) {
  return {ErrorCode::invalid_argument,
          quoted(codelet) +
              ": a call that returns a value (async) and a coroutine cannot be recorded, as a recording runs many "
              "times: submit a task that writes the value into data"};
}

Failure resumes_nothing() {
  return {
      ErrorCode::invalid_argument,
      "a coroutine needs a runtime that runs kernels, and one in virtual time does not: wait for the future instead"};
}

Failure waits_in_recording() {
  return {ErrorCode::invalid_argument,
          "a wait inside of a recording: nothing runs before the recorded graph does, so there is nothing to wait for"};
}

Failure recorded_task_waited_for() {
  return {ErrorCode::invalid_argument,
          "a task of a recording was waited for: wait for what RecordedGraph::run returns"};
}

}  // namespace troupe::graph
