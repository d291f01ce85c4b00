"""Writes type stubs of this module's classes and functions in the package `itk`, from what ITK's generator tells of them.

Usage: stubs.py FOLDER_OF_THE_GENERATOR FOLDER_OF_HEADERS OUTPUT

The generator leaves a `<Class>Proxy.pyi` for each class, which wants a module that ITK's wheels do not ship. Here they become
one file, `itk-stubs/__init__.pyi`, a partial stub package (PEP 561): names of ITK itself stay untyped.
"""

import ast
import collections
import re
import sys
from pathlib import Path

HEAD = '''"""Types of the module Radiography in the package itk. Written when the wheel is built."""

from collections.abc import Sequence
from typing import Any

def __getattr__(name: str) -> Any: ...

class _OfITK(type):
    def __getattr__(cls, name: str) -> Any: ...
    def __getitem__(cls, parameters: Any) -> Any: ...

class _Wrapped(metaclass=_OfITK):
    """A class of ITK: what it has itself is not described here."""

    def __getattr__(self, name: str) -> Any: ...
'''


def is_declared(name, headers):
    """Classes of ITK that are wrapped for further types have proxies too."""
    return re.search(rf"(class|struct)\s+(Radiography_EXPORT\s+)?{name}\b(?!;)", headers) is not None


def bases_of(proxy, names):
    """Those of ours, and what stands for ITK's."""
    bases = [base.id.removeprefix("_").removesuffix("Proxy") for base in proxy.bases]
    ours = [base for base in bases if base in names]
    return ours or ["_Wrapped"]


def type_text(annotation, names):
    """A type as it stands, or Any: where the generator knows none, or one that is described nowhere."""
    if annotation is None:
        return "Any"
    used = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}
    return ast.unparse(annotation) if used <= {"int", "float", "bool", "str", "Sequence", *names} else "Any"


def signature(method, names):
    """One line."""
    arguments = method.args
    for argument in arguments.args:
        if argument.arg != "self":
            argument.annotation = ast.Name(type_text(argument.annotation, names))
    result = type_text(method.returns, names)
    decorator = "    @staticmethod\n" if method.decorator_list else ""
    return f"{decorator}    def {method.name}({ast.unparse(arguments)}) -> {result}: ...\n"


def members_of(proxy, names):
    """Methods once each: of overloads the generator cannot tell apart, no argument is described."""
    methods = [member for member in proxy.body if isinstance(member, ast.FunctionDef) and member.name != "New"]
    overloads = collections.Counter(method.name for method in methods)
    for method in {method.name: method for method in methods}.values():
        if overloads[method.name] == 1:
            yield signature(method, names)
        elif method.decorator_list:
            yield f"    @staticmethod\n    def {method.name}(*arguments: Any) -> Any: ...\n"
        else:
            yield f"    def {method.name}(self, *arguments: Any) -> Any: ...\n"
    for member in proxy.body:
        if isinstance(member, ast.Assign):
            yield f"    {ast.unparse(member.targets[0])}: int\n"


def stub_of(proxy, name, names):
    """A class with New() where ITK's factories make it, else a struct whose fields are keywords."""
    is_made_by_new = any(getattr(member, "name", "") == "New" for member in proxy.body)
    maker = (
        f"    @classmethod\n    def New(cls, *inputs: Any, **properties: Any) -> {name}: ...\n"
        if is_made_by_new
        else "    def __init__(self, *values: Any, **fields: Any) -> None: ...\n"
    )
    return f"\nclass {name}({', '.join(bases_of(proxy, names))}):\n{maker}{''.join(members_of(proxy, names))}"


def proxies_in(folder, headers):
    """The class of every proxy by the name that it has in `itk`."""
    proxies = {}
    for path in sorted(folder.glob("*Proxy.pyi")):
        name = path.name.removesuffix("Proxy.pyi")
        if is_declared(name, headers):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            proxies[name] = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == f"{name}Proxy")
    return proxies


def functions_in(folder, proxies):
    """The snake_case functions of our filters, from the list that ITK's loader reads."""
    scope = {}
    exec((folder / "Configuration" / "Radiography_snake_case.py").read_text(encoding="utf-8"), scope)
    of_ours = {name.replace("_", "") for name in map(str.lower, proxies)}
    for name in scope["snake_case_functions"]:
        if name.replace("_", "") in of_ours:
            yield f"\ndef {name}(*inputs: Any, **properties: Any) -> Any: ...\n"


def main():
    folder, headers, output = map(Path, sys.argv[1:])
    proxies = proxies_in(folder, "".join(path.read_text(encoding="utf-8") for path in headers.glob("*.h")))
    parts = [stub_of(proxy, name, proxies) for name, proxy in proxies.items()]
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(HEAD + "".join(parts) + "".join(functions_in(folder, proxies)), encoding="utf-8")
    (output.parent / "py.typed").write_text("partial\n", encoding="utf-8")


main()
