"""Writes Doxygen's descriptions of the public classes as docstrings for SWIG, with ITK's converter.

Usage: docstrings.py FOLDER_OF_THE_CONVERTER FOLDER_OF_XML OUTPUT
ITK's own way there (ITK_WRAP_DOC) is closed to modules outside of its source tree: it reads files that only that has.
"""

import io
import sys
from pathlib import Path
from xml.dom import minidom

# Instantiations of the templates: the docstrings are those of the template.
SUFFIXES = {"itk::HounsfieldToAttenuationImageFilter": ("IF3IF3", "ISS3IF3")}


def docstrings_of(path, converter):
    name = minidom.parse(str(path)).getElementsByTagName("compoundname")[0].firstChild.data
    if not name.startswith("itk::"):
        return ""
    # The converter breaks lines, within long names too: a short one stands in.
    converted = converter.itkDoxy2SWIG(str(path), name, "@C@")
    converted.generate()
    text = io.StringIO()
    converted.write_to_file(text)
    swig_name = "itk" + name.removeprefix("itk::").replace("::", "")
    plain = text.getvalue().replace("%%feature", "%feature")
    return "\n".join(plain.replace("@C@", swig_name + suffix) for suffix in SUFFIXES.get(name, ("",)))


def main():
    sys.path.insert(0, sys.argv[1])
    import itk_doxy2swig

    paths = sorted(path for kind in ("class", "struct") for path in Path(sys.argv[2]).glob(f"{kind}itk*.xml"))
    Path(sys.argv[3]).write_text("\n".join(docstrings_of(path, itk_doxy2swig) for path in paths))


main()
