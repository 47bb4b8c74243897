/// A service that runs only for one benchmark.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::bench {

/// Returns the path of `troupe`, found from this program's own folder, in the build tree or as installed; empty if it
/// is missing.
[[nodiscard]] std::string find_troupe();

/// A process `troupe serve` with a separate folder, without HTTP. The destructor stops it.
class ServiceProcess {
 public:
  /// `program` is the path of `troupe`; `options` are further options of the command. Throws `Error` (`io`) if the
  /// service does not answer within ten seconds.
  ServiceProcess(const std::string& program, const std::vector<std::string>& options);
  ~ServiceProcess();
  ServiceProcess(const ServiceProcess&) = delete;
  ServiceProcess& operator=(const ServiceProcess&) = delete;

  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Returns the processor time of all threads of the service so far.
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
