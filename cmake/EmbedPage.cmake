# Writes OUTPUT, a C++ source that holds the files of the page. Run at build time:
#   cmake -DFOLDER=service/page -DOUTPUT=file.cpp -P EmbedPage.cmake
file(GLOB names RELATIVE ${FOLDER} ${FOLDER}/*.html ${FOLDER}/*.js ${FOLDER}/*.css)
list(SORT names)
set(entries)
foreach(name ${names})
  file(READ ${FOLDER}/${name} text)
  string(FIND "${text}" ")troupe\"" delimiter)
  if(NOT delimiter EQUAL -1)
    message(FATAL_ERROR "${FOLDER}/${name} holds the delimiter of the text that it is to become")
  endif()
  string(APPEND entries "    {\"${name}\", R\"troupe(${text})troupe\"},\n")
endforeach()
file(WRITE ${OUTPUT}
     "// Written by cmake/EmbedPage.cmake from service/page/.\n"
     "#include \"service/http/page_files.hpp\"\n\n"
     "namespace troupe::service {\n\n"
     "std::span<const PageFile> page_files() {\n"
     "  static constexpr PageFile kFiles[] = {\n${entries}  };\n"
     "  return kFiles;\n"
     "}\n\n"
     "}  // namespace troupe::service\n")
