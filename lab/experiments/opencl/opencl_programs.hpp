/// Finds the example programs and Troupe's OpenCL library. Runs an example as a separate process, with drivers that are
/// registered only for this process.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/files/child_process.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

/// The files that the experiment uses. They are found from this program's own folder, installed or in the build tree.
struct OpenClFiles {
  std::filesystem::path library;
  /// The folder that contains the example programs.
  std::filesystem::path examples;
};

/// Finds the files. Fails with `platform` if one of them is missing; the message says what to build.
[[nodiscard]] Result<OpenClFiles> find_opencl_files();

/// Folders of ICD files: one folder with the drivers of this machine, one with Troupe in addition, and one with SOCL.
/// The destructor removes them.
class OpenClRegistrations {
 public:
  /// Makes the folders. Throws `io`.
  explicit OpenClRegistrations(const std::filesystem::path& library);
  OpenClRegistrations(const OpenClRegistrations&) = delete;
  OpenClRegistrations& operator=(const OpenClRegistrations&) = delete;
  ~OpenClRegistrations();

  [[nodiscard]] std::string direct() const { return (folder_ / "direct").string(); }
  [[nodiscard]] std::string troupe() const { return (folder_ / "troupe").string(); }
  [[nodiscard]] std::string socl() const { return (folder_ / "socl").string(); }
  /// Returns the path of a file in the folder, such as a trace.
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

/// Runs a program with the drivers in the folder `vendors` and with additional environment variables ("NAME=value").
[[nodiscard]] Result<platform::ChildOutput> run_opencl_program(const std::vector<std::string>& words,
                                                               const std::string& vendors,
                                                               const std::vector<std::string>& variables);

}  // namespace troupe::apps
