# Checks that a program of the gallery prints the output that docs/gallery.md shows.
#
# cmake -DSOURCE_DIR=… -DNAME=… -DPROGRAM=… -P gallery_test.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/document_block.cmake)
check_document_program(docs/gallery.md ${NAME} ${PROGRAM})
