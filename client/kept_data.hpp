/// Data that stay in the memory of devices for a while.
#pragma once

#include <memory>
#include <utility>

namespace troupe {

/// Keeps data in devices' memories: as long as this object lives, the data are the last to leave the memories that they
/// are in (`Runtime::keep`). This is a wish, not a guarantee: tasks that need the memory get it. Must not outlive its
/// runtime; moving is cheap.
class KeptData {
 public:
  KeptData() = default;
  explicit KeptData(std::shared_ptr<void> kept) : kept_(std::move(kept)) {}
  KeptData(KeptData&&) noexcept = default;
  KeptData& operator=(KeptData&&) noexcept = default;
  KeptData(const KeptData&) = delete;
  KeptData& operator=(const KeptData&) = delete;

  /// Makes the data like all others again.
  void let_go() noexcept { kept_.reset(); }

 private:
  std::shared_ptr<void> kept_;
};

}  // namespace troupe
