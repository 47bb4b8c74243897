# `cmake --install` installs parts, which are CMake's components. One folder declares each part, by troupe_part. A part
# that is not built is not installed, and a message says so.

# The folder of the programs that `troupe` starts.
set(TROUPE_STARTED_DIR ${CMAKE_INSTALL_LIBEXECDIR}/troupe)

# troupe_part(NAME TARGET file...): the rules that follow in the current folder install the part NAME. If one of the
# files is missing, the part is left out, with a message that names the TARGET. Generator expressions may name the
# files. If it is the only part that was asked for (`--component NAME`), a missing file is an error. Rules of subfolders
# come before: they are parts of their own.
macro(troupe_part name target)
  # This is a macro because it sets a variable of the calling folder.
  set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY TROUPE_PARTS ${name})
  install(CODE "
    foreach(file ${ARGN})
      if(NOT EXISTS \"\${file}\")
        set(missing \"${name} (to build it: cmake --build ${PROJECT_BINARY_DIR} --target ${target})\")
        if(CMAKE_INSTALL_COMPONENT)
          message(FATAL_ERROR \"Not built, so it cannot be installed: \${missing}\")
        endif()
        message(STATUS \"Not built, not installed: \${missing}\")
        # This leaves the rules of this folder alone.
        return()
      endif()
    endforeach()" COMPONENT ${name})
endmacro()

# troupe_known_parts(NAME...): refuses parts that are neither among these nor declared by troupe_part. Called once,
# after all others.
function(troupe_known_parts)
  get_property(parts GLOBAL PROPERTY TROUPE_PARTS)
  list(APPEND parts ${ARGN})
  list(SORT parts)
  list(JOIN parts ", " text)
  install(CODE "
    if(CMAKE_INSTALL_COMPONENT AND NOT \";${parts};\" MATCHES \";\${CMAKE_INSTALL_COMPONENT};\")
      message(FATAL_ERROR \"There is no component '\${CMAKE_INSTALL_COMPONENT}': choose one of ${text}\")
    endif()" ALL_COMPONENTS)
endfunction()
