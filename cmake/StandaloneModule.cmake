# Stands in for ITKModuleExternal.cmake where only an *installed* ITK is present (Debian's package does not ship that
# file): just enough of itk_module() and its relatives for itk-module.cmake, src/ and test/ to be the same in all modes.
include(GNUInstallDirs)
include(GenerateExportHeader)
include(CTest)

macro(itk_module _name)
  cmake_parse_arguments(
    _m "ENABLE_SHARED;EXCLUDE_FROM_DEFAULT" "DESCRIPTION"
    "DEPENDS;PRIVATE_DEPENDS;COMPILE_DEPENDS;TEST_DEPENDS;FACTORY_NAMES" ${ARGN}
  )
  set(itk-module ${_name})
  set(_module_depends ${_m_DEPENDS} ${_m_PRIVATE_DEPENDS} ${_m_COMPILE_DEPENDS})
  set(_module_test_depends ${_m_TEST_DEPENDS})
endmacro()
include(${PROJECT_SOURCE_DIR}/itk-module.cmake)
list(REMOVE_ITEM _module_test_depends ITKGoogleTest)

# The library links what it depends on; programs (tests, examples, the command line) get the file formats in addition.
find_package(ITK 5.2 REQUIRED COMPONENTS ${_module_depends} ${_module_test_depends})

macro(itk_module_add_library _lib)
  add_library(${_lib} ${ARGN})
  add_library(${_lib}::${_lib} ALIAS ${_lib})
  target_compile_features(${_lib} PUBLIC cxx_std_17)
  generate_export_header(
    ${_lib} EXPORT_FILE_NAME ${PROJECT_BINARY_DIR}/include/${_lib}Export.h EXPORT_MACRO_NAME ${_lib}_EXPORT
    NO_EXPORT_MACRO_NAME ${_lib}_HIDDEN STATIC_DEFINE ITK_STATIC
  )
  target_include_directories(
    ${_lib} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/${_lib}>
  )
  if(ITK_INTERFACE_LIBRARIES) # ITK 6
    target_link_libraries(${_lib} PUBLIC ${ITK_INTERFACE_LIBRARIES})
  else()
    target_include_directories(${_lib} SYSTEM PUBLIC "$<BUILD_INTERFACE:${ITK_INCLUDE_DIRS}>")
    target_link_libraries(${_lib} PUBLIC ${ITK_LIBRARIES})
  endif()
  set_target_properties(${_lib} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
endmacro()

macro(itk_module_test)
  set(${itk-module}-Test_LIBRARIES ${itk-module})
  find_package(GTest REQUIRED)
endmacro()

function(CreateGoogleTestDriver KIT KIT_LIBS KitTests)
  add_executable(${KIT}GTestDriver ${KitTests})
  target_link_libraries(${KIT}GTestDriver ${KIT_LIBS} GTest::gtest GTest::gtest_main)
  include(GoogleTest)
  gtest_discover_tests(${KIT}GTestDriver DISCOVERY_TIMEOUT 120)
endfunction()

add_subdirectory(src)
if(BUILD_TESTING)
  add_subdirectory(test)
endif()

# Installation: find_package(Radiography) from another CMake project (test/consumer is one).
include(CMakePackageConfigHelpers)
set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Radiography)
install(TARGETS Radiography EXPORT RadiographyTargets)
install(DIRECTORY include/ ${PROJECT_BINARY_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/Radiography)
install(EXPORT RadiographyTargets NAMESPACE Radiography:: DESTINATION ${_package_dir})
configure_package_config_file(
  cmake/RadiographyConfig.cmake.in ${PROJECT_BINARY_DIR}/RadiographyConfig.cmake INSTALL_DESTINATION ${_package_dir}
)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/RadiographyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/RadiographyConfig.cmake ${PROJECT_BINARY_DIR}/RadiographyConfigVersion.cmake
        DESTINATION ${_package_dir}
)
