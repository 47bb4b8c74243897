/// Everything that a program needs.
#pragma once

#if __cplusplus < 202002L
#error \
    "Troupe needs C++20: compile with -std=c++20 (in CMake: target_compile_features(your_program PRIVATE cxx_std_20))"
#else

#include "client/connect_options.hpp"
#include "client/data.hpp"
#include "client/opencl_program.hpp"
#include "client/recorded_graph.hpp"
#include "client/runtime.hpp"
#include "client/tile_owners.hpp"
#include "client/tiled_matrix.hpp"
#include "client/version.hpp"
#include "graph/codelets/arguments.hpp"
#include "graph/codelets/codelet.hpp"
#include "graph/codelets/completion_check.hpp"
#include "graph/codelets/handle.hpp"
#include "proto/access.hpp"
#include "proto/errors.hpp"

#endif
