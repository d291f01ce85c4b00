# Looks for what the rooms of this module stand on besides ITK, in all three modes.
# Each option says what is lost without it.
option(Radiography_USE_DCMTK "Read and write DICOM (OFF: no DICOM readers, no phantom series; image files only)" ON)
option(Radiography_USE_XRAYLIB "Attenuation coefficients by energy (OFF: mu of water and bone must be given)" ON)

find_package(nlohmann_json 3.9 REQUIRED)
find_path(Radiography_RANDOM123_INCLUDE_DIR Random123/philox.h)
if(NOT Radiography_RANDOM123_INCLUDE_DIR)
  message(FATAL_ERROR "Random123 was not found (Debian: librandom123-dev). "
                      "Give Radiography_RANDOM123_INCLUDE_DIR, the folder that holds Random123/philox.h."
  )
endif()

find_package(hwy QUIET CONFIG)
if(NOT hwy_FOUND)
  message(FATAL_ERROR "Highway was not found (Debian: libhwy-dev). Give hwy_DIR, the folder that holds hwy-config.cmake.")
endif()

find_package(Eigen3 3.3 QUIET CONFIG)
if(NOT TARGET Eigen3::Eigen)
  message(FATAL_ERROR "Eigen was not found (Debian: libeigen3-dev). Give Eigen3_DIR, the folder that holds Eigen3Config.cmake.")
endif()

if(Radiography_USE_DCMTK)
  find_package(DCMTK QUIET)
  find_package(PkgConfig QUIET)
  find_package(OpenJPEG QUIET)
  if(NOT DCMTK_FOUND OR NOT OpenJPEG_FOUND)
    message(FATAL_ERROR "DCMTK and OpenJPEG are needed to read DICOM (Debian: libdcmtk-dev libopenjp2-7-dev); "
                        "-DRadiography_USE_DCMTK=OFF builds without the DICOM readers."
    )
  endif()
endif()

if(Radiography_USE_XRAYLIB)
  find_path(Radiography_XRAYLIB_INCLUDE_DIR xraylib.h PATH_SUFFIXES xraylib)
  find_library(Radiography_XRAYLIB_LIBRARY xrl)
  if(NOT Radiography_XRAYLIB_INCLUDE_DIR OR NOT Radiography_XRAYLIB_LIBRARY)
    message(FATAL_ERROR "xraylib was not found (Debian: libxrl-dev); -DRadiography_USE_XRAYLIB=OFF builds without "
                        "attenuation tables: mu of water and bone must then be given in numbers."
    )
  endif()
endif()
