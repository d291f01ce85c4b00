"""Reads the classes, structs and enumerations that the public headers declare."""

import re
from dataclasses import dataclass, field
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"

TOKEN = re.compile(
    r"""
      (?P<access>\b(?:public|protected|private)\b)\s*:(?!:)
    | \bnamespace\s+(?P<namespace>[\w:]+)?\s*\{
    | \benum\s+(?:class\s+)?(?P<enum>\w+)\s*(?::\s*\w+(?:\s\w+)*)?\s*\{(?P<values>[^}]*)\}
    | \b(?P<kind>class|struct)\s+(?:\w+_EXPORT\s+)?(?P<name>\w+)\s*(?P<head>(?:final\s*)?(?::[^;{]*)?)\{
    | (?P<open>\{) | (?P<close>\})
    """,
    re.VERBOSE,
)
FIELD = re.compile(r"^\s*(?:[\w:]+(?:<[^;()]*>)?\s+)+(?P<name>[a-z]\w*)(?:\[\d+\])?(?:\s*\{.*\}|\s*=[^;]*)?\s*$", re.DOTALL)


@dataclass
class Declaration:
    name: str
    is_struct: bool
    is_template: bool
    outer: "Declaration" = None
    body: str = ""
    nested: list = field(default_factory=list)
    enums: dict = field(default_factory=dict)

    @property
    def path(self):
        return f"{self.outer.path}.{self.name}" if self.outer else self.name

    @property
    def has_new(self):
        return re.search(r"\bitk(?:Simple|Factoryless)?NewMacro\(", self.own_text) is not None

    @property
    def is_constructible(self):
        """By a call: neither by New() nor abstract nor a set of functions."""
        return not (self.has_new or re.search(r"= delete|= 0;|ITK_DISALLOW|protected:", self.own_text))

    @property
    def own_text(self):
        text = self.body
        for inner in self.nested:
            text = text.replace(inner.body, "")
        return text

    @property
    def fields(self):
        """Of a struct: what is neither a function nor an alias."""
        if not self.is_struct:
            return []
        found = (FIELD.match(statement) for statement in re.sub(r"\{[^{}]*\{[^{}]*\}[^{}]*\}", "{}", self.own_text).split(";"))
        return [match["name"] for match in found if match and "using" not in match.group(0)]


def without_comments(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.MULTILINE)


def declarations_of(text):
    """All that is public in namespace itk, nested classes after their outer ones."""
    text = without_comments(text)
    found, stack = [], []
    for token in TOKEN.finditer(text):
        group = token.lastgroup
        if token["access"]:
            if stack and isinstance(stack[-1][0], Declaration):
                if stack[-1][2] != "hidden":
                    stack[-1][2] = token["access"]
        elif token["enum"]:
            scope = stack[-1] if stack else None
            if scope and isinstance(scope[0], Declaration) and scope[2] == "public":
                scope[0].enums[token["enum"]] = re.findall(r"\b([A-Za-z]\w*)\b(?:\s*=\s*[^,]+)?", token["values"])
        elif token["kind"]:
            outer = stack[-1][0] if stack else None
            is_public = not stack or stack[-1][2] == "public"
            before = text[: token.start()].rstrip()
            declaration = Declaration(token["name"], token["kind"] == "struct", before.endswith(">"))
            if isinstance(outer, Declaration):
                declaration.outer = outer
                outer.nested.append(declaration)
            elif outer != "itk":
                is_public = False
            if is_public:
                found.append(declaration)
            access = "public" if declaration.is_struct and is_public else "private"
            stack.append([declaration, token.end(), access if is_public else "hidden"])
        elif group == "close":
            if stack:
                scope, begin, _ = stack.pop()
                if isinstance(scope, Declaration):
                    scope.body = text[begin : token.start()]
        else:
            stack.append([token["namespace"] if token["namespace"] else "{", token.end(), "public"])
    return found


def all_declarations():
    headers = sorted(INCLUDE.glob("itk*.h"))
    return [declaration for header in headers for declaration in declarations_of(header.read_text())]
