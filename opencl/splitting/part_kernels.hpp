/// Kernels that run parts of launches.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "opencl/programs/program.hpp"
#include "opencl/splitting/split_source.hpp"
#include "platform/machine/background_thread.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

/// One kernel's, for each device that its program was built for. They are built when launches have shown that they are
/// of use, in a thread of their own; until then there are none. Thread-safe.
class PartKernels {
 public:
  /// By `RealDevice::number`; null where there is none.
  using OnDevices = std::vector<std::shared_ptr<VendorKernel>>;

  /// `at_once`: the first call of `of` builds them and waits.
  PartKernels(const Program& program, std::string kernel, std::vector<WrittenParameter> written, bool at_once);

  /// What is written: a part's kernel takes an argument more for each.
  [[nodiscard]] const std::vector<WrittenParameter>& written() const { return written_; }
  /// For parts of this launch; null as long as there are none. The first call, or where they are for this range alone
  /// the first after some of the same, begins to build them. `asks_for_whole`: the kernel asks for what differs between
  /// the launch and its parts.
  [[nodiscard]] std::shared_ptr<const OnDevices> of(const NdRange& whole, bool asks_for_whole);

 private:
  using Key = std::tuple<std::array<std::size_t, 3>, std::array<std::size_t, 3>>;
  struct Source {
    VendorContext* context = nullptr;
    std::size_t device = 0;
    std::string options;
  };
  /// What the thread that builds fills in.
  struct Built {
    Mutex mutex;
    std::shared_ptr<const OnDevices> kernels TROUPE_GUARDED_BY(mutex);
  };
  struct Range {
    std::size_t launches = 0;
    std::shared_ptr<Built> built;
  };

  [[nodiscard]] std::shared_ptr<Built> begin_to_build(std::string source) const;

  const std::string kernel_;
  const std::vector<WrittenParameter> written_;
  const bool at_once_;
  /// Empty: the source could not be changed.
  std::string source_;
  std::vector<Source> sources_;
  std::size_t devices_ = 0;
  Mutex mutex_;
  std::map<Key, Range> ranges_ TROUPE_GUARDED_BY(mutex_);
};

/// The thread that builds them. Never destroyed.
[[nodiscard]] platform::BackgroundThread& part_builder();

}  // namespace troupe::opencl
