#include "platform/accelerators/emulated_accelerator.hpp"

#include <atomic>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <functional>
#include <utility>

#include "platform/machine/host_memory.hpp"

namespace troupe::platform {

struct EmulatedAccelerator::Arena {
  HostBuffer memory;
  std::atomic<bool> lost{false};
};

namespace {

/// The rate of copies inside the memory. It is so high that such copies are never slowed down.
constexpr double kInsideBytesPerSecond = 1e12;

std::string name_of(int number) { return "emulated GPU " + std::to_string(number); }

std::string text(double number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", number);
  return digits;
}

std::string mebibytes(Bytes bytes) { return text(static_cast<double>(bytes.count) / (1 << 20)) + " MiB"; }

Failure unusable(int number, const std::string& what) {
  return Failure{ErrorCode::invalid_argument, name_of(number) + ": " + what};
}

Result<void> check(int number, const EmulationOptions& options) {
  if (options.memory.count == 0) return unusable(number, "its memory must be above zero");
  const std::pair<const char*, double> rates[] = {{"to it", options.to_device_bytes_per_s},
                                                  {"from it", options.to_host_bytes_per_s}};
  for (const auto& [direction, rate] : rates) {
    if (std::isfinite(rate) && rate > 0) continue;
    return unusable(number, "the bandwidth of copies " + std::string(direction) +
                                " must be a number of bytes per second above zero, not " + text(rate));
  }
  const double peer = options.peer_bytes_per_s;
  if (!std::isfinite(peer) || peer < 0) {
    return unusable(number,
                    "the bandwidth between accelerators must be a number of bytes per second, or zero where "
                    "there is no such way, not " +
                        text(peer));
  }
  if (options.latency < Duration::zero()) return unusable(number, "the latency of copies must not be negative");
  if (auto usable = platform::check(options.faults); !usable) return unusable(number, usable.failure().message);
  return {};
}

}  // namespace

Result<std::unique_ptr<EmulatedAccelerator>> EmulatedAccelerator::make(int number, const EmulationOptions& options) {
  if (auto usable = check(number, options); !usable) return usable.failure();
  const HostMemory host = read_host_memory();
  auto memory = options.memory > host.total ? Result<HostBuffer>(Failure{ErrorCode::out_of_memory, {}})
                                            : HostBuffer::allocate(options.memory);
  if (!memory) {
    return Failure{ErrorCode::out_of_memory, name_of(number) + " cannot have " + mebibytes(options.memory) +
                                                 " of memory: it lies in host memory, of which there are " +
                                                 mebibytes(host.total) + " (" + host.limited_by + ")"};
  }
  auto arena = std::make_shared<Arena>();
  arena->memory = std::move(memory).value();
  return std::unique_ptr<EmulatedAccelerator>(new EmulatedAccelerator(number, options, std::move(arena)));
}

EmulatedAccelerator::EmulatedAccelerator(int number, const EmulationOptions& options, std::shared_ptr<Arena> arena)
    : options_(options),
      name_(name_of(number)),
      faults_(std::make_shared<FaultPlan>(options.faults)),
      arena_(std::move(arena)) {
  const auto engine = [&](const char* way, const std::string& what, double bytes_per_s, Duration latency) {
    CopyEngine::Options one{std::string(way) + " " + std::to_string(number), {latency, bytes_per_s}};
    if (options_.faults.copy > 0) {
      one.fault = [faults = faults_, message = "a copy " + what + " failed: injected fault"]() -> Result<void> {
        if (!faults->copy_fails()) return {};
        return Failure{ErrorCode::transfer_failed, message};
      };
    }
    return std::make_unique<CopyEngine>(std::move(one));
  };
  to_device_ = engine("copies to", "to " + name_, options_.to_device_bytes_per_s, options_.latency);
  to_host_ = engine("copies from", "from " + name_, options_.to_host_bytes_per_s, options_.latency);
  if (options_.peer_bytes_per_s > 0) {
    from_peers_ =
        engine("peers to", "from another accelerator to " + name_, options_.peer_bytes_per_s, options_.latency);
  }
  inside_ = engine("copies in", "inside " + name_, kInsideBytesPerSecond, Duration::zero());
}

EmulatedAccelerator::~EmulatedAccelerator() = default;

std::byte* EmulatedAccelerator::memory() const { return arena_->memory.data(); }

const CopyEngine& EmulatedAccelerator::engine(CopyDirection direction) const {
  return direction == CopyDirection::to_device ? *to_device_ : *to_host_;
}

void EmulatedAccelerator::copy(CopyDirection direction, const BlockCopy& copy, CopyNumber number, bool urgent,
                               CopyDone done) {
  (direction == CopyDirection::to_device ? *to_device_ : *to_host_).copy(copy, number, urgent, std::move(done));
}

void EmulatedAccelerator::hurry(CopyNumber number) {
  to_device_->hurry(number);
  to_host_->hurry(number);
  if (from_peers_) from_peers_->hurry(number);
  inside_->hurry(number);
}

bool EmulatedAccelerator::reaches(const Accelerator& source) const {
  const auto* other = dynamic_cast<const EmulatedAccelerator*>(&source);
  return other != nullptr && other != this && from_peers_ && other->from_peers_;
}

void EmulatedAccelerator::copy_from(Accelerator& source, const BlockCopy& copy, CopyNumber number, bool urgent,
                                    CopyDone done) {
  assert(reaches(source) && "copy_from needs a source that this accelerator reaches");
  const auto& other = static_cast<const EmulatedAccelerator&>(source);
  from_peers_->copy(copy, number, urgent,
                    [arena = other.arena_, from = other.name_, done = std::move(done)](Result<void> outcome) {
                      if (outcome && arena->lost.load()) {
                        outcome = Failure{ErrorCode::transfer_failed, "a copy from " + from + " failed: it was lost"};
                      }
                      done(std::move(outcome));
                    });
}

void EmulatedAccelerator::copy_inside(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) {
  inside_->copy(copy, number, urgent, std::move(done));
}

CopySpeed EmulatedAccelerator::speed(CopyDirection direction) const { return engine(direction).speed(); }

CopySpeed EmulatedAccelerator::peer_speed() const { return from_peers_ ? from_peers_->speed() : CopySpeed{}; }

CopyTraffic EmulatedAccelerator::traffic(CopyDirection direction) const { return engine(direction).traffic(); }

CopyTraffic EmulatedAccelerator::peer_traffic() const { return from_peers_ ? from_peers_->traffic() : CopyTraffic{}; }

void EmulatedAccelerator::lose() {
  if (arena_->lost.exchange(true)) return;
  const Failure failure{ErrorCode::device_lost, name_ + " was lost"};
  to_device_->lose(failure);
  to_host_->lose(failure);
  if (from_peers_) from_peers_->lose(failure);
  inside_->lose(failure);
}

void EmulatedAccelerator::stop() {
  to_device_->stop();
  to_host_->stop();
  if (from_peers_) from_peers_->stop();
  inside_->stop();
}

bool EmulatedAccelerator::lost() const { return arena_->lost.load(); }

}  // namespace troupe::platform
