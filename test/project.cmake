# Tests of the project as a whole: its order, style, documentation and installed package. Not worth repeating under a
# sanitizer.
if(CMAKE_CXX_FLAGS MATCHES "fsanitize")
  return()
endif()

find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME project.Stairs COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/lint_stairs.py)
  add_test(NAME project.DocumentedTests COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/lint_doc_tests.py)
endif()

find_program(Radiography_CLANG_FORMAT NAMES clang-format-14 clang-format)
if(Radiography_CLANG_FORMAT)
  set(_sources)
  foreach(folder include src test examples benchmark)
    file(
      GLOB_RECURSE
      _found
      CONFIGURE_DEPENDS
      ${Radiography_SOURCE_DIR}/${folder}/*.h
      ${Radiography_SOURCE_DIR}/${folder}/*.hxx
      ${Radiography_SOURCE_DIR}/${folder}/*.cxx
      ${Radiography_SOURCE_DIR}/${folder}/*.cu
    )
    list(APPEND _sources ${_found})
  endforeach()
  add_test(NAME project.Format COMMAND ${Radiography_CLANG_FORMAT} --dry-run --Werror ${_sources})
endif()

find_program(Radiography_DOXYGEN doxygen)
if(Radiography_DOXYGEN)
  configure_file(${Radiography_SOURCE_DIR}/doc/Doxyfile.in ${CMAKE_CURRENT_BINARY_DIR}/Doxyfile @ONLY)
  add_test(NAME project.Doxygen COMMAND ${Radiography_DOXYGEN} ${CMAKE_CURRENT_BINARY_DIR}/Doxyfile)
endif()

# Only where this file's caller installs a package of its own: mode 3.
if(TARGET Radiography::Radiography AND NOT ITK_SOURCE_DIR AND NOT EXISTS "${ITK_CMAKE_DIR}/ITKModuleExternal.cmake")
  add_test(
    NAME project.Consumer
    COMMAND
      ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${CMAKE_CURRENT_LIST_DIR}/consumer
      -DWORK=${CMAKE_CURRENT_BINARY_DIR}/consumer -DGENERATOR=${CMAKE_GENERATOR} -DCXX=${CMAKE_CXX_COMPILER}
      -DC=${CMAKE_C_COMPILER} -P ${CMAKE_CURRENT_LIST_DIR}/consumer/run.cmake
  )
endif()
