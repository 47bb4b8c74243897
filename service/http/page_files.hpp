/// The files of the web page; the build compiles them into the library.
#pragma once

#include <span>
#include <string_view>

namespace troupe::service {

struct PageFile {
  /// The file's name, such as "index.html".
  std::string_view name;
  std::string_view text;
};

[[nodiscard]] std::span<const PageFile> page_files();

}  // namespace troupe::service
