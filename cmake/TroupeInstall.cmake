# The shared libraries, the documents, and the targets of the parts that `cmake --install` installs (TroupePart.cmake).

# libtroupe has everything but kernels and applications; CAF, hwloc and fmt stay inside. libtroupe_kernels and
# libtroupe_traces use it, and libtroupe_linalg uses the kernels.
troupe_objects(objects troupe_proto troupe_json troupe_graph troupe_platform troupe_observation troupe_scheduler troupe_memory troupe_workers
               troupe_scheduler_shell troupe_memory_shell troupe_workers_shell troupe_actors troupe_client)
troupe_objects(kernel_objects troupe_kernels)
if(NOT objects OR NOT kernel_objects)
  return()
endif()

# troupe_shared_library(TARGET NAME OBJECTS file... PRIVATE library... [EXPORTS map]): adds a shared library. Its SONAME
# has major and minor number; docs/releasing.md says when they change. EXPORTS: the map of the names that it exports.
function(troupe_shared_library target name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "EXPORTS" "OBJECTS;PRIVATE")
  set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  if(arg_EXPORTS)
    set(exports ${PROJECT_SOURCE_DIR}/cmake/${arg_EXPORTS})
  endif()
  add_library(${target} SHARED ${arg_OBJECTS})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                                             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                                             INSTALL_RPATH $ORIGIN LINK_DEPENDS ${exports})
  # The library calls its own functions directly, not through a table that another library could change.
  target_link_options(${target} PRIVATE LINKER:--version-script=${exports} LINKER:-Bsymbolic-functions)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                                 $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                 $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                 $<BUILD_INTERFACE:${TROUPE_BUILD_INCLUDE}>)
  target_link_options(${target} PRIVATE LINKER:--as-needed LINKER:--no-undefined)
  target_link_libraries(${target} PRIVATE ${arg_PRIVATE} fmt::fmt Threads::Threads)
endfunction()

# troupe_installed(TARGET NAME): installs the library as Troupe::NAME, for users.
function(troupe_installed target name)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  add_library(Troupe::${name} ALIAS ${target})
endfunction()

troupe_shared_library(troupe_shared troupe OBJECTS ${objects} PRIVATE CAF::core PkgConfig::HWLOC ${CMAKE_DL_LIBS})
troupe_shared_library(troupe_kernels_shared troupe_kernels OBJECTS ${kernel_objects} PRIVATE TroupeBLAS::TroupeBLAS)
target_link_libraries(troupe_kernels_shared PUBLIC troupe_shared)
troupe_objects(linalg_objects troupe_linalg)
troupe_shared_library(troupe_linalg_shared troupe_linalg OBJECTS ${linalg_objects}
                      PRIVATE $<TARGET_NAME_IF_EXISTS:SuiteSparse::AMD>)
target_link_libraries(troupe_linalg_shared PUBLIC troupe_kernels_shared)
troupe_objects(trace_objects troupe_traces)
troupe_shared_library(troupe_traces_shared troupe_traces OBJECTS ${trace_objects})
target_link_libraries(troupe_traces_shared PUBLIC troupe_shared)
troupe_installed(troupe_shared troupe)
foreach(name kernels linalg traces)
  troupe_installed(troupe_${name}_shared ${name})
endforeach()
set(libraries troupe_shared troupe_kernels_shared troupe_linalg_shared troupe_traces_shared)
set(packages troupe troupe_kernels troupe_linalg troupe_traces)
# libtroupe_remote has `Runtime::connect`. It is the only one that needs gRPC, besides libtroupe_c in builds with the
# service.
set(remote_shared)
if(TARGET troupe_remote)
  set(remote_shared troupe_remote_shared)
  troupe_objects(remote_objects troupe_remote troupe_wire)
  troupe_shared_library(troupe_remote_shared troupe_remote OBJECTS ${remote_objects} PRIVATE gRPC::grpc++ protobuf::libprotobuf)
  target_link_libraries(troupe_remote_shared PUBLIC troupe_shared)
  troupe_installed(troupe_remote_shared remote)
  list(APPEND libraries troupe_remote_shared)
  list(APPEND packages troupe_remote)
endif()
# libtroupe_c is for C.
troupe_objects(c_objects troupe_c)
troupe_shared_library(troupe_c_shared troupe_c OBJECTS ${c_objects} EXPORTS exports_c.map
                      PRIVATE ${remote_shared} troupe_linalg_shared troupe_traces_shared)
troupe_installed(troupe_c_shared c)
list(APPEND libraries troupe_c_shared)
list(APPEND packages troupe_c)
add_subdirectory(cmake/install)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME documents)
file(GLOB documents CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/*.md)
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Files that only builds read are left out: Doxygen's, and those of CMake.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL
        PATTERN docs/api EXCLUDE PATTERN Doxyfile EXCLUDE PATTERN CMakeLists.txt EXCLUDE)

# The target of scripts/demo: the program and the libraries, without the service, experiments, manual pages, OpenCL,
# Python and Fortran.
add_custom_target(demo DEPENDS ${libraries})
if(TARGET troupe)
  add_dependencies(demo troupe)
endif()
# All parts that `cmake --install` installs, except the benchmarks. The folders of the Python package and of
# the module for Fortran add their own.
get_property(opencl_examples GLOBAL PROPERTY TROUPE_OPENCL_EXAMPLES)
add_custom_target(installable DEPENDS demo reference_pages troupe_opencl_icd ${opencl_examples})
foreach(program troupe-experiment troupe-serve)
  if(TARGET ${program})
    add_dependencies(installable ${program})
  endif()
endforeach()
