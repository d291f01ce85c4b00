"""DCMTK's data dictionary. Debian's DCMTK, which the wheel carries, reads it from files, and looks in DCMDICTPATH first."""

import os
from pathlib import Path

_files = [str(path) for path in sorted(Path(__file__).parent.glob("*.dic"))]
if _files:
    os.environ.setdefault("DCMDICTPATH", os.pathsep.join(_files))
