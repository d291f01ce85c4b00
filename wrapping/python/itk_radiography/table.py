# ==========================================================================
#
#   Copyright NumFOCUS
#
#   Licensed under the Apache License, Version 2.0 (the "License");
#   you may not use this file except in compliance with the License.
#   You may obtain a copy of the License at
#
#          https://www.apache.org/licenses/LICENSE-2.0.txt
#
#   Unless required by applicable law or agreed to in writing, software
#   distributed under the License is distributed on an "AS IS" BASIS,
#   WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
#   See the License for the specific language governing permissions and
#   limitations under the License.
#
# ==========================================================================
"""A table for a notebook: columns of NumPy arrays."""

from __future__ import annotations

import csv
import html
import os
from typing import Any, Dict, Iterable, Mapping, Union

import numpy as np
from numpy.typing import NDArray

__all__ = ["Table"]


def _column(values: list) -> NDArray:
    """Numbers, words and truths as such; lists, of any length, as objects."""
    if not any(isinstance(value, (list, tuple, dict, np.ndarray)) for value in values):
        return np.asarray(values)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


class Table:
    """Rows that have the same keys. `pandas.DataFrame(table.columns)` makes a data frame of it."""

    def __init__(self, rows: Iterable[Mapping[str, Any]], names: Iterable[str] = ()) -> None:
        """:param names: the columns; by default those of the first row"""
        rows = list(rows)
        names = list(names) or (list(rows[0]) if rows else [])
        self.columns: Dict[str, NDArray] = {name: _column([row.get(name) for row in rows]) for name in names}
        self._length = len(rows)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, name: str) -> NDArray:
        return self.columns[name]

    def rows(self) -> Iterable[Dict[str, Any]]:
        for index in range(self._length):
            yield {name: column[index] for name, column in self.columns.items()}

    def _texts(self) -> Iterable[list]:
        return ([_text(value) for value in row.values()] for row in self.rows())

    def __str__(self) -> str:
        lines = [list(self.columns)] + list(self._texts())
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join("  ".join(text.rjust(width) for text, width in zip(line, widths)) for line in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def line(tag: str, texts: Iterable[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>"

        return "<table>" + line("th", self.columns) + "".join(line("td", row) for row in self._texts()) + "</table>"

    def write_csv(self, path: Union[str, os.PathLike]) -> None:
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(row.values() for row in self.rows())
