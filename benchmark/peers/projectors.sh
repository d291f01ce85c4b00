#!/bin/sh
# Times and errors of projectors beside those of peers, in one run on the same voxels, rays and threads: RTK, plastimatch
# and, with --torch, nanodrr and DiffDRR. See doc/performance.md.
#
#   benchmark/peers/projectors.sh TIMING [OPTIONS OF projectors.py]
#
# TIMING: the built program ProjectorTiming. --help lists the options.
# The peers come from their Python wheels, into a virtual environment that is removed afterwards;
# RADIOGRAPHY_PEERS_VENV=FOLDER keeps it there for the next time. --torch downloads gigabytes.
set -eu

if [ $# -lt 1 ]; then
  echo "usage: $0 TIMING [OPTIONS OF projectors.py]" >&2
  exit 2
fi
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

peers="itk-rtk numpy plastimatch"
for option; do
  if [ "$option" = --torch ]; then
    peers="$peers nanodrr diffdrr"
  fi
done

. "$here/venv.sh"
# One by one: a peer that cannot be had is named by projectors.py, the others are compared. RTK's wheel brings ITK, without
# which there is no comparison.
for peer in $peers; do
  install_wheels "$peer" ||
    echo "$0: $peer could not be installed" >&2
done
mkdir "$temporary/images"
PATH="$venv/bin:$PATH" "$venv/bin/python" "$here/projectors.py" "$@" --work "$temporary/images"
