#!/usr/bin/env bash
# Makes the Python wheel itk_radiography from nothing, in build/wheel/dist. ITK's build tree is ITK_DIR, or the archive that
# RADIOGRAPHY_ITK_BUILD_TREE names, or is made (tools/itk-build-tree.sh, 20 minutes).
source "$(dirname "${BASH_SOURCE[0]}")/itk-build-tree.sh"

need "${build_packages[@]}"
find_itk_tree || make_itk_tree
find_itk_tree
wheel_tools

build_wheel() {
  local launcher=()
  if command -v ccache >/dev/null; then
    launcher=(-Ccmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  rm -rf build/wheel/raw
  # ITK's tree is written into: one build at a time.
  flock "$ITK_DIR" python -m pip wheel . --no-deps --no-build-isolation --wheel-dir build/wheel/raw \
    -Cbuild-dir=build/wheel/cmake "${launcher[@]}" \
    "-Ccmake.define.ITK_DIR=$ITK_DIR" "-Ccmake.define.CASTXML_EXECUTABLE=$castxml" \
    "-Ccmake.define.SWIG_EXECUTABLE=$(command -v swig)" "-Ccmake.define.Python3_EXECUTABLE=$(command -v python)"
}

# Shared libraries go into the wheel, and with each the licence that Debian's package of it states; so do the licences of
# what is linked statically.
complete_wheel() {
  rm -rf build/wheel/repaired build/wheel/unpacked build/wheel/dist
  mkdir -p build/wheel/dist
  auditwheel repair --strip --wheel-dir build/wheel/repaired build/wheel/raw/*.whl &&
    python -m wheel unpack --dest build/wheel/unpacked build/wheel/repaired/*.whl &&
    python tools/wheel_licences.py build/wheel/unpacked/* "$ITK_DIR" &&
    python -m wheel pack --dest-dir build/wheel/dist build/wheel/unpacked/*
}

step "build the wheel" build_wheel
step "put libraries and licences into the wheel" complete_wheel
auditwheel show build/wheel/dist/*.whl | sed -n '/manylinux/p' | head -n 3
du -h build/wheel/dist/*.whl
