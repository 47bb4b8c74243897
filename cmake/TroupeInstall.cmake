# What `cmake --install` puts where: the shared libraries, the public headers, the program, and the files by which
# CMake and pkg-config find them.
include(CMakePackageConfigHelpers)

# libtroupe has everything but kernels and applications; CAF, hwloc and fmt stay inside. libtroupe_kernels and
# libtroupe_traces stand on it, libtroupe_linalg on the kernels.
troupe_objects(objects troupe_proto troupe_graph troupe_platform troupe_observation troupe_scheduler troupe_memory troupe_workers
               troupe_scheduler_shell troupe_memory_shell troupe_workers_shell troupe_actors troupe_client)
troupe_objects(kernel_objects troupe_kernels)
if(NOT objects OR NOT kernel_objects)
  return()
endif()

# troupe_shared_library(TARGET NAME OBJECTS file... PRIVATE library... [EXPORTS map]): its SONAME has major and minor number,
# docs/releasing.md says when they change. EXPORTS: which names leave it.
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
  target_link_options(${target} PRIVATE LINKER:--version-script=${exports})
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                                 $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                 $<BUILD_INTERFACE:${TROUPE_BUILD_INCLUDE}>)
  target_link_options(${target} PRIVATE LINKER:--as-needed LINKER:--no-undefined)
  target_link_libraries(${target} PRIVATE ${arg_PRIVATE} fmt::fmt Threads::Threads)
endfunction()

# troupe_installed(TARGET NAME): the library Troupe::NAME, for users.
function(troupe_installed target name)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  add_library(Troupe::${name} ALIAS ${target})
  install(TARGETS ${target} EXPORT TroupeTargets)
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
# libtroupe_remote has `Runtime::connect`, and is the only one that needs gRPC, besides libtroupe_c in builds with the service.
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
install(FILES ${PROJECT_SOURCE_DIR}/client/c/troupe.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/troupe)
list(APPEND libraries troupe_c_shared)
list(APPEND packages troupe_c)
if(TARGET troupe)
  install(TARGETS troupe)
endif()
# What `troupe` starts: the experiments, and of the benchmarks, which nobody needs, those that were built.
set(started_dir ${CMAKE_INSTALL_LIBEXECDIR}/troupe)
install(TARGETS troupe-experiment RUNTIME DESTINATION ${started_dir})
get_property(bench_programs GLOBAL PROPERTY TROUPE_BENCH_PROGRAMS)
if(bench_programs)
  install(TARGETS ${bench_programs} RUNTIME DESTINATION ${started_dir} OPTIONAL)
endif()

# Headers: the umbrella headers, the kernels' public headers, and what these need, rewritten so that no name of ours can meet a
# folder of the user's.
set(staged ${PROJECT_BINARY_DIR}/staged_headers)
install(CODE "set(TROUPE_SOURCE_DIR [[${PROJECT_SOURCE_DIR}]])\nset(TROUPE_STAGING_DIR [[${staged}]])")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/StageHeaders.cmake)
install(DIRECTORY ${staged}/troupe DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# The implementation of OpenCL, and the file that registers it where loaders look.
if(TARGET troupe_opencl_icd)
  set_target_properties(troupe_opencl_icd PROPERTIES INSTALL_RPATH $ORIGIN)
  install(TARGETS troupe_opencl_icd LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(CODE "file(WRITE \"${PROJECT_BINARY_DIR}/troupe.icd\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libtroupe_opencl.so\\n\")")
  install(FILES ${PROJECT_BINARY_DIR}/troupe.icd DESTINATION ${CMAKE_INSTALL_DATADIR}/troupe/opencl)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/examples/opencl/ DESTINATION ${CMAKE_INSTALL_DATADIR}/troupe/opencl/examples
          FILES_MATCHING PATTERN *.cpp PATTERN *.hpp)
  # `troupe experiment opencl` starts them.
  get_property(opencl_examples GLOBAL PROPERTY TROUPE_OPENCL_EXAMPLES)
  if(opencl_examples)
    install(TARGETS ${opencl_examples} RUNTIME DESTINATION ${started_dir}/opencl OPTIONAL)
  endif()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Troupe)
install(EXPORT TroupeTargets NAMESPACE Troupe:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TroupeConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/TroupeConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TroupeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TroupeConfig.cmake ${PROJECT_BINARY_DIR}/TroupeConfigVersion.cmake
        DESTINATION ${package_dir})

# The .pc files find their prefix from where they lie, so that the install tree can be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pkgconfig_to_prefix /prefix/${pkgconfig_dir} /prefix)
foreach(name ${packages})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig_dir})
endforeach()

file(GLOB documents CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/*.md)
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Without what only builds read: Doxygen's files, and those of CMake.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL
        PATTERN docs/api EXCLUDE PATTERN Doxyfile EXCLUDE PATTERN CMakeLists.txt EXCLUDE)

# What has to be built before `cmake --install`.
add_custom_target(installable DEPENDS troupe-experiment ${libraries})
foreach(target troupe reference_pages troupe_opencl_icd ${opencl_examples})
  if(TARGET ${target})
    add_dependencies(installable ${target})
  endif()
endforeach()
