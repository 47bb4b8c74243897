#include "lab/experiments/opencl/opencl_programs.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX
#include <unistd.h>

#include <array>
#include <system_error>

#include "platform/files/atomic_file.hpp"
#include "platform/opencl/opencl_search.hpp"

namespace troupe::apps {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libtroupe_opencl.so";
constexpr const char* kSoclLibrary = "libsocl-1.3.so.0";
/// The folders to search, relative to this program's folder: those of an installation, of Debian's package (only for
/// the library) and of the build tree.
constexpr std::array kLibraryFolders{TROUPE_LIBRARIES_FROM_PROGRAM, TROUPE_LIBRARIES_FROM_PROGRAM "/troupe",
                                     "../opencl"};
constexpr std::array kExampleFolders{"opencl", "../opencl/examples"};
constexpr std::chrono::seconds kLongest{300};

template <class Folders>
fs::path find_below(const Folders& folders, const char* name) {
  std::error_code failed;
  const fs::path here = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (const char* folder : folders) {
    fs::path file = (here / folder / name).lexically_normal();
    if (::access(file.c_str(), R_OK) == 0) return file;
  }
  return {};
}

}  // namespace

Result<OpenClFiles> find_opencl_files() {
  OpenClFiles files{find_below(kLibraryFolders, kLibrary), find_below(kExampleFolders, "black_scholes").parent_path()};
  if (files.library.empty()) {
    return Failure{
        ErrorCode::platform,
        fmt::format("{} is not there: install the package troupe-opencl, or build the target troupe_opencl_icd",
                    kLibrary)};
  }
  if (files.examples.empty()) {
    return Failure{ErrorCode::platform,
                   "the programs of docs/examples/opencl were not built: that needs OpenCL's loader (libOpenCL.so.1)"};
  }
  return files;
}

OpenClRegistrations::OpenClRegistrations(const fs::path& library) {
  std::string pattern = (fs::temp_directory_path() / "troupe-opencl-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw Error(ErrorCode::io, "cannot make the folder '" + pattern + "'");
  folder_ = pattern;
  std::vector<std::string> drivers;
  for (const platform::OpenClDriver& driver :
       platform::find_opencl_drivers(platform::opencl_search_of_environment()).drivers) {
    const bool ours = fs::path(driver.library).filename() == kLibrary;
    if (!ours && platform::why_not_to_load(driver.library).empty()) drivers.push_back(driver.library);
  }
  for (const std::string& kind : {direct(), troupe(), socl()}) {
    fs::create_directory(kind);
    for (std::size_t i = 0; i < drivers.size(); ++i) {
      platform::write_file(fmt::format("{}/{:03}.icd", kind, i), drivers[i] + '\n').value_or_throw();
    }
  }
  platform::write_file(troupe() + "/troupe.icd", library.string() + '\n').value_or_throw();
  platform::write_file(socl() + "/socl.icd", std::string(kSoclLibrary) + '\n').value_or_throw();
}

OpenClRegistrations::~OpenClRegistrations() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Result<platform::ChildOutput> run_opencl_program(const std::vector<std::string>& words, const std::string& vendors,
                                                 const std::vector<std::string>& variables) {
  std::vector<std::string> all{"env",
                               "-u",
                               "OCL_ICD_FILENAMES",
                               "-u",
                               "OPENCL_VENDOR_PATH",
                               "-u",
                               "TROUPE_OPENCL_TRACE",
                               "OCL_ICD_VENDORS=" + vendors};
  all.insert(all.end(), variables.begin(), variables.end());
  all.insert(all.end(), words.begin(), words.end());
  return platform::run_child(all, "", kLongest);
}

}  // namespace troupe::apps
