option(Radiography_WARNINGS_AS_ERRORS "Compiler warnings in this module's own code are errors" OFF)

# The warnings that this module's own targets are kept free of. ITK's headers are system headers to them.
function(radiography_warnings _target)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(
      ${_target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wunused
                         $<$<BOOL:${Radiography_WARNINGS_AS_ERRORS}>:-Werror>
    )
  elseif(MSVC)
    target_compile_options(${_target} PRIVATE /W4 $<$<BOOL:${Radiography_WARNINGS_AS_ERRORS}>:/WX>)
  endif()
endfunction()
