# GoogleTest sources of the room kernel, relative to this folder; kernel_TEST_LIBRARIES: what they link besides the module.
set(kernel_TESTS)
set(kernel_TEST_LIBRARIES)
list(APPEND kernel_TESTS LineIntegralGTest.cxx UniformBlockGTest.cxx)
list(APPEND kernel_TESTS RaySensitivityGTest.cxx RayWeightsGTest.cxx)
list(APPEND kernel_TESTS TransmissionLawGTest.cxx)
list(APPEND kernel_TESTS TransmissionAdjointGTest.cxx)

# The bodies are device code too; nothing here needs a device.
find_program(Radiography_NVCC nvcc PATHS /usr/local/cuda/bin)
if(Radiography_NVCC)
  add_test(NAME kernel.CompilesAsDeviceCode
           COMMAND ${Radiography_NVCC} -std=c++17 --Werror all-warnings -I${Radiography_SOURCE_DIR}/src -c
                   ${CMAKE_CURRENT_LIST_DIR}/DeviceBodies.cu -o ${CMAKE_CURRENT_BINARY_DIR}/DeviceBodies.o
  )
else()
  message(STATUS "nvcc was not found: the device code of src/kernel is not compiled")
endif()
