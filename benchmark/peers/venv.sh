# Sourced by the scripts beside it, not run. Makes $temporary, a folder that goes with the script, and $venv, a virtual
# environment in it; RADIOGRAPHY_PEERS_VENV=FOLDER puts that elsewhere and keeps it there for the next time.
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT INT TERM
venv=${RADIOGRAPHY_PEERS_VENV:-$temporary/venv}
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
fi

# install_wheels PACKAGE...: from their Python wheels.
install_wheels() {
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}
