#!/usr/bin/env bash
# For developers: compiles what is free of ITK and its packets' tests for 64-bit ARM, and runs the tests in an emulator.
# NEON is the one instruction set that no x86 machine runs. Usage: tools/arm.sh [FILTER OF GOOGLETEST]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

need g++-aarch64-linux-gnu qemu-user-static libhwy-dev librandom123-dev libeigen3-dev googletest
objects=build/arm
headers=$objects/headers
rm -rf "$objects"
mkdir -p "$headers"
# One by one: all of /usr/include would bring the C library of this machine.
ln -sfn /usr/include/hwy "$headers/hwy"
ln -sfn /usr/include/Random123 "$headers/Random123"
ln -sfn /usr/include/eigen3/Eigen "$headers/Eigen"

googletest=/usr/src/googletest/googletest
# Flags as in src/CMakeLists.txt.
compiler=(aarch64-linux-gnu-g++ -std=c++17 -O2 -march=armv8-a+crypto -Wall -Wextra -Werror -Isrc -Itest/support
  -isystem "$headers" -isystem "$googletest/include" -isystem "$googletest")

compile() {
  printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} sh -c \
    '"$@" -c "{}" -o "$0/$(basename "{}" | sed "s/\.[a-z]*$//").o"' "$objects" "${compiler[@]}"
}

step "compile for ARM" compile src/compute/*.cxx test/compute/*PacketsGTest.cxx test/compute/InstructionSetGTest.cxx \
  test/support/HighwayBaseline.cxx "$googletest/src/gtest-all.cc" "$googletest/src/gtest_main.cc"
step "link for ARM" "${compiler[@]}" -static "$objects"/*.o -o "$objects/tests"
qemu-aarch64-static "$objects/tests" --gtest_brief=1 --gtest_filter="${1:-*}"
