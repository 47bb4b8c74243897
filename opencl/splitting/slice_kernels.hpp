/// Kernels that run the slices of split launches.
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

/// The kernels for the slices of one kernel's launches, one for each device for which the program was built. A separate
/// thread builds them once enough launches show that they are useful; until then none exist. Thread-safe.
class SliceKernels {
 public:
  /// The kernels by `RealDevice::number`; null if there is none.
  using OnDevices = std::vector<std::shared_ptr<VendorKernel>>;

  /// If `at_once`, the first call of `of` builds the kernels itself.
  SliceKernels(const Program& program, std::string kernel, std::vector<WrittenParameter> written, bool at_once);

  /// Returns the written parameters: a slice's kernel takes one more argument for each of them.
  [[nodiscard]] const std::vector<WrittenParameter>& written() const { return written_; }
  /// Returns the kernels for slices of this launch; null as long as they do not exist. The first call starts their
  /// build. If the kernels can serve this range only, the build starts after several launches of the range.
  /// `asks_for_whole` is true if the kernel calls functions whose results differ between the launch and its slices.
  [[nodiscard]] std::shared_ptr<const OnDevices> of(const NdRange& whole, bool asks_for_whole);

 private:
  using Key = std::tuple<std::array<std::size_t, 3>, std::array<std::size_t, 3>>;
  struct Source {
    VendorContext* context = nullptr;
    std::size_t device = 0;
    std::string options;
  };
  /// The results of the building thread.
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
  /// The changed source; empty if changing it failed.
  std::string source_;
  std::vector<Source> sources_;
  std::size_t devices_ = 0;
  Mutex mutex_;
  std::map<Key, Range> ranges_ TROUPE_GUARDED_BY(mutex_);
};

/// Returns the thread that builds the kernels. It is never destroyed.
[[nodiscard]] platform::BackgroundThread& slice_builder();

}  // namespace troupe::opencl
