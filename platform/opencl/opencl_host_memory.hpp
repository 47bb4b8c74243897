/// Host memory, as an OpenCL device works on it in place.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "platform/accelerators/host_device.hpp"
#include "platform/opencl/opencl_handles.hpp"
#include "platform/opencl/opencl_task_data.hpp"
#include "proto/mutex.hpp"

namespace troupe::platform {

/// A piece of data has a buffer over its place in host memory, which stays until the data are forgotten. It is mapped
/// all the time but while tasks of the device use it: then the content is the device's, else the host's. As the host,
/// or another device, may have written since, it is always mapped for reading and writing: then unmapping shows the
/// device what is there, whatever a driver keeps.
///
/// All tasks share one queue, in order: so a buffer that two of them read is mapped behind the first and unmapped for
/// the second, and nobody has to count.
///
/// Data whose columns lie apart, or whose place is not aligned, have a buffer of the driver's instead, to which they
/// are copied before a task, and from which they are copied back behind one that writes.
class OpenClHostMemory final : public HostDevice, public OpenClTaskData {
 public:
  /// `alignment`: data at multiples of so many bytes are used in place; 0: what the device wants for any type. Whoever
  /// calls this has found out that the device works in place. Fails with `platform`.
  [[nodiscard]] static Result<std::unique_ptr<OpenClHostMemory>> open(const OpenClDevice& device,
                                                                      std::size_t alignment = 0);
  OpenClHostMemory(const OpenClHostMemory&) = delete;
  OpenClHostMemory& operator=(const OpenClHostMemory&) = delete;
  /// No task is running.
  ~OpenClHostMemory() override;

  // HostDevice
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string model() const override { return device_.name; }
  void forget(const HostBlock& data) noexcept override;

  // OpenClTaskData
  [[nodiscard]] const OpenClDevice& device() const override { return device_; }
  [[nodiscard]] _cl_context* context() const override { return context_; }
  [[nodiscard]] _cl_command_queue* only_queue() const override { return queue_.get(); }
  [[nodiscard]] Result<Lent> lend(_cl_command_queue* queue, const Piece& piece) override;
  [[nodiscard]] Result<void> bring_back(_cl_command_queue* queue, const Piece& piece,
                                        std::span<_cl_event* const> after) override;
  void end(const Piece& piece) noexcept override;

  /// How many pieces of data have buffers.
  [[nodiscard]] std::size_t buffers() const;

 private:
  /// Address, bytes of a column, columns, pitch.
  using Key = std::tuple<std::byte*, std::size_t, std::size_t, std::size_t>;
  struct Kept {
    OpenClBuffer buffer;
    bool in_place = false;
    /// Of those in place.
    bool mapped = false;
    int tasks = 0;
  };

  OpenClHostMemory(const OpenClDevice& device, _cl_context* context, std::size_t alignment);
  [[nodiscard]] static Key key_of(const HostBlock& block);
  [[nodiscard]] Result<void> make_queues();
  [[nodiscard]] Result<Kept*> find(const HostBlock& block) TROUPE_REQUIRES(mutex_);
  [[nodiscard]] int show_device(_cl_command_queue* queue, const Piece& piece, Kept& kept) TROUPE_REQUIRES(mutex_);
  [[nodiscard]] int copy_back(_cl_command_queue* queue, const Piece& piece, const Kept& kept,
                              std::span<_cl_event* const> after);
  void give_up(const Key& key, Kept kept) noexcept;

  const OpenClDevice device_;
  _cl_context* const context_;
  const std::size_t alignment_;
  const std::string name_;
  OpenClQueue queue_;
  /// For what must not wait behind kernels.
  OpenClQueue idle_queue_;
  mutable Mutex mutex_;
  std::map<Key, Kept> kept_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::platform
