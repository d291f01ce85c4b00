#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test: under ThreadSanitizer (the tests that use threads), under
# AddressSanitizer and UndefinedBehaviorSanitizer (all), and as released (all, with style, documentation and the
# installed package). Usage: tools/test.sh [--quick], which does the last one only.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

need "${build_packages[@]}" "${test_packages[@]}"
if [ -z "${RADIOGRAPHY_TEST_DATA:-}" ]; then
  echo "RADIOGRAPHY_TEST_DATA is not set: the tests on real CT and X-ray files will be SKIPPED."
fi

# Newer kernels lay memory out more randomly than the sanitizers' shadow memory allows for: without that, where possible.
fixed_layout=()
if setarch "$(uname -m)" --addr-no-randomize true 2>/dev/null; then
  fixed_layout=(setarch "$(uname -m)" --addr-no-randomize)
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
fi
build release
ctest --test-dir build/release --output-on-failure --progress -j "$jobs" --no-tests=error
