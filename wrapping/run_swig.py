"""Runs SWIG without the option -fvirtual, which ITK gives it: that leaves methods that override those of ITK's classes to ITK's
own wrappers, and these hold Python's lock while C++ computes. Usage: run_swig.py SWIG ARGUMENT..."""

import subprocess
import sys

sys.exit(subprocess.call([argument for argument in sys.argv[1:] if argument != "-fvirtual"]))
