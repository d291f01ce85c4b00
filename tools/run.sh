#!/usr/bin/env bash
# Installs what is missing, builds, and runs the main job: a phantom as a DICOM CT series, its radiographs in photons,
# and a page that shows them. Usage: tools/run.sh [CT], CT = a DICOM folder of yours instead of the phantom.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

need "${build_packages[@]}"
step "configure" cmake --preset release -DBUILD_TESTING=OFF -B build/run \
  $(command -v ccache >/dev/null && echo -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
step "build" cmake --build build/run

program=build/run/bin/radiography
ct=${1:-out/phantom}
if [ $# -eq 0 ]; then
  step "write a phantom as DICOM CT series" "$program" phantom out/phantom --quiet
fi
"$program" inspect "$ct"
"$program" overview "$ct" out/report
