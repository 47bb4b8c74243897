/// The common part of the gallery's programs: a picture that shows which worker ran which task when, if the caller asks
/// for one.
#pragma once

#include <string>

#include <troupe/troupe.hpp>

namespace gallery {

/// The picture of a run. A program that is started with the name of a file (`./wavefront wavefront.svg`) draws its run;
/// without a name it only computes.
class Picture {
 public:
  Picture(int argc, char** argv) : path_(argc > 1 ? argv[1] : "") {}

  /// Returns options for a runtime that keeps a trace if there will be a picture.
  [[nodiscard]] troupe::RuntimeOptions options() const {
    troupe::RuntimeOptions options;
    options.trace = !path_.empty();
    return options;
  }

  /// Draws the tasks that the runtime has run so far. Throws `Error` if gnuplot is missing or the file cannot be
  /// written.
  void draw(troupe::Runtime& runtime, const std::string& title) const;

 private:
  std::string path_;
};

}  // namespace gallery
