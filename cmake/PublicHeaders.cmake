# The headers that programs may include, besides those of include/troupe, relative to the project.
set(TROUPE_OTHER_PUBLIC_HEADERS
    linalg/linalg.hpp traces/traces.hpp graph/tasks/upward_ranks.hpp kernels/codelets.hpp kernels/blas_threads.hpp
    # Headers for policies of programs.
    actors/scheduler/policy.hpp actors/scheduler/projected_loads.hpp)
