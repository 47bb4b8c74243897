/// Includes all headers that a program needs.
#pragma once

#if __cplusplus < 202002L
#error \
    "Troupe needs C++20: compile with -std=c++20 (in CMake: target_compile_features(your_program PRIVATE cxx_std_20))"
#else

#include "troupe/access.hpp"
#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"
#include "troupe/data.hpp"
#include "troupe/devices.hpp"
#include "troupe/emulation_options.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"
#include "troupe/ids.hpp"
#include "troupe/kernel_context.hpp"
#include "troupe/layout.hpp"
#include "troupe/machine.hpp"
#include "troupe/opencl.hpp"
#include "troupe/report.hpp"
#include "troupe/runtime.hpp"
#include "troupe/runtime_options.hpp"
#include "troupe/simulation_options.hpp"
#include "troupe/team.hpp"
#include "troupe/tiled_matrix.hpp"
#include "troupe/trace.hpp"
#include "troupe/units.hpp"
#include "troupe/value.hpp"
#include "troupe/version.hpp"
#include "troupe/why.hpp"

#endif
