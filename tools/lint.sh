#!/usr/bin/env bash
# For developers: clang-format and clang-tidy over this project's own code (minutes; the tests check the format only).
# Usage: tools/lint.sh [FILE...]; needs a configured build/release.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

need clang-format clang-tidy
[ -f build/release/compile_commands.json ] || step "configure release" cmake --preset release
if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(git ls-files 'src/*.cxx' 'examples/*.cxx')
fi
# Debian's ITK headers know GCC only, so clang-tidy's parser has to look like one (10.2: before glibc's headers use
# attributes that clang 14 does not know).
clang-format --dry-run --Werror "${files[@]}"
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 \
  clang-tidy --quiet -p build/release --extra-arg=-U__clang__ --extra-arg=-fgnuc-version=10.2
