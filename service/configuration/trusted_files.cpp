#include "service/configuration/trusted_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

namespace troupe::service {

namespace {

namespace fs = std::filesystem;

/// Returns why other users could change the file at `path`; nothing if they cannot. `above` is true if `path` is a
/// folder above the file that is checked.
std::optional<std::string> distrust(const struct stat& status, const std::string& path, std::uint32_t user,
                                    bool above) {
  if (status.st_uid != 0 && status.st_uid != user) {
    return fmt::format("{} belongs to user {}: only root and the user of the service (number {}) are trusted", path,
                       status.st_uid, user);
  }
  const bool shared = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  const bool sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  if (shared && !(above && sticky)) {
    return fmt::format("{} can be written by others (mode {:04o}): chmod go-w {}", path, status.st_mode & 07777U, path);
  }
  return std::nullopt;
}

Failure cannot_read(const std::string& path) {
  return {ErrorCode::io, fmt::format("cannot read {}: {}", path, std::strerror(errno))};
}

Result<void> check_folders(const fs::path& folder, std::uint32_t user) {
  fs::path place;
  for (const fs::path& part : folder) {
    place /= part;
    struct stat status {};
    if (::lstat(place.c_str(), &status) != 0) return cannot_read(place);
    if (S_ISLNK(status.st_mode)) {
      return Failure{ErrorCode::bad_input,
                     fmt::format("{} is a symbolic link: name the folder that it leads to", place.string())};
    }
    if (!S_ISDIR(status.st_mode)) return Failure{ErrorCode::bad_input, fmt::format("{} is no folder", place.string())};
    if (const auto why = distrust(status, place, user, place != folder)) return Failure{ErrorCode::bad_input, *why};
  }
  return {};
}

/// The groups whose members are trusted to write files: the process's own group, or all groups.
enum class Groups : std::uint8_t { own, all };

/// Returns `status` without the write permission of trusted groups.
struct stat without_trusted_writers(struct stat status, Groups groups) {
  if (S_ISLNK(status.st_mode)) {
    // The mode of a symbolic link always allows everybody to write, but has no effect.
    status.st_mode &= ~static_cast<mode_t>(S_IWGRP | S_IWOTH);
  } else if (groups == Groups::all || status.st_gid == ::getegid()) {
    status.st_mode &= ~static_cast<mode_t>(S_IWGRP);
  }
  return status;
}

/// Checks the folders above `path`. A symbolic link among them must be trusted itself.
Result<void> check_above(const fs::path& path, std::uint32_t user, Groups groups = Groups::own) {
  fs::path place;
  for (const fs::path& part : path.parent_path()) {
    place /= part;
    struct stat status {};
    if (::lstat(place.c_str(), &status) != 0) return cannot_read(place);
    if (const auto why = distrust(without_trusted_writers(status, groups), place, user, true)) {
      return Failure{ErrorCode::bad_input, *why};
    }
  }
  return {};
}

/// Checks the folders above `given` twice: along the path as given, and along the path with all symbolic links
/// resolved.
Result<void> check_ways(const fs::path& given, std::uint32_t user, Groups groups) {
  if (Result<void> checked = check_above(given, user, groups); !checked) return checked;
  std::error_code error;
  const fs::path real = fs::canonical(given.parent_path(), error);
  if (error) return cannot_read(given.parent_path());
  return check_above(real / given.filename(), user, groups);
}

/// Returns true for links below /proc. The kernel makes these links for the open files of a process.
bool is_of_kernel(const fs::path& link) { return link.string().starts_with("/proc/"); }

/// Returns why code in this file must not be run; nothing if it may be run.
std::optional<std::string> distrust_file(const fs::path& file, std::uint32_t user) {
  std::error_code error;
  const fs::path target = fs::canonical(file, error);
  if (error) return fmt::format("{} cannot be followed: {}", file.string(), error.message());
  if (target.parent_path() != file.parent_path()) {
    return fmt::format("{} is a symbolic link out of its folder, to {}", file.string(), target.string());
  }
  struct stat status {};
  if (::lstat(target.c_str(), &status) != 0) return cannot_read(target).message;
  if (!S_ISREG(status.st_mode)) return fmt::format("{} is no file", target.string());
  return distrust(status, target, user, false);
}

}  // namespace

Result<void> check_way_to(const std::string& path, std::uint32_t user) {
  return check_ways(fs::path(path).lexically_normal(), user, Groups::own);
}

Result<std::string> place_of_file(const std::string& path, std::uint32_t user) {
  constexpr int kMostLinks = 40;
  fs::path place = fs::absolute(path).lexically_normal();
  for (int links = 0; links < kMostLinks; ++links) {
    if (Result<void> checked = check_ways(place, user, Groups::all); !checked) return checked.failure();
    struct stat status {};
    if (::lstat(place.c_str(), &status) != 0) {
      if (errno == ENOENT) return place.string();
      return cannot_read(place);
    }
    const bool link = S_ISLNK(status.st_mode);
    // Others may be able to write the file itself, because its owner decides who writes it.
    status.st_mode &= ~static_cast<mode_t>(S_IWGRP | S_IWOTH);
    if (const auto why = distrust(status, place, user, false)) return Failure{ErrorCode::bad_input, *why};
    if (!link || is_of_kernel(place)) return place.string();
    std::error_code error;
    const fs::path target = fs::read_symlink(place, error);
    if (error) return cannot_read(place);
    place = (place.parent_path() / target).lexically_normal();
  }
  return Failure{ErrorCode::bad_input, fmt::format("{} leads through too many symbolic links", path)};
}

Result<void> check_trusted_file(const std::string& path, std::uint32_t user) {
  const Result<std::string> place = place_of_file(path, user);
  if (!place) return place.failure();
  if (Result<void> checked = check_way_to(place.value(), user); !checked) return checked;
  struct stat status {};
  if (::stat(place.value().c_str(), &status) != 0) return cannot_read(place.value());
  if (!S_ISREG(status.st_mode)) return Failure{ErrorCode::bad_input, fmt::format("{} is no file", path)};
  const auto why = distrust(without_trusted_writers(status, Groups::own), place.value(), user, false);
  return why ? Result<void>(Failure{ErrorCode::bad_input, *why}) : Result<void>();
}

Result<TrustedFolder> look_at_trusted_folder(const std::string& given, std::uint32_t user) {
  if (given.empty() || given.front() != '/') {
    return Failure{ErrorCode::bad_input, fmt::format("'{}' must be an absolute path", given)};
  }
  fs::path folder = fs::path(given).lexically_normal();
  if (!folder.has_filename() && folder != folder.root_path()) folder = folder.parent_path();
  if (Result<void> trusted = check_folders(folder, user); !trusted) return trusted.failure();
  TrustedFolder result;
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".so") files.push_back(entry->path());
  }
  if (error) return Failure{ErrorCode::io, fmt::format("cannot read {}: {}", folder.string(), error.message())};
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    if (const auto why = distrust_file(file, user)) {
      result.refused.push_back(*why);
    } else {
      result.files.push_back(file);
    }
  }
  return result;
}

}  // namespace troupe::service
