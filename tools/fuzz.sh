#!/usr/bin/env bash
# Fuzzes the readers of untrusted files with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer: the CT reader, the
# X-ray reader, the text readers of views. Usage: tools/fuzz.sh [MINUTES [TARGET...]], by default 1 minute for each target.
# An input that crashes, hangs, leaks or gives an unusable image is kept in build/fuzz/findings and ends the script.
# Without clang, and where none can be installed, nothing is fuzzed, which is said aloud.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

minutes=${1:-1}
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(CTVolumeFuzzer RadiographFuzzer GeometryFuzzer)

need "${build_packages[@]}" libgtest-dev
if ! command -v clang++ >/dev/null && ! install_missing clang libclang-rt-14-dev >"$logs/install-clang.log" 2>&1; then
  echo "clang++ is not there and cannot be installed ($logs/install-clang.log): fuzzing is SKIPPED."
  exit 0
fi
build fuzz

# Seeds are made anew; what earlier runs found to be worth keeping is in the corpus.
folder=build/fuzz
step "fuzz seeds" "$folder/bin/FuzzSeeds" "$folder/seeds"
mkdir -p "$folder/findings"

# DCMTK reserves memory that a damaged file claims and copes when there is none, so such requests are denied. What this
# project's own code requests must never be that much.
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=256
export UBSAN_OPTIONS=print_stacktrace=1

# fuzz TARGET KIND DICTIONARY
fuzz() {
  mkdir -p "$folder/corpus/$2"
  step "fuzz $1, $minutes min" "${fixed_layout[@]}" "$folder/bin/$1" -dict="test/fuzz/$3.dict" -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=512 \
    -max_len=8192 -max_total_time=$((minutes * 60)) -print_final_stats=1 -artifact_prefix="$folder/findings/$1-" \
    "$folder/corpus/$2" "$folder/seeds/$2"
  grep -E 'number_of_executed_units|peak_rss_mb' "$logs/fuzz-$1,-$minutes-min.log"
}

for target in "${targets[@]}"; do
  case $target in
    CTVolumeFuzzer) fuzz "$target" ct dicom ;;
    RadiographFuzzer) fuzz "$target" radiograph dicom ;;
    GeometryFuzzer) fuzz "$target" geometry geometry ;;
    *) echo "There is no target $target" >&2 && exit 2 ;;
  esac
done
