#!/usr/bin/env bash
# Installs what is missing, builds, and runs the main job: a phantom as a DICOM CT series, its radiographs in photons on
# a page, and the phantom found again from two noisy X-ray images of it in another pose, with the error in mm.
# Usage: tools/run.sh [CT], CT = a DICOM folder of yours instead of the phantom: the page of radiographs alone.
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
if [ $# -gt 0 ]; then
  exit
fi

# Where the phantom was when the X-ray images were taken: turned by some degrees and moved by some millimetres. The
# transform maps world points to CT points. The registration starts from the identity and knows nothing of it.
mkdir -p out/registration
cat >out/registration/truth.tfm <<'POSE'
#Insight Transform File V1.0
#Transform 0
Transform: Euler3DTransform_double_3_3
Parameters: 0.06 -0.05 0.08 9 -6 7
FixedParameters: 0 0 0 0
POSE
take_xray() { # NAME PRIMARY_ANGLE SEED
  "$program" drr "$ct" "out/registration/$1.nrrd" --primary-angle-deg "$2" --secondary-angle-deg 0 \
    --source-isocenter-mm 700 --source-detector-mm 1100 --pixels 256,256 --pitch-mm 1.6 --pose out/registration/truth.tfm \
    --output counts --photons 20000 --noise-seed "$3" --subrays 2 --projector cell-gauss --quiet
}
step "take a frontal X-ray image" take_xray front 0 1
step "take a lateral X-ray image" take_xray side 90 2
"$program" register "$ct" out/registration/front.nrrd out/registration/side.nrrd \
  --output out/registration/found.tfm --report out/registration/report \
  --truth out/registration/truth.tfm --targets out/phantom/truth.json
