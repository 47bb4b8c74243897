#include "tests/support/random/random_program.hpp"

#include <algorithm>

#include "proto/random.hpp"

namespace troupe::tests {

namespace {

/// Returns true if the program divides the region into parts at some point.
bool is_divided(const RandomProgram& program, int region) {
  const auto divides = [region](const Operation& operation) {
    return operation.kind == Operation::Kind::partition && operation.index == region;
  };
  if (std::any_of(program.prologue.begin(), program.prologue.end(), divides)) return true;
  return std::any_of(program.operations.begin(), program.operations.end(),
                     [&](const std::vector<Operation>& all) { return std::any_of(all.begin(), all.end(), divides); });
}

/// Builds a program, one submitter after the other.
class Generator {
 public:
  explicit Generator(const ProgramOptions& options)
      : options_(options), random_(options.seed), halo_random_(options.seed + 71) {}

  RandomProgram make() {
    add_roots();
    divided_.assign(program_.regions.size(), false);
    shared_.clear();
    for (int root = 0; root < program_.roots; ++root) {
      program_.prologue.push_back({Operation::Kind::register_root, root});
      shared_.push_back(root);
    }
    for (int root = 0; root < program_.roots; ++root) {
      surround(root, 10, program_.prologue, shared_);
      if (chance(40)) cut(root, program_.prologue, shared_);
      surround(root, 25, program_.prologue, shared_);
    }
    // If a submitter divides a matrix later, the matrix belongs to that submitter, and no other submitter uses the
    // parts.
    for (int submitter = 0; submitter < options_.submitters; ++submitter) add_submitter(submitter);
    return std::move(program_);
  }

 private:
  bool chance(std::uint32_t percent) { return random_.below(100) < percent; }
  int pick(const std::vector<int>& from) { return from[random_.below(static_cast<std::uint32_t>(from.size()))]; }

  int add_region(const Region& region, bool reducible) {
    program_.regions.push_back(region);
    // The runtime adds tasks that combine reductions. If a worker dies, such a task may be lost, and the reference does
    // not know these tasks.
    program_.reducible.push_back(reducible && !options_.losses);
    divided_.push_back(false);
    return static_cast<int>(program_.regions.size()) - 1;
  }

  void add_roots() {
    program_.roots = 2 + static_cast<int>(random_.below(5));
    for (int root = 0; root < program_.roots; ++root) {
      const auto rows = static_cast<std::int64_t>(1 + random_.below(6)) * options_.scale;
      const auto cols = static_cast<std::int64_t>(1 + random_.below(4));
      add_region({root, 0, 0, rows, cols}, chance(50));
    }
  }

  /// Cuts a region into four blocks at a random row and column. Some of the blocks may not become parts.
  void cut(int index, std::vector<Operation>& out, std::vector<int>& available) {
    const Region whole = program_.regions[static_cast<std::size_t>(index)];
    if (!options_.parts || divided_[static_cast<std::size_t>(index)] || whole.rows * whole.cols < 2) return;
    divided_[static_cast<std::size_t>(index)] = true;
    const std::int64_t row = random_.below(static_cast<std::uint32_t>(whole.rows));
    const std::int64_t col = random_.below(static_cast<std::uint32_t>(whole.cols));
    const std::array<Region, 4> blocks{
        {{whole.root, whole.row, whole.col, row, col},
         {whole.root, whole.row + row, whole.col, whole.rows - row, col},
         {whole.root, whole.row, whole.col + col, row, whole.cols - col},
         {whole.root, whole.row + row, whole.col + col, whole.rows - row, whole.cols - col}}};
    Operation operation{Operation::Kind::partition, index};
    for (const Region& block : blocks) {
      if (block.rows * block.cols == 0 || chance(15)) continue;
      operation.parts.push_back(add_region(block, chance(30)));
    }
    available.insert(available.end(), operation.parts.begin(), operation.parts.end());
    out.push_back(operation);
    for (const int part : operation.parts) {
      if (chance(15)) cut(part, out, available);
    }
  }

  /// Replaces the parts that this submitter alone uses by two or more others, which cover the region or do not.
  void divide_anew(int index, std::vector<Operation>& out, std::vector<int>& available) {
    if (!options_.repartitions || !divided_[static_cast<std::size_t>(index)]) return;
    const Region whole = region(index);
    // All parts of the whole are among the submitter's own regions, or the program's if there is no other submitter.
    const auto is_part = [&](int other) {
      return other != index && region(other).root == whole.root && !region(other).halo;
    };
    if (options_.submitters > 1 || options_.nested || std::ranges::none_of(available, is_part)) return;
    for (std::size_t i = 0; i < program_.regions.size(); ++i) {
      Region& part = program_.regions[i];
      if (is_part(static_cast<int>(i))) part.replaced = true;
    }
    std::erase_if(available, is_part);
    Operation operation{Operation::Kind::repartition, index};
    const std::int64_t at = halo_random_.below(static_cast<std::uint32_t>(whole.rows + 1));
    // Elements that no part has any more stay invalid if a failure has made them so.
    const bool fails = options_.faults || options_.canceller || options_.device_faults || options_.losses;
    const bool covers = halo_random_.below(100) < 80 || fails;
    const Region blocks[] = {{whole.root, whole.row, whole.col, at, whole.cols},
                             {whole.root, whole.row + at, whole.col, whole.rows - at, whole.cols}};
    for (const Region& block : blocks) {
      if (block.rows > 0 && (covers || halo_random_.below(2) == 0)) operation.parts.push_back(add_region(block, false));
    }
    available.insert(available.end(), operation.parts.begin(), operation.parts.end());
    out.push_back(operation);
  }

  /// Makes halo parts of a region, with this probability.
  void surround(int index, std::uint32_t percent, std::vector<Operation>& out, std::vector<int>& available) {
    if (halo_random_.below(100) >= percent || !options_.parts) return;
    const Region whole = program_.regions[static_cast<std::size_t>(index)];
    Operation operation{Operation::Kind::halos, index};
    const auto below = [this](std::int64_t count) {
      return static_cast<std::int64_t>(halo_random_.below(static_cast<std::uint32_t>(count)));
    };
    for (std::uint32_t left = 1 + halo_random_.below(3); left > 0; --left) {
      Region halo{whole.root, whole.row + below(whole.rows), whole.col + below(whole.cols)};
      halo.rows = 1 + below(whole.row + whole.rows - halo.row);
      halo.cols = 1 + below(whole.col + whole.cols - halo.col);
      halo.halo = true;
      operation.parts.push_back(add_region(halo, false));
    }
    available.insert(available.end(), operation.parts.begin(), operation.parts.end());
    out.push_back(operation);
  }

  [[nodiscard]] const Region& region(int index) const { return program_.regions[static_cast<std::size_t>(index)]; }

  /// Returns true if one task may use both regions in these modes. A task may read a halo part beside data that it
  /// writes; together with modes in which tasks have no order, its input would not be known.
  [[nodiscard]] bool may_meet(const PlannedAccess& one, const PlannedAccess& other) const {
    if (!overlap(region(one.region), region(other.region)) || (!writes(one.mode) && !writes(other.mode))) return true;
    const auto beside = [this](const PlannedAccess& halo, const PlannedAccess& written) {
      const bool ordered = written.mode != AccessMode::commute && written.mode != AccessMode::reduce;
      return region(halo.region).halo && ordered;
    };
    return beside(one, other) || beside(other, one);
  }

  AccessMode random_mode(bool reducible) {
    const auto draw = random_.below(100);
    if (draw < 35) return AccessMode::read;
    if (draw < 50) return AccessMode::write;
    if (draw < 72) return AccessMode::read_write;
    if (draw < 88 || !reducible) return AccessMode::commute;
    return AccessMode::reduce;
  }

  int add_task(const std::vector<int>& available) {
    PlannedTask task;
    task.salt = random_.next();
    const std::uint32_t wanted = chance(10) ? random_.below(8) : random_.below(4);
    for (std::uint32_t i = 0; i < wanted; ++i) {
      PlannedAccess access{pick(available)};
      access.mode = random_mode(program_.reducible[static_cast<std::size_t>(access.region)]);
      if (region(access.region).halo) access.mode = AccessMode::read;
      const bool fits =
          std::ranges::all_of(task.accesses, [&](const PlannedAccess& other) { return may_meet(access, other); });
      if (fits) task.accesses.push_back(access);
    }
    task.priority = chance(50) ? 0 : static_cast<int>(random_.below(7)) - 3;
    task.faulty = options_.faults && chance(4);
    task.has_callback = chance(10);
    task.variadic = chance(50);
    const auto draw = random_.below(100);
    task.duration = draw < 60 ? 0 : draw < 95 ? random_.below(500) : random_.below(20000);
    program_.tasks.push_back(std::move(task));
    return static_cast<int>(program_.tasks.size()) - 1;
  }

  void add_children(int parent, const std::vector<int>& available, int depth) {
    const std::uint32_t count = 1 + random_.below(6);
    for (std::uint32_t i = 0; i < count; ++i) {
      const int child = add_task(available);
      if (depth < 3 && chance(15)) add_children(child, available, depth + 1);
      program_.tasks[static_cast<std::size_t>(parent)].children.push_back(child);
    }
  }

  void add_submission(std::vector<Operation>& out, std::vector<int>& mine, const std::vector<int>& available,
                      const std::vector<int>& lasting) {
    const int index = add_task(available);
    PlannedTask& task = program_.tasks[static_cast<std::size_t>(index)];
    while (!mine.empty() && chance(12)) task.after.push_back(pick(mine));
    if (options_.nested && chance(15)) add_children(index, lasting, 0);
    add_discards(program_.tasks[static_cast<std::size_t>(index)], out);
    out.push_back({Operation::Kind::submit, index});
    mine.push_back(index);
  }

  /// Discards some of the data that the task is going to overwrite, if no other task can read them in between. If
  /// devices fail, the task may not be submitted.
  void add_discards(const PlannedTask& task, std::vector<Operation>& out) {
    if (options_.submitters > 1 || options_.nested || options_.device_faults || (task.salt >> 50U) % 2 == 0) return;
    const auto reads_before = [&](const PlannedAccess& written) {
      return std::ranges::any_of(task.accesses, [&](const PlannedAccess& other) {
        return region(other.region).halo && overlap(region(other.region), region(written.region));
      });
    };
    for (const PlannedAccess& access : task.accesses) {
      if (access.mode != AccessMode::write || reads_before(access)) continue;
      out.push_back({Operation::Kind::discard, access.region});
    }
  }

  void add_submitter(int submitter) {
    std::vector<Operation>& out = program_.operations.emplace_back();
    std::vector<int> lasting = shared_;
    std::vector<int> mine;
    int temporary = -1;
    for (int i = 0; i < options_.operations; ++i) {
      std::vector<int> available = lasting;
      if (temporary >= 0) available.push_back(temporary);
      const auto draw = options_.waits ? random_.below(100) : 0;
      if (draw < 78) {
        add_submission(out, mine, available, lasting);
      } else if (draw < 81) {
        const int root = static_cast<int>(random_.below(static_cast<std::uint32_t>(program_.roots)));
        if (root % options_.submitters == submitter) {
          divide_anew(root, out, lasting);
          cut(root, out, lasting);
          surround(root, 50, out, lasting);
        }
      } else if (draw < 83) {
        if (!mine.empty()) out.push_back({Operation::Kind::wait_task, pick(mine)});
      } else if (draw < 86) {
        out.push_back({Operation::Kind::wait_handle, pick(available)});
      } else if (draw < 88) {
        out.push_back({Operation::Kind::read_host, pick(available)});
      } else if (draw < 91) {
        // With one submitter and no nested tasks the host may use any data. Otherwise it only uses data that this
        // submitter has registered.
        const bool alone = options_.submitters == 1 && !options_.nested;
        const int chosen = alone ? pick(available) : temporary;
        if (chosen >= 0 && !region(chosen).halo) add_host_task(out, chosen);
      } else if (draw < 93) {
        out.push_back({Operation::Kind::wait_all});
      } else if (draw < 95) {
        if (options_.faults && !mine.empty()) out.push_back({Operation::Kind::cancel_task, pick(mine)});
      } else if (temporary < 0) {
        temporary = add_region({0, 0, 0, 2, 2}, chance(50));
        program_.regions[static_cast<std::size_t>(temporary)].root = temporary;
        out.push_back({Operation::Kind::register_root, temporary});
      } else {
        out.push_back({Operation::Kind::release_root, temporary});
        temporary = -1;
      }
    }
    if (temporary >= 0) out.push_back({Operation::Kind::release_root, temporary});
  }

  void add_host_task(std::vector<Operation>& out, int region) {
    PlannedTask task;
    task.salt = random_.next();
    task.accesses.push_back({region, chance(30) ? AccessMode::write : AccessMode::read_write});
    program_.tasks.push_back(task);
    out.push_back({Operation::Kind::modify_host, static_cast<int>(program_.tasks.size()) - 1});
  }

  const ProgramOptions options_;
  Random random_;
  /// Numbers of their own, so that halo parts change as little as possible in the programs of a seed.
  Random halo_random_;
  RandomProgram program_;
  std::vector<bool> divided_;
  /// Regions that every submitter may use.
  std::vector<int> shared_;
};

}  // namespace

PlannedKernel planned_kernel(const RandomProgram& program, const PlannedTask& task, const Devices& devices) {
  PlannedKernel kernel;
  const auto reduces = [](const PlannedAccess& access) { return access.mode == AccessMode::reduce; };
  const bool in_pieces = (task.salt >> 12U) % 4 == 0 && std::ranges::none_of(task.accesses, reduces);
  if (in_pieces) kernel.grain = 1 + static_cast<std::uint32_t>((task.salt >> 14U) % 3);
  if (!devices.mixed) return kernel;
  kernel.timed_as = static_cast<int>((task.salt >> 40U) % kTimedKernels);
  // In virtual time no device touches real memory, so every device may run tasks that reduce.
  const bool can_reduce = devices.gpu != DeviceKind::opencl || std::ranges::none_of(task.accesses, reduces);
  kernel.on_gpus = devices.gpus && can_reduce;
  const std::uint64_t draw = (task.salt >> 20U) % 100;
  if (draw < 20 && devices.cores) kernel.on_gpus = false;
  if (draw < 80 || !kernel.on_gpus) return kernel;
  Bytes needed;
  for (const PlannedAccess& access : task.accesses) {
    const Region& region = program.regions[static_cast<std::size_t>(access.region)];
    if (region.halo || is_divided(program, access.region)) return kernel;
    // Memory is allocated in units of 256 bytes.
    const auto bytes = static_cast<std::uint64_t>(region.rows * region.cols) * sizeof(std::uint64_t);
    needed += Bytes{(bytes + 255) / 256 * 256};
  }
  kernel.on_cores = needed > devices.gpu_memory;
  return kernel;
}

std::uint32_t planned_pieces(const PlannedTask& task) {
  const auto drawn = static_cast<std::uint32_t>((task.salt >> 32U) % 12);
  const bool changes = std::ranges::any_of(task.accesses, [](const PlannedAccess& one) { return writes(one.mode); });
  return changes ? std::max(drawn, 1U) : drawn;
}

std::vector<Block> blocks_of(const RandomProgram& program, const Operation& operation) {
  const Region& whole = program.regions[static_cast<std::size_t>(operation.index)];
  std::vector<Block> blocks;
  for (const int part : operation.parts) {
    const Region& region = program.regions[static_cast<std::size_t>(part)];
    blocks.push_back({region.row - whole.row, region.col - whole.col, region.rows, region.cols});
  }
  return blocks;
}

std::string timed_kernel_name(int kernel) { return "k" + std::to_string(kernel); }

RandomProgram make_program(const ProgramOptions& options) { return Generator(options).make(); }

}  // namespace troupe::tests
