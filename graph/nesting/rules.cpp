#include "graph/nesting/rules.hpp"

#include <algorithm>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/usable.hpp"
#include "graph/submission_checks.hpp"

namespace troupe::graph {

Failure refused(const Codelet& codelet, const std::string& why) {
  return {ErrorCode::invalid_argument, quoted(codelet) + ": " + why};
}

Result<void> check_nested(const TaskSpecification& specification, const NestingRules& allowed) {
  if (specification.may_nest && !allowed.calls) {
    return refused(specification.codelet,
                   "a call that returns a value (async) needs a runtime that runs the program's own kernels: not in "
                   "virtual time, nor in a program on a service");
  }
  const CodeletDefinition& definition = specification.codelet.definition();
  const auto refuse = [&specification](const std::string& why) { return refused(specification.codelet, why); };
  if (!specification.options.nested) {
    if (specification.options.weak.empty()) return {};
    return refuse("weak data are for the children of a nested task: set TaskOptions::nested");
  }
  if (!allowed.tasks) {
    return refuse(
        "a nested task needs a runtime of its own, because its kernel says what it consists of: where several clients "
        "share the workers, submit its children from the program");
  }
  if (!allowed.with_data && !specification.accesses.empty()) {
    return refuse(
        "the kernel of a nested task is called in virtual time, too, and its data have no content there: declare them "
        "in TaskOptions::weak if only its children use them, or set SimulationOptions::real_buffers");
  }
  if (definition.pieces != nullptr) {
    return refuse("a task made of pieces cannot be nested: submit the pieces as children");
  }
  for (std::size_t i = 0; i < specification.accesses.size(); ++i) {
    const auto mode = mode_of(specification.codelet, specification.accesses[i], i);
    if (!mode) return mode.failure();
    if (mode.value() != AccessMode::commute && mode.value() != AccessMode::reduce) continue;
    return refuse("a nested task cannot use data in mode " + std::string(to_string(mode.value())) +
                  ": let it use them in mode read_write, and its children in this mode");
  }
  return {};
}

Result<void> check_weak_accesses(const TaskSpecification& specification, const DataRegistry& registry,
                                 std::uint64_t mark, const Domain* domain) {
  const auto refuse = [&specification](ErrorCode code, const std::string& why) {
    return Failure{code, quoted(specification.codelet) + ": " + why};
  };
  for (const Access& access : specification.options.weak) {
    const auto found = registry.find(access.handle, domain);
    if (!found) return refuse(found.failure().code, "weak data: " + found.failure().message);
    DataRecord& record = *found.value();
    if (!access.mode || *access.mode == AccessMode::commute || *access.mode == AccessMode::reduce) {
      return refuse(ErrorCode::invalid_argument, describe(record) +
                                                     " is weak and needs a mode of read, write or read_write: "
                                                     "read(x), write(x) or read_write(x)");
    }
    if (record.is_halo) {
      return refuse(ErrorCode::invalid_argument,
                    describe(record) + " is a halo part and cannot be weak: declare the data in which it lies as weak");
    }
    // Through the halo part, the kernel would read what its children write.
    const auto reads_beside = [&record](const Access& own) {
      const DataRecord& other = *own.handle.record();
      return other.is_halo && &other.whole() == &record.whole();
    };
    if (writes(*access.mode) && std::ranges::any_of(specification.accesses, reads_beside)) {
      return refuse(ErrorCode::conflicting_access,
                    describe(record) + " is weak, and the kernel itself reads a halo part of the same data");
    }
    // Weak data in mode read are marked as if written, too, because even they must not overlap other data of the task:
    // its children would find the task itself in their dependency states.
    if (!record.mark(mark, AccessMode::write)) {
      return refuse(ErrorCode::conflicting_access,
                    describe(record) + " is weak, and is the same data as, or part of, another handle of the task");
    }
  }
  return {};
}

Result<void> check_weak_usable(const TaskSpecification& specification, const Domain* domain) {
  for (const Access& access : specification.options.weak) {
    const DataRecord& record = *access.handle.record();
    const auto usable =
        is_checked(domain, record) ? check_writable(record, *access.mode) : check_usable(record, *access.mode);
    if (!usable) {
      return Failure{ErrorCode::invalid_argument,
                     quoted(specification.codelet) + ": weak data: " + usable.failure().message};
    }
  }
  return {};
}

}  // namespace troupe::graph
