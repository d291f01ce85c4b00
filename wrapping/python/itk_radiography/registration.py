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
"""Registration by keyword arguments, and its result as arrays, tables and a page for notebooks."""

from __future__ import annotations

import base64
import difflib
import html
from typing import Any, Callable, Dict, List, Optional, Sequence

import itk
import numpy as np
from numpy.typing import NDArray

from .images import as_image, as_mask, as_volume
from .radiograph import Radiograph
from .running import Progress, run
from .table import Table

__all__ = ["Registration", "matrix_of", "prepare_registration", "register"]


def matrix_of(transform: Any) -> NDArray:
    """The 4 x 4 matrix of a linear transform; that of a registration maps world points to CT points.

    :raises ValueError: a transform that is not linear has no matrix
    """
    if not transform.IsLinear():
        raise ValueError(f"{transform.GetNameOfClass()} is not linear: it has no matrix")
    matrix = np.eye(4)
    matrix[:3, 3] = list(transform.TransformPoint([0.0, 0.0, 0.0]))
    for axis, point in enumerate(np.eye(3).tolist()):
        matrix[:3, axis] = np.asarray(list(transform.TransformPoint(point))) - matrix[:3, 3]
    return matrix


def _words(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


def _enum(owner: str, name: str, value: Any) -> Any:
    """A value of a C++ enumeration from its name in any spelling: "gradient-correlation", "GradientCorrelation"."""
    if not isinstance(value, str):
        return value
    enums = getattr(itk, owner)
    choices = {
        _words(choice[len(name) + 1 :]): getattr(enums, choice) for choice in dir(enums) if choice.startswith(name + "_")
    }
    if _words(value) not in choices:
        raise ValueError(f"{value!r} is not known; expected is one of {', '.join(sorted(choices))}")
    return choices[_words(value)]


_ENUMS = {
    "metric": ("RadiographRegistrationEnums", "Metric"),
    "transform_kind": ("RadiographRegistrationEnums", "TransformKind"),
    "compared": ("CorrelationRadiographToVolumeMetricv4Enums", "Compared"),
    "relation": ("CorrelationRadiographToVolumeMetricv4Enums", "Relation"),
}


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _snake(name: str) -> str:
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")


def _apply(method: Any, settings: Dict[str, Any]) -> None:
    for name, value in settings.items():
        setter = getattr(method, "Set" + _camel(name), None)
        if setter is None:
            known = [_snake(attribute[3:]) for attribute in dir(method) if attribute.startswith("Set")]
            nearest = difflib.get_close_matches(name, known, 1)
            raise TypeError(f"{name!r} is no setting of the registration" + (f"; {nearest[0]!r} is" if nearest else ""))
        setter(_enum(*_ENUMS[name], value) if name in _ENUMS else value)


def _for_each(values: Any, count: int, what: str) -> list:
    """One value for all views, or one for each."""
    if values is None or np.isscalar(values):
        return [values] * count
    if len(values) != count:
        raise ValueError(f"there are {count} images but {len(values)} {what}")
    return list(values)


def prepare_registration(
    mu: Any,
    images: Sequence[Any],
    views: Sequence[Any],
    *,
    masks: Optional[Sequence[Any]] = None,
    open_beam_counts: Any = None,
    initial: Any = None,
    **settings: Any,
) -> Any:
    """An `itk.RadiographRegistrationMethod` with its inputs set, not yet run. Parameters as `register`."""
    if len(views) != len(images):
        raise ValueError(f"there are {len(images)} images but {len(views)} views")
    method = itk.RadiographRegistrationMethod.New()
    method.SetInput(as_volume(mu))
    masks = _for_each(masks, len(images), "masks")
    for image, view, mask in zip(images, views, masks):
        mask = None if mask is None else as_mask(mask, view)
        method.AddView(as_image(image, view), view, mask)
    for number, counts in enumerate(_for_each(open_beam_counts, len(images), "numbers of open beam counts")):
        if counts is not None:
            method.SetOpenBeamCounts(number, float(counts))
    if initial is not None:
        method.SetInitialTransform(initial)
    _apply(method, settings)
    return method


def register(
    mu: Any,
    images: Sequence[Any],
    views: Sequence[Any],
    *,
    masks: Optional[Sequence[Any]] = None,
    open_beam_counts: Any = None,
    initial: Any = None,
    progress: Progress = False,
    stop: Optional[Callable[[], bool]] = None,
    **settings: Any,
) -> "Registration":
    """Finds where the CT was when the X-ray images were taken.

    >>> result = register(mu, [frontal, lateral], [frontal_view, lateral_view], open_beam_counts=10000)
    >>> result.verdict, result.transform, result.target_standard_errors

    :param mu: the CT in 1/mm, an image or an array
    :param images: images or arrays (rows, columns), one for each view
    :param masks: for each view None or an image or array; 0 or false is left out
    :param open_beam_counts: photons per pixel without the CT; None: estimated
    :param initial: world to CT points
    :param settings: anything that `itk.RadiographRegistrationMethod` has a Set method for, in snake case:
        `metric="gradient-correlation"`, `number_of_starts=200`, `estimate_scatter=True`
    """
    method = prepare_registration(
        mu, images, views, masks=masks, open_beam_counts=open_beam_counts, initial=initial, **settings
    )
    run(method, progress=progress, stop=stop)
    return Registration(method)


def _matrix(values: Any) -> NDArray:
    return itk.array_from_vnl_matrix(values) if values.rows() else np.zeros((0, 0))


_PLAIN = (bool, int, float, str, dict, list)


def _plain(value: Any) -> Any:
    """Sizes, vectors and arrays of ITK as lists."""
    return value if isinstance(value, _PLAIN) else [_plain(element) for element in value]


def _values(record: Any) -> Dict[str, Any]:
    """The fields of a C++ struct."""
    return {_snake(field): _plain(getattr(record, field)) for field in record.fields}


def _records(records: Sequence[Any], kind: Any) -> Table:
    return Table([_values(record) for record in records], [_snake(field) for field in kind.fields])


class Registration:
    """What `itk.RadiographRegistrationMethod` found, as Python's own types. `result` is the C++ object."""

    def __init__(self, method: Any) -> None:
        """:param method: a method that has run"""
        self.method = method
        self.result = method.GetOutput()

    @property
    def verdict(self) -> str:
        """ "converged", "doubtful" or "failed"."""
        return ("converged", "doubtful", "failed")[int(self.result.GetVerdict())]

    @property
    def reasons(self) -> List[str]:
        return list(self.result.GetReasons())

    @property
    def transform(self) -> Any:
        """World points to CT points; None if the registration failed."""
        transform = self.result.GetTransform()
        return None if transform is None else itk.down_cast(transform)

    @property
    def matrix(self) -> NDArray:
        """4 x 4, world points to CT points."""
        if self.transform is None:
            raise ValueError("the registration failed: there is no transform (" + "; ".join(self.reasons) + ")")
        return matrix_of(self.transform)

    @property
    def information(self) -> NDArray:
        return _matrix(self.result.GetInformation())

    @property
    def covariance(self) -> NDArray:
        """Of the transform's parameters (Cramer-Rao). Empty if the verdict is failed."""
        return _matrix(self.result.GetCovariance())

    @property
    def inflated_covariance(self) -> NDArray:
        """The same where the model of the image is not quite right: at least the covariance."""
        return _matrix(self.result.GetInflatedCovariance())

    @property
    def target_covariance(self) -> NDArray:
        """Of where the target lies in the world, 3 x 3, mm^2."""
        return _matrix(self.result.GetTargetCovariance())

    @property
    def inflated_target_covariance(self) -> NDArray:
        return _matrix(self.result.GetInflatedTargetCovariance())

    @property
    def standard_errors(self) -> NDArray:
        return np.asarray(list(self.result.GetStandardErrors()))

    @property
    def target_standard_errors(self) -> NDArray:
        """mm along the world's axes, from the inflated covariance."""
        return np.asarray(list(self.result.GetTargetStandardErrors()))

    @property
    def correlations(self) -> NDArray:
        """Metrics of correlation only: one for each view."""
        return np.asarray(list(self.result.GetCorrelations()))

    @property
    def iterations(self) -> Table:
        """The optimizer's steps: level, iteration, value, stationarity, damping, accepted, parameters."""
        return _records(self.result.GetTrace(), itk.RadiographRegistrationTraceEntry)

    @property
    def levels(self) -> Table:
        return _records(self.result.GetLevels(), itk.RadiographRegistrationLevelReport)

    @property
    def nuisances(self) -> Table:
        """What was found out about each view besides the pose (Poisson metric only)."""
        return _records(self.result.GetNuisances(), itk.RadiographRegistrationNuisances)

    @property
    def compute_report(self) -> Dict[str, Any]:
        return _values(self.result.GetComputeReport())

    def images(self, kind: str = "image") -> List[Radiograph]:
        """A radiograph for each view, on the grid of the last level.

        :param kind: "image", "initial_prediction", "prediction", "initial_residual", "residual"
        """
        getter = getattr(self.result, "Get" + _camel(kind))
        return [
            Radiograph(getter(view), quantity=kind.replace("_", " ")) for view in range(self.result.GetNumberOfViews())
        ]

    def to_dict(self) -> Dict[str, Any]:
        """The answer in numbers and words, ready for JSON or a table of many registrations."""
        transform = self.transform
        return {
            "verdict": self.verdict,
            "reasons": self.reasons,
            "transform": None if transform is None else transform.GetNameOfClass(),
            "parameters": [] if transform is None else list(transform.GetParameters()),
            "fixed_parameters": [] if transform is None else list(transform.GetFixedParameters()),
            "standard_errors": self.standard_errors.tolist(),
            "target_standard_errors_mm": self.target_standard_errors.tolist(),
            "deviance_per_pixel": self.result.GetDeviancePerPixel(),
            "objective": self.result.GetObjective(),
            "iterations": self._count_steps(),
            "seconds": self.result.GetSeconds(),
        }

    def _count_steps(self) -> int:
        return sum(level.iterations for level in self.result.GetLevels())

    def __repr__(self) -> str:
        errors = ", ".join(f"{error:.3g}" for error in self.target_standard_errors)
        return f"<Registration {self.verdict}, {self._count_steps()} steps, target known to ({errors}) mm>" + "".join(
            f"\n  {reason}" for reason in self.reasons
        )

    def _pictures(self) -> str:
        kinds = ("image", "initial_prediction", "prediction", "residual")
        rows = ["<tr>" + "".join(f"<th>{kind.replace('_', ' ')}</th>" for kind in kinds) + "</tr>"]
        for pictures in zip(*(self.images(kind) for kind in kinds)):
            data = (base64.b64encode(picture._repr_png_()).decode() for picture in pictures)
            rows.append("<tr>" + "".join(f'<td><img src="data:image/png;base64,{png}"></td>' for png in data) + "</tr>")
        return "<table>" + "".join(rows) + "</table>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>" + self._pictures() + self.levels._repr_html_()
