#include "platform/files/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>

#include "platform/files/io_failure.hpp"

namespace troupe::platform {
namespace {

/// Returns "folder/" for "folder/name", empty for "name".
std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

/// Follows symbolic links and returns the path of the file that they name; this file may not exist yet.
std::string follow_links(std::string path) {
  constexpr int kMost = 40;  // Linux itself follows at most 40 links.
  std::array<char, PATH_MAX> target{};
  for (int i = 0; i < kMost; ++i) {
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    if (length <= 0) break;
    const std::string_view next(target.data(), static_cast<std::size_t>(length));
    path = next.front() == '/' ? std::string(next) : folder_of(path) + std::string(next);
  }
  return path;
}

/// Opens a new file in `folder` and stores its name in `name`. This name does not contain the target's name, which may
/// have the greatest length that the file system allows. The kernel applies the user's umask, as to any other new file.
FileDescriptor open_temporary(const std::string& folder, std::string& name) {
  static std::atomic<unsigned> counter{0};
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    name = fmt::format("{}.troupe-{}-{}.tmp", folder, ::getpid(), counter.fetch_add(1));
    FileDescriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.valid() || errno != EEXIST) return file;
  }
  return {};
}

}  // namespace

AtomicFile::AtomicFile(FileDescriptor file, std::string target, std::string temporary)
    : file_(std::move(file)), target_(std::move(target)), temporary_(std::move(temporary)) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : file_(std::move(other.file_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})) {}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() noexcept {
  file_.reset();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  if (path.empty()) return io_failure("write", path, ENOENT);
  if (path.back() == '/') return io_failure("write", path, EISDIR);
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return io_failure("write", path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.valid()) return io_failure("write", path, errno);
    return AtomicFile(std::move(file), path, {});
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) return io_failure("replace", path, errno);
  std::string target = follow_links(path);
  std::string temporary;
  FileDescriptor file = open_temporary(folder_of(target), temporary);
  if (!file.valid()) return io_failure("create", path, errno);
  return AtomicFile(std::move(file), std::move(target), std::move(temporary));
}

Result<void> AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_failure("write", target_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> AtomicFile::commit() {
  // Pipes and devices cannot be flushed, and fsync fails with EINVAL.
  if (::fsync(file_.get()) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS) {
    return io_failure("write", target_, errno);
  }
  if (file_.reset() != 0) return io_failure("write", target_, errno);
  if (temporary_.empty()) return {};
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) return io_failure("replace", target_, errno);
  temporary_.clear();
  return {};
}

Result<void> check_writable(const std::string& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::character) return {};
  const auto file = AtomicFile::create(path);
  if (!file) return file.failure();
  return {};
}

Result<void> write_file(const std::string& path, std::string_view content) {
  auto file = AtomicFile::create(path);
  if (!file) return file.failure();
  if (auto written = file.value().write(content); !written) return written;
  return file.value().commit();
}

}  // namespace troupe::platform
