/// The memory of a GPU as a memory node.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "platform/cuda/cuda_api.hpp"
#include "platform/cuda/cuda_copy_engine.hpp"
#include "platform/cuda/cuda_devices.hpp"
#include "platform/cuda/cuda_loss.hpp"
#include "platform/cuda/cuda_objects.hpp"
#include "proto/mutex.hpp"

namespace troupe::platform {

/// The accelerator that `open_cuda_accelerator` makes. It has four engines that work at the same time: for copies to
/// the device, from the device, from other GPUs, and inside the device's memory.
class OpenCudaAccelerator final : public CudaAccelerator {
 public:
  /// Opens the device. Called in a thread whose current device is `info.index`.
  [[nodiscard]] static Result<std::unique_ptr<CudaAccelerator>> open(const CudaApi& api, const CudaDeviceInfo& info,
                                                                     Bytes size);
  ~OpenCudaAccelerator() override;

  void stop() override;
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string model() const override { return model_; }
  [[nodiscard]] std::byte* memory() const override { return static_cast<std::byte*>(memory_.get()); }
  [[nodiscard]] Bytes capacity() const override { return capacity_; }
  void copy(CopyDirection direction, const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) override;
  void hurry(CopyNumber number) override;
  [[nodiscard]] bool reaches(const Accelerator& source) const override;
  void copy_from(Accelerator& source, const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) override;
  void copy_inside(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) override {
    inside_engine_->add(copy, number, urgent, std::move(done));
  }
  [[nodiscard]] CopySpeed speed(CopyDirection direction) const override { return speeds_[index_of(direction)]; }
  [[nodiscard]] CopySpeed peer_speed() const override;
  [[nodiscard]] CopyTraffic traffic(CopyDirection direction) const override {
    return engines_[index_of(direction)]->traffic();
  }
  [[nodiscard]] CopyTraffic peer_traffic() const override { return peer_engine_->traffic(); }
  [[nodiscard]] int index() const override { return index_; }
  [[nodiscard]] bool lost() const override { return loss_->lost(); }
  void lose(const Failure& why) override { loss_->report(why); }
  void on_lost(std::function<void(const Failure&)> callback) override { loss_->on_lost(std::move(callback)); }

 private:
  OpenCudaAccelerator(const CudaApi& api, const CudaDeviceInfo& info, CudaMemory memory, Bytes capacity);
  [[nodiscard]] static std::size_t index_of(CopyDirection direction) { return static_cast<std::size_t>(direction); }
  [[nodiscard]] Result<void> measure();
  [[nodiscard]] Result<void> start_engines();
  /// Gives this device access to the memory of device `other`. Returns false if that is not possible. The first success
  /// also measures the speed of copies between GPUs.
  [[nodiscard]] bool enable_access_to(int other) const TROUPE_REQUIRES(mutex_);
  void measure_peer(int other) const TROUPE_REQUIRES(mutex_);

  const CudaApi& api_;
  const int index_;
  const std::string name_;
  const std::string model_;
  const std::shared_ptr<CudaLoss> loss_ = std::make_shared<CudaLoss>();
  CudaMemory memory_;
  const Bytes capacity_;
  /// The entries of `speeds_` and `engines_` are indexed by `CopyDirection`.
  std::array<CopySpeed, 2> speeds_{};
  std::array<std::unique_ptr<CudaCopyEngine>, 2> engines_;
  std::unique_ptr<CudaCopyEngine> peer_engine_;
  std::unique_ptr<CudaCopyEngine> inside_engine_;

  mutable Mutex mutex_;
  mutable std::map<int, bool> reached_ TROUPE_GUARDED_BY(mutex_);
  mutable CopySpeed peer_speed_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::platform
