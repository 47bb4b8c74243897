# Writes OUTPUT, a C++ source that holds the texts of platform/described/machines/*.json. Run at build time:
#   cmake -DFOLDER=platform/described/machines -DOUTPUT=file.cpp -P EmbedMachines.cmake
file(GLOB names RELATIVE ${FOLDER} ${FOLDER}/*.json)
list(TRANSFORM names REPLACE "\\.json$" "")
list(SORT names)
set(entries)
foreach(name ${names})
  set(file ${FOLDER}/${name}.json)
  file(READ ${file} text)
  string(FIND "${text}" ")troupe\"" delimiter)
  if(NOT delimiter EQUAL -1)
    message(FATAL_ERROR "${file} holds the delimiter of the text that it is to become")
  endif()
  string(APPEND entries "    {\"${name}\", R\"troupe(${text})troupe\"},\n")
endforeach()
file(WRITE ${OUTPUT}
     "// Written by cmake/EmbedMachines.cmake from platform/described/machines/.\n"
     "#include \"platform/described/embedded_machines.hpp\"\n\n"
     "namespace troupe::platform {\n\n"
     "std::span<const EmbeddedMachine> embedded_machines() {\n"
     "  static constexpr EmbeddedMachine kMachines[] = {\n${entries}  };\n"
     "  return kMachines;\n"
     "}\n\n"
     "}  // namespace troupe::platform\n")
