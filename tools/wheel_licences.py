#!/usr/bin/env python3
"""Puts the licences of all that a wheel carries into it. Usage: wheel_licences.py UNPACKED_WHEEL ITK_BUILD_TREE"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

# Compiled into the module from headers; what ITK's libraries are made of stands in its NOTICE.
HEADERS_OF = ("nlohmann-json3-dev", "librandom123-dev", "libeigen3-dev")


def package_of(library):
    """The package that a library came from, whose name auditwheel has made unique: libxrl-1a2b3c4d.so.11.1.0."""
    name = re.sub(r"-[0-9a-f]{8}(?=\.so)", "", library.name)
    found = subprocess.run(["dpkg-query", "--search", f"*/{name}"], check=True, capture_output=True, text=True).stdout
    return found.split(":")[0]


def main():
    wheel, itk = Path(sys.argv[1]), Path(sys.argv[2])
    (information,) = wheel.glob("*.dist-info")
    folder = information / "licenses" / "third-party"
    folder.mkdir(parents=True, exist_ok=True)

    packages = {package_of(library) for library in wheel.glob("*.libs/*.so*")} | set(HEADERS_OF)
    for package in sorted(packages):
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", folder / f"{package}.txt")
    configuration = (itk / "ITKConfig.cmake").read_text()
    sources = Path(re.search(r'ITK_CMAKE_DIR "([^"]+)"', configuration).group(1)).parent
    for name in ("LICENSE", "NOTICE"):
        shutil.copyfile(sources / name, folder / f"ITK-{name}.txt")
    print("Licences of:", ", ".join(sorted(packages)), "and ITK")


main()
