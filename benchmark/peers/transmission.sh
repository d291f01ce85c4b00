#!/bin/sh
# Compares transmission with NumPy's and with a plain copy of the same bytes. See doc/performance.md.
#
#   benchmark/peers/transmission.sh BENCHMARK [OPTIONS OF transmission_numpy.py]
#
# BENCHMARK: the built program TransmissionBenchmark.
# NumPy comes into a virtual environment that is removed afterwards; RADIOGRAPHY_PEERS_VENV=FOLDER keeps it there for the
# next time.
set -eu

if [ $# -lt 1 ]; then
  echo "usage: $0 BENCHMARK [OPTIONS OF transmission_numpy.py]" >&2
  exit 2
fi
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

. "$here/venv.sh"
install_wheels numpy
"$venv/bin/python" "$here/transmission_numpy.py" "$@"
