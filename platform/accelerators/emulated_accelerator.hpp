/// An accelerator that does not exist: its memory is an arena of host memory, and threads make its copies.
#pragma once

#include <memory>
#include <string>

#include "platform/accelerators/accelerator.hpp"
#include "platform/accelerators/copy_engine.hpp"
#include "platform/accelerators/fault_plan.hpp"
#include "platform/memory/host_buffer.hpp"
#include "troupe/errors.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::platform {

/// An emulated accelerator. Copies take as long, and fail as often, as the options say; see `CopyEngine`. The
/// accelerator runs no kernels.
///
/// The operating system provides a page of the accelerator's memory when the page is first touched. The threads sleep
/// while there is nothing to copy.
class EmulatedAccelerator final : public Accelerator {
 public:
  /// Makes an accelerator. The name contains `number`. Fails with `invalid_argument` if an option cannot be used (the
  /// message names the option), and with `out_of_memory` if the host does not have the memory that the options request.
  [[nodiscard]] static Result<std::unique_ptr<EmulatedAccelerator>> make(int number, const EmulationOptions& options);

  ~EmulatedAccelerator() override;
  EmulatedAccelerator(const EmulatedAccelerator&) = delete;
  EmulatedAccelerator& operator=(const EmulatedAccelerator&) = delete;

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string model() const override { return "emulated GPU"; }
  [[nodiscard]] std::byte* memory() const override;
  [[nodiscard]] Bytes capacity() const override { return options_.memory; }

  void copy(CopyDirection direction, const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) override;
  void hurry(CopyNumber number) override;
  /// Returns true if `source` is another emulated accelerator, and both have a rate for copies between accelerators.
  [[nodiscard]] bool reaches(const Accelerator& source) const override;
  /// Copies at the rate of this accelerator. If the source is lost, the copy fails with `transfer_failed` and not with
  /// `device_lost`, because copies from other accelerators may still succeed.
  void copy_from(Accelerator& source, const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) override;

  /// Begins a copy inside the memory. It takes as long as this machine needs for it, and can fail like all other
  /// copies.
  void copy_inside(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) override;

  [[nodiscard]] CopySpeed speed(CopyDirection direction) const override;
  [[nodiscard]] CopySpeed peer_speed() const override;
  [[nodiscard]] CopyTraffic traffic(CopyDirection direction) const override;
  [[nodiscard]] CopyTraffic peer_traffic() const override;

  [[nodiscard]] bool allocates() override { return !faults_->allocation_fails(); }

  /// Returns the emulated faults, for the device that runs the accelerator's kernels.
  [[nodiscard]] const std::shared_ptr<FaultPlan>& faults() const { return faults_; }
  /// Makes the device stop working: all present and later copies end with `device_lost`. May be called from any thread,
  /// any number of times.
  void lose();
  [[nodiscard]] bool lost() const override;
  void stop() override;

 private:
  /// The accelerator's memory. Copies to other accelerators share its ownership, because they may read the memory after
  /// this accelerator has been destroyed.
  struct Arena;

  EmulatedAccelerator(int number, const EmulationOptions& options, std::shared_ptr<Arena> arena);
  [[nodiscard]] const CopyEngine& engine(CopyDirection direction) const;

  const EmulationOptions options_;
  const std::string name_;
  const std::shared_ptr<FaultPlan> faults_;
  const std::shared_ptr<Arena> arena_;
  std::unique_ptr<CopyEngine> to_device_;
  std::unique_ptr<CopyEngine> to_host_;
  /// The engine for copies from other accelerators; null if the options set no rate for such copies.
  std::unique_ptr<CopyEngine> from_peers_;
  std::unique_ptr<CopyEngine> inside_;
};

}  // namespace troupe::platform
