#!/bin/sh
# Compares projections with RTK's on a real CT. See doc/performance.md.
#
#   benchmark/peers/run.sh PROGRAM CT [OPTIONS OF rtk_joseph.py]
#
# PROGRAM: the built command-line program `radiography`; CT: a DICOM folder.
# RTK comes from its Python wheel, into a virtual environment that is removed afterwards;
# RADIOGRAPHY_PEERS_VENV=FOLDER keeps it there for the next time.
set -eu

if [ $# -lt 2 ]; then
  echo "usage: $0 PROGRAM CT [OPTIONS OF rtk_joseph.py]" >&2
  exit 2
fi
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

. "$here/venv.sh"
install_wheels itk-rtk numpy
mkdir "$temporary/images"
"$venv/bin/python" "$here/rtk_joseph.py" "$@" --work "$temporary/images"
