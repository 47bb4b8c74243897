/// A temporary folder with the files of /proc and of the control groups of a machine that does not exist.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace troupe::tests {

class FakeSystem {
 public:
  /// Puts the process into the control group `own` of cgroup version 2. Only the part `visible` of the hierarchy of
  /// groups is mounted; `/` means all of it.
  void use_v2(const std::string& own, const std::string& visible = "/") {
    write("proc/self/cgroup", "0::" + own + "\n");
    write("proc/self/mountinfo",
          "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
          "31 22 0:26 " +
              visible + " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  }

  /// Puts the process into the control group `own` of cgroup version 1. As on older systems, two controllers share a
  /// hierarchy.
  void use_v1(const std::string& own, const std::string& visible = "/") {
    write("proc/self/cgroup", "4:cpu,cpuacct:" + own + "\n3:memory:" + own + "\n1:name=systemd:" + own + "\n");
    write("proc/self/mountinfo", "32 31 0:29 " + visible +
                                     " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                                     "33 31 0:30 " +
                                     visible + " /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n");
  }

  void set_meminfo(int total_kib, int available_kib) {
    write("proc/meminfo", "MemTotal:       " + std::to_string(total_kib) +
                              " kB\nMemFree:        1 kB\nMemAvailable:   " + std::to_string(available_kib) + " kB\n");
  }

  /// Writes a file of a control group, for example `group_file("/a/b", "cpu.max", "max 100000")`.
  void group_file(const std::string& group, const std::string& name, const std::string& content) {
    write("sys/fs/cgroup" + group + "/" + name, content + "\n");
  }

  void write(const std::string& path, const std::string& content) {
    const std::filesystem::path full = folder_.path(path);
    std::filesystem::create_directories(full.parent_path());
    (void)folder_.write(path, content);
  }

  [[nodiscard]] std::string root() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace troupe::tests
