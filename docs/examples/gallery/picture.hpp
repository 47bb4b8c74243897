/// What the programs of the gallery share: a picture of who ran what when, where the caller asks for one.
#pragma once

#include <string>

#include <troupe/troupe.hpp>

namespace gallery {

/// Started with the name of a file (`./wavefront wavefront.svg`), a program draws its run; without, it only computes.
class Picture {
 public:
  Picture(int argc, char** argv) : path_(argc > 1 ? argv[1] : "") {}

  /// Of a runtime that keeps a trace, if there will be a picture.
  [[nodiscard]] troupe::RuntimeOptions options() const {
    troupe::RuntimeOptions options;
    options.trace = !path_.empty();
    return options;
  }

  /// What the runtime has run so far. Throws `Error` where gnuplot is missing or the file cannot be written.
  void draw(troupe::Runtime& runtime, const std::string& title) const;

 private:
  std::string path_;
};

}  // namespace gallery
