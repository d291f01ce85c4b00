# Shared by run.sh and test.sh: quiet when well, clear when not. Sourced, not run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

logs=build/logs
mkdir -p "$logs"

# What building needs, and what the tests need in addition (Debian's names).
build_packages=(cmake ninja-build g++ libinsighttoolkit5-dev libdcmtk-dev libopenjp2-7-dev libxrl-dev
  nlohmann-json3-dev librandom123-dev libcli11-dev libhwy-dev libeigen3-dev)
test_packages=(libgtest-dev libmpfr-dev python3 python3-venv clang-format doxygen graphviz dcmtk util-linux)

# step NAME COMMAND...: one line of progress; the command's output goes to a log, which is shown if it fails.
step() {
  local name=$1 log
  shift
  log=$logs/$(tr ' /' '--' <<<"$name").log
  printf '%-44s ' "$name"
  local begin=$SECONDS
  if "$@" >"$log" 2>&1; then
    echo "$((SECONDS - begin)) s"
  else
    local code=$?
    echo "FAILED (exit $code)"
    tail -n 40 "$log" >&2
    echo "The whole output: $log" >&2
    exit 1
  fi
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo --preserve-env=DEBIAN_FRONTEND "$@"
  else
    echo "To install packages ($*) this needs root, or sudo, which is not there." >&2
    return 1
  fi
}

install_missing() {
  as_root apt-get update -q && as_root apt-get install -y -q --no-install-recommends "$@"
}

# need PACKAGE...: installs those that are not there.
need() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] || step "install ${#missing[@]} packages" install_missing "${missing[@]}"
}

# build PRESET: configures and builds. ccache is used where it is.
build() {
  local launcher=()
  if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  step "configure $1" cmake --preset "$1" "${launcher[@]}"
  step "build $1" cmake --build --preset "$1"
}

# Newer kernels lay memory out more randomly than the sanitizers' shadow memory allows for: without that, where possible.
fixed_layout=()
if setarch "$(uname -m)" --addr-no-randomize true 2>/dev/null; then
  fixed_layout=(setarch "$(uname -m)" --addr-no-randomize)
fi
