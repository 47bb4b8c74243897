# What `cmake --install` installs comes in parts, CMake's components, each of which has a folder that names it once with
# troupe_part: what is not built is not installed, and is said.

# What `troupe` starts lies here.
set(TROUPE_STARTED_DIR ${CMAKE_INSTALL_LIBEXECDIR}/troupe)

# troupe_part(NAME TARGET file...): what the current folder installs from here on is the part NAME. It is left out, with a message
# that names the TARGET, where one of the files is missing, which generator expressions may name; when it is the only part that
# was asked for (`--component NAME`), that is an error. Rules of subfolders come before: they are parts of their own.
macro(troupe_part name target)
  # A macro: the variable is the folder's.
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
        # Of this folder's rules only.
        return()
      endif()
    endforeach()" COMPONENT ${name})
endmacro()

# troupe_known_parts(NAME...): refuses parts that are neither among these nor those of troupe_part. Called once, behind all others.
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
