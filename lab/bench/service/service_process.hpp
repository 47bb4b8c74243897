/// A service that runs only for a benchmark.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::bench {

/// Returns the path of `troupe`, relative to this program's folder in the build tree or as installed; empty if it is
/// missing.
[[nodiscard]] std::string find_troupe();

/// `troupe serve` in a folder of its own, without HTTP; stopped by the destructor.
class ServiceProcess {
 public:
  /// `program` is the path of `troupe`; `options` are further options of the command. Throws `Error` (`io`) if it does
  /// not start to serve within ten seconds.
  ServiceProcess(const std::string& program, const std::vector<std::string>& options);
  ~ServiceProcess();
  ServiceProcess(const ServiceProcess&) = delete;
  ServiceProcess& operator=(const ServiceProcess&) = delete;

  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Returns the processor time of all its threads so far.
  [[nodiscard]] Duration processor_time() const;

 private:
  void start(const std::string& program, const std::vector<std::string>& options);
  void stop() noexcept;

  std::string folder_;
  pid_t process_ = -1;
};

/// Returns the processor time of the calling process.
[[nodiscard]] Duration own_processor_time();

}  // namespace troupe::bench
