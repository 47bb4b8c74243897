#include "platform/opencl/opencl_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "platform/environment_value.hpp"
#include "platform/files/file_text.hpp"

namespace troupe::platform {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIcd = ".icd";
constexpr Bytes kLargestIcdFile{std::uint64_t{1} << 20U};

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void add_icd_file(OpenClDrivers& found, const std::string& path) {
  const Result<std::string> text = read_text(path, kLargestIcdFile, "OpenCL driver's .icd file");
  if (!text) {
    found.skipped.push_back({path, text.failure().message});
    return;
  }
  std::string library = library_named_in(text.value());
  if (library.empty()) {
    found.skipped.push_back({path, "its first line is to name a driver's library, but is empty"});
  } else {
    found.drivers.push_back({std::move(library), path});
  }
}

void add_folder(OpenClDrivers& found, const std::string& folder, bool must_be_there) {
  if (!must_be_there && !is_there(folder)) return;
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string path = entry->path().string();
    if (path.ends_with(kIcd)) paths.push_back(path);
  }
  if (error) found.skipped.push_back({folder, "cannot read this folder of .icd files: " + error.message()});
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) add_icd_file(found, path);
}

void add_file_names(OpenClDrivers& found, std::string_view names) {
  while (!names.empty()) {
    const auto colon = names.find(':');
    const std::string name(without_blanks(names.substr(0, colon)));
    names = colon == std::string_view::npos ? std::string_view() : names.substr(colon + 1);
    if (name.ends_with(kIcd)) {
      add_icd_file(found, name);
    } else if (!name.empty()) {
      found.drivers.push_back({name, "OCL_ICD_FILENAMES"});
    }
  }
}

/// Adds the drivers that OCL_ICD_VENDORS names. `folder` is the folder of ICD files whose names have no slash.
void add_vendors(OpenClDrivers& found, const std::string& vendors, const std::string& folder) {
  if (is_folder(vendors)) return add_folder(found, vendors, true);
  if (!vendors.ends_with(kIcd)) {
    found.drivers.push_back({vendors, "OCL_ICD_VENDORS"});
    return;
  }
  const std::string in_folder = folder + "/" + vendors;
  const bool may_be_there = vendors.find('/') == std::string::npos;
  add_icd_file(found, may_be_there && is_there(in_folder) ? in_folder : vendors);
}

}  // namespace

OpenClSearch opencl_search_of_environment() {
  OpenClSearch search;
  search.file_names = environment_value("OCL_ICD_FILENAMES");
  search.vendors = environment_value("OCL_ICD_VENDORS");
  search.vendor_path = environment_value("OPENCL_VENDOR_PATH");
  return search;
}

OpenClDrivers find_opencl_drivers(const OpenClSearch& search) {
  OpenClDrivers found;
  add_file_names(found, search.file_names);
  const bool chosen = !search.vendor_path.empty();
  const std::string& folder = chosen ? search.vendor_path : search.standard_folder;
  if (search.vendors.empty()) {
    add_folder(found, folder, chosen);
  } else {
    add_vendors(found, search.vendors, folder);
  }
  return found;
}

std::string library_named_in(std::string_view icd_file) {
  return std::string(without_blanks(icd_file.substr(0, icd_file.find('\n'))));
}

std::string why_not_to_load(std::string_view library) {
  const std::string name = fs::path(library).filename().string();
  if (name.starts_with("libsocl")) {
    return "SOCL unites the devices of other drivers, which Troupe uses directly";
  }
  if (name.starts_with("libOpenCL.so")) return "it is OpenCL's loader, not a driver";
  return "";
}

std::string why_not_to_use(std::string_view platform_name, std::string_view suffix) {
  if (suffix == "TROUPE") return "it is Troupe itself";
  for (const std::string_view united : {"SOCL", "StarPU"}) {
    if (platform_name.find(united) != std::string_view::npos) {
      return fmt::format("{} unites the devices of other drivers, which Troupe uses directly", united);
    }
  }
  return "";
}

}  // namespace troupe::platform
