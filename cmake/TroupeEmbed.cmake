# Embeds files into a library. If it is included, this file defines the function below; run as a script, it writes the
# C++ source.

# troupe_embed(TARGET SOURCE FILES... [TYPE type] FUNCTION function NAMESPACE a::b HEADER a/b.hpp): adds the source file
# SOURCE to TARGET, with the function that HEADER declares in NAMESPACE. With TYPE it is `std::span<const TYPE>
# FUNCTION()`, which returns {name, text} for each of FILES by name. Without it, it is `std::span<const std::byte>
# FUNCTION()`, which returns the bytes of the only file, or no bytes if there is no file. DROP: the ending that is
# removed from names.
function(troupe_embed target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TYPE;FUNCTION;NAMESPACE;HEADER;DROP" "FILES")
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${source})
  set(script ${PROJECT_SOURCE_DIR}/cmake/TroupeEmbed.cmake)
  add_custom_command(OUTPUT ${output}
                     COMMAND ${CMAKE_COMMAND} "-DFILES=${arg_FILES}" -DOUTPUT=${output} -DTYPE=${arg_TYPE} -DDROP=${arg_DROP}
                             -DFUNCTION=${arg_FUNCTION} -DNAMESPACE=${arg_NAMESPACE} -DHEADER=${arg_HEADER} -P ${script}
                     DEPENDS ${arg_FILES} ${script} COMMENT "Writing ${source}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
  if(NOT arg_TYPE)
    # The compiler does not see what the assembler reads, so it reports no dependency on it.
    set_source_files_properties(${output} PROPERTIES OBJECT_DEPENDS "${arg_FILES}" SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

set(values)
set(preamble)
if(TYPE)
  if(DROP)
    list(TRANSFORM FILES REPLACE "${DROP}$" "")
  endif()
  list(SORT FILES)
  foreach(file ${FILES})
    file(READ ${file}${DROP} text)
    string(FIND "${text}" ")troupe\"" delimiter)
    if(NOT delimiter EQUAL -1)
      message(FATAL_ERROR "${file}${DROP} holds the delimiter of the text that it is to become")
    endif()
    cmake_path(GET file FILENAME name)
    string(APPEND values "    {\"${name}\", R\"troupe(${text})troupe\"},\n")
  endforeach()
  set(type ${TYPE})
  set(body "  static constexpr ${TYPE} kFiles[] = {\n${values}  };\n  return kFiles;\n")
else()
  set(type std::byte)
  set(body "  return {};\n")
  if(FILES)
    # The assembler reads the bytes: a compiler would need ten seconds for megabytes of them written as numbers in C++.
    set(symbol troupe_embedded_${FUNCTION})
    string(CONCAT preamble "asm(R\"(.pushsection .rodata\n.balign 16\n.globl ${symbol}\n.hidden ${symbol}\n${symbol}:\n"
           ".incbin \"${FILES}\"\n.globl ${symbol}_end\n.hidden ${symbol}_end\n${symbol}_end:\n.popsection)\");\n"
           "extern \"C\" __attribute__((visibility(\"hidden\"))) const std::byte ${symbol}[], ${symbol}_end[];\n\n")
    set(body "  return {${symbol}, ${symbol}_end};\n")
  endif()
endif()
file(WRITE ${OUTPUT}
     "// Written by cmake/TroupeEmbed.cmake.\n#include \"${HEADER}\"\n\n${preamble}namespace ${NAMESPACE} {\n\n"
     "std::span<const ${type}> ${FUNCTION}() {\n${body}}\n\n}  // namespace ${NAMESPACE}\n")
