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
"""Progress and abort for whatever ITK computes."""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional, Union

import itk

__all__ = ["Aborted", "Progress", "run"]

Progress = Union[bool, Callable[[float], Any]]


class Aborted(RuntimeError):
    """The computation was ended by `stop`, before it was complete."""


class _Lines:
    """What stands in for tqdm: a line for each tenth."""

    def __init__(self, name: str) -> None:
        self._name, self._tenth = name, 0

    def show(self, fraction: float) -> None:
        if int(10 * fraction) > self._tenth:
            self._tenth = int(10 * fraction)
            print(f"{self._name}: {10 * self._tenth} %", file=sys.stderr)

    def close(self) -> None:
        pass


class _Bar:
    def __init__(self, name: str, tqdm: Any) -> None:
        self._bar = tqdm(total=100, desc=name, unit="%", leave=False, bar_format="{desc}: {percentage:3.0f}%|{bar}|")

    def show(self, fraction: float) -> None:
        self._bar.update(100 * fraction - self._bar.n)

    def close(self) -> None:
        self._bar.close()


class _Caller:
    def __init__(self, callback: Callable[[float], Any]) -> None:
        self.show = callback

    def close(self) -> None:
        pass


def _display(progress: Progress, name: str) -> Any:
    if progress is False:
        return _Caller(lambda fraction: None)
    if progress is not True:
        return _Caller(progress)
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines(name)
    return _Bar(name, tqdm)


def _abort(process: Any) -> None:
    if hasattr(process, "AbortGenerateDataOn"):
        process.AbortGenerateDataOn()
    else:
        process.StopOptimization()


def _default_call(process: Any) -> Callable[[], Any]:
    for name in ("Compute", "StartOptimization", "Update"):
        if hasattr(process, name):
            return getattr(process, name)
    raise TypeError(f"{type(process).__name__} has none of Update(), Compute(), StartOptimization()")


def run(
    process: Any,
    *,
    progress: Progress = True,
    stop: Optional[Callable[[], bool]] = None,
    call: Optional[Callable[[], Any]] = None,
) -> Any:
    """Runs a filter, reader, calculator, registration or optimizer, and returns it.

    Exceptions that `progress` or `stop` raise, and Ctrl-C, end the computation and come out as they are; an observer of
    ITK's own that raises ends the whole process where the event comes from another thread.

    :param progress: True: a bar by tqdm, or lines on stderr where it is not installed; False: none; or a function of
        the fraction that is done
    :param stop: asked at every event (progress, or an optimizer's step); true ends the computation with `Aborted`
    :param call: what to run, `process.Update` (or `Compute`, `StartOptimization`) by default
    :raises Aborted: `stop` said so
    :raises RuntimeError: with ITK's message
    """
    call = call or _default_call(process)
    display = _display(progress, process.GetNameOfClass())
    interrupted: list = []
    is_optimizer = not hasattr(process, "GetProgress")

    def watch() -> None:
        if interrupted:
            return
        try:
            if not is_optimizer:
                display.show(process.GetProgress())
            if stop is not None and stop():
                raise Aborted(f"{process.GetNameOfClass()} was stopped before it was complete")
        except BaseException as error:  # pylint: disable=broad-except
            interrupted.append(error)
            _abort(process)

    events = [itk.IterationEvent()] if is_optimizer else [itk.ProgressEvent(), itk.IterationEvent()]
    tags = [process.AddObserver(event, watch) for event in events]
    try:
        call()
    except RuntimeError as error:
        if not interrupted:
            raise
        interrupted[0].__cause__ = error
    finally:
        for tag in tags:
            process.RemoveObserver(tag)
        display.close()
        if hasattr(process, "AbortGenerateDataOff"):
            process.AbortGenerateDataOff()
    if interrupted:
        raise interrupted[0]
    return process
