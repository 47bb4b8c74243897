/// Finds the drivers that OpenCL's loaders would load, without loading them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/opencl/opencl_devices.hpp"

namespace troupe::platform {

/// The places in which to look for drivers. The values are those of the environment variables that Debian's loader
/// (ocl-icd) and Khronos' loader read; a value is empty if its variable is not set. An *ICD file* is a text file, named
/// *.icd, whose first line is the name of a driver's library.
struct OpenClSearch {
  /// OCL_ICD_FILENAMES (Khronos): libraries, or ICD files, with colons between them. These drivers come first.
  std::string file_names = {};
  /// OCL_ICD_VENDORS (both loaders): a folder of ICD files, or one ICD file, or a library. This value takes the place
  /// of the folder of ICD files. An ICD file whose name has no slash is searched in the folder of `vendor_path`, then
  /// in the current folder.
  std::string vendors = {};
  /// OPENCL_VENDOR_PATH (ocl-icd): the folder of ICD files.
  std::string vendor_path = {};
  /// The folder of ICD files if no other is given.
  std::string standard_folder = "/etc/OpenCL/vendors";
};

/// Reads the values from this process's environment. Reads nothing if the program has more rights than its user.
[[nodiscard]] OpenClSearch opencl_search_of_environment();

struct OpenClDriver {
  /// The name or path of the library to pass to the dynamic loader.
  std::string library;
  /// The file that names the library, or the environment variable.
  std::string named_by;
};

struct OpenClDrivers {
  /// The drivers in the order of loading; those of a folder are sorted by the names of their ICD files.
  std::vector<OpenClDriver> drivers;
  /// ICD files and folders that cannot be read, or that name no driver.
  std::vector<SkippedOpenCl> skipped;
};

/// Reads the folder and the files that the search names. A missing standard folder is not an error: then no driver is
/// installed.
[[nodiscard]] OpenClDrivers find_opencl_drivers(const OpenClSearch& search);

/// Returns the first line of an ICD file, without blanks around it; empty if the file has none.
[[nodiscard]] std::string library_named_in(std::string_view icd_file);

/// Returns the reason why a library with this file name must not be loaded; empty if it may be loaded. A library that
/// unites the devices of other drivers calls OpenCL's loader. The loader may be waiting for this function, so that call
/// would be a deadlock.
[[nodiscard]] std::string why_not_to_load(std::string_view library);

/// Returns the reason why a platform is not used; empty if it may be used. `suffix` is the platform's answer to
/// CL_PLATFORM_ICD_SUFFIX_KHR.
[[nodiscard]] std::string why_not_to_use(std::string_view platform_name, std::string_view suffix);

}  // namespace troupe::platform
