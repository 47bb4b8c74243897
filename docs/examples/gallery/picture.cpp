#include "picture.hpp"

#include <troupe/traces.hpp>

namespace gallery {

void Picture::draw(troupe::Runtime& runtime, const std::string& title) const {
  if (path_.empty()) return;
  const troupe::Trace trace = runtime.take_trace();
  const auto run = troupe::traces::describe(title, trace, runtime.report());
  (void)troupe::traces::draw_picture(path_, troupe::traces::picture_of(trace, run)).value_or_throw();
}

}  // namespace gallery
