/// The memory of an accelerator, and the engines that copy to it and from it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "platform/accelerators/block_copy.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// The function that is called when a copy ends. Its argument is success or a failure: `device_lost` if no further copy
/// will succeed, otherwise `transfer_failed`.
using CopyDone = std::function<void(Result<void>)>;

/// Identifies a copy until the copy ends, so that `hurry` can name it. The caller chooses the number, which must be
/// unique per accelerator.
using CopyNumber = std::uint64_t;

/// The cost of one copy in one direction while no other copy is under way.
struct CopySpeed {
  Duration latency{};
  double bytes_per_s = 0;
};

/// The copies made so far in one direction.
struct CopyTraffic {
  Bytes bytes;
  std::uint64_t copies = 0;
  /// The time during which at least one copy was under way.
  Duration busy{};
};

enum class CopyDirection : std::uint8_t { to_device, to_host };

/// A memory node other than the host's. It has one block of memory, in which the memory manager places data by their
/// offset, and it makes copies between this block and host memory, in both directions at once, and inside the block.
/// The accelerator may be real or emulated. Thread-safe.
class Accelerator {
 public:
  /// Ends the copies as `stop` does.
  virtual ~Accelerator() = default;
  /// Waits for the copies under way. Copies that have not begun end with a failure. Copies that are requested later
  /// fail inside the call of `copy`. When `stop` returns, the `done` of every earlier copy has been called.
  virtual void stop() = 0;
  /// Returns true if the device has stopped working: no copy will succeed any more.
  [[nodiscard]] virtual bool lost() const = 0;

  /// Returns the name for people, such as "GPU 0 (NVIDIA H200)" or "emulated GPU 1".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Returns the name that the maker gives to all devices of this model.
  [[nodiscard]] virtual std::string model() const = 0;
  /// `memory` returns the first address of the block of memory, in the device's address space; `capacity` returns the
  /// block's size.
  [[nodiscard]] virtual std::byte* memory() const = 0;
  [[nodiscard]] virtual Bytes capacity() const = 0;
  /// Returns the largest number of bytes that one piece of data may have.
  [[nodiscard]] virtual Bytes largest_piece() const { return capacity(); }

  /// Begins a copy. `done` is called once, from any thread; it is called inside this call only if `stop` was called
  /// before. In each direction one copy is under way at a time: urgent copies first, then the others in the order of
  /// the calls. Both pointers of `copy` may be null if there is nothing to copy.
  virtual void copy(CopyDirection direction, const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) = 0;
  /// Makes a copy urgent if it has not begun: it then goes before all copies that are not urgent.
  virtual void hurry(CopyNumber number) = 0;

  /// Returns true if `copy_from` can copy from `source` without going through host memory.
  [[nodiscard]] virtual bool reaches(const Accelerator& /*source*/) const { return false; }
  /// Begins a copy from the memory of `source`, an accelerator for which `reaches` returned true.
  virtual void copy_from(Accelerator& source, const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) = 0;

  /// Begins a copy between two places in this accelerator's memory. `traffic` does not count such copies.
  virtual void copy_inside(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) = 0;

  /// Returns the speed of copies between the host and this accelerator, as configured or measured.
  [[nodiscard]] virtual CopySpeed speed(CopyDirection direction) const = 0;
  [[nodiscard]] virtual CopySpeed peer_speed() const { return {}; }
  [[nodiscard]] virtual CopyTraffic traffic(CopyDirection direction) const = 0;
  /// Returns the copies made so far from other accelerators.
  [[nodiscard]] virtual CopyTraffic peer_traffic() const { return {}; }

  /// Returns true if memory for a task's data may be allocated. Returns false only to emulate a failed allocation.
  [[nodiscard]] virtual bool allocates() { return true; }
};

}  // namespace troupe::platform
