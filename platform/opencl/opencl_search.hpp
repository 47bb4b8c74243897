/// Finds the drivers that OpenCL's loaders would load; nothing is loaded here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/opencl/opencl_devices.hpp"

namespace troupe::platform {

/// The places where drivers are looked for. These are the values of the environment variables that Debian's loader
/// (ocl-icd) and Khronos' loader read; empty if they are not set. An *ICD file* is a text file, named *.icd, whose
/// first line is a driver's library.
struct OpenClSearch {
  /// OCL_ICD_FILENAMES (Khronos): libraries, or ICD files, with colons between them. They come first.
  std::string file_names = {};
  /// OCL_ICD_VENDORS (both): a folder of ICD files; or an ICD file, looked for in the folder of `vendor_path` if it has
  /// no slash, and then under its own name; or a library. It replaces the folder of ICD files.
  std::string vendors = {};
  /// OPENCL_VENDOR_PATH (ocl-icd): the folder of ICD files.
  std::string vendor_path = {};
  /// The folder of ICD files if no other is given.
  std::string standard_folder = "/etc/OpenCL/vendors";
};

/// Reads the search from this process' environment. A program with more rights than its user reads none of it.
[[nodiscard]] OpenClSearch opencl_search_of_environment();

struct OpenClDriver {
  /// The name or path of the library to pass to the dynamic loader.
  std::string library;
  /// The file that names the library, or the environment variable.
  std::string named_by;
};

struct OpenClDrivers {
  /// The drivers in the order in which they are to be loaded; those of a folder are sorted by the names of their ICD
  /// files.
  std::vector<OpenClDriver> drivers;
  /// ICD files and folders that cannot be read, or name nothing.
  std::vector<SkippedOpenCl> skipped;
};

/// Reads the folder and the files that the search leads to. A missing standard folder is not an error: then no driver
/// is installed.
[[nodiscard]] OpenClDrivers find_opencl_drivers(const OpenClSearch& search);

/// Returns the first line of an ICD file, without blanks around it; empty if the file has none.
[[nodiscard]] std::string library_named_in(std::string_view icd_file);

/// Returns why a library with this file name must not be loaded at all; empty if it may be. Libraries that unite other
/// drivers' devices call OpenCL's loader, which may be waiting for this function.
[[nodiscard]] std::string why_not_to_load(std::string_view library);

/// Returns why a platform is not used; empty if it may be used. `suffix` is its answer to CL_PLATFORM_ICD_SUFFIX_KHR.
[[nodiscard]] std::string why_not_to_use(std::string_view platform_name, std::string_view suffix);

}  // namespace troupe::platform
