# Writes OUTPUT, a C++ source with the function `device_code` in NAMESPACE, as HEADER declares it, which returns the bytes of
# the file BINARY; none where BINARY is empty. Run at build time:
#   cmake -DBINARY=file.fatbin -DOUTPUT=file.cpp -DNAMESPACE=a::b -DHEADER=a/b.hpp -P EmbedDeviceCode.cmake
set(head "// Written by cmake/EmbedDeviceCode.cmake.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
set(tail "}  // namespace ${NAMESPACE}\n")
if(NOT BINARY)
  file(WRITE ${OUTPUT} "${head}std::span<const std::byte> device_code() { return {}; }\n\n${tail}")
  return()
endif()

file(READ ${BINARY} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT}
     "${head}"
     "std::span<const std::byte> device_code() {\n"
     "  alignas(16) static constexpr unsigned char kBytes[] = {\n${bytes}};\n"
     "  return std::as_bytes(std::span(kBytes));\n"
     "}\n\n"
     "${tail}")
