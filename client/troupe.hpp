/// Everything that a program needs.
#pragma once

#include "client/connect_options.hpp"
#include "client/data.hpp"
#include "client/recorded_graph.hpp"
#include "client/runtime.hpp"
#include "client/tile_owners.hpp"
#include "client/tiled_matrix.hpp"
#include "graph/arguments.hpp"
#include "graph/codelet.hpp"
#include "graph/completion_check.hpp"
#include "graph/handle.hpp"
#include "proto/access.hpp"
#include "proto/errors.hpp"
