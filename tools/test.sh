#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test: under ThreadSanitizer (the tests that use threads), under
# AddressSanitizer and UndefinedBehaviorSanitizer (all, and a minute of fuzzing for each reader), and as released (all, with
# style, documentation and the installed package), and the Python wheel with its tests.
# Usage: tools/test.sh [--quick], which does the released ones only.
source "$(dirname "${BASH_SOURCE[0]}")/itk-build-tree.sh"

need "${build_packages[@]}" "${test_packages[@]}"
if [ -z "${RADIOGRAPHY_TEST_DATA:-}" ]; then
  echo "RADIOGRAPHY_TEST_DATA is not set: the tests on real CT and X-ray files will be SKIPPED."
fi

jobs=$(nproc)
if [ "${1:-}" != --quick ]; then
  build thread-sanitize
  export TSAN_OPTIONS="suppressions=$PWD/test/tsan-suppressions.txt second_deadlock_stack=1"
  step "test thread-sanitize" "${fixed_layout[@]}" ctest --preset thread-sanitize -j "$jobs" \
    -R 'Thread|Bits|Abort|Stop|Progress|Region|Noise|Stairs|Chest' --no-tests=error
  grep -E 'tests passed|tests failed' "$logs/test-thread-sanitize.log"
  build sanitize
  export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
  export LSAN_OPTIONS="suppressions=$PWD/test/lsan-suppressions.txt print_suppressions=0"
  step "test sanitize" "${fixed_layout[@]}" ctest --preset sanitize -j "$jobs" --no-tests=error
  grep -E 'tests passed|tests failed' "$logs/test-sanitize.log"
  bash tools/fuzz.sh 1
fi
build release

# The Python wheel, in an environment that knows nothing of this checkout.
fresh_environment() {
  rm -rf build/wheel/environment
  python3 -m venv build/wheel/environment &&
    build/wheel/environment/bin/python -m pip install --quiet --disable-pip-version-check build/wheel/dist/*.whl itk==5.4.7 \
      numpy -r wrapping/test/requirements.txt
}
test_wheel() {
  if ! find_itk_tree; then
    echo "No ITK build tree (ITK_DIR, or its archive in RADIOGRAPHY_ITK_BUILD_TREE): the Python wheel is NOT BUILT and its" \
      "tests are SKIPPED. tools/wheel.sh makes such a tree."
    return
  fi
  bash tools/wheel.sh
  step "install the wheel and what its tests use" fresh_environment
  RADIOGRAPHY_PROGRAM=$PWD/build/release/bin/radiography step "test the wheel" \
    build/wheel/environment/bin/python -m pytest wrapping/test -q -p no:cacheprovider
  grep SKIPPED "$logs/test-the-wheel.log" || true
  grep -E '[0-9]+ passed' "$logs/test-the-wheel.log" | tail -n 1
}
# In a shell of its own: the ITK that the wheel is built with is not that of the tests which follow.
[ "${1:-}" = --quick ] || (test_wheel)

ctest --test-dir build/release --output-on-failure --progress -j "$jobs" --no-tests=error
