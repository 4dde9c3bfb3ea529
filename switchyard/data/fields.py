# SPDX-License-Identifier: Apache-2.0
"""The fields of a JSON object, read strictly.

JSON that comes from outside (statistics of a run, record files) is read through `Fields`, so that
a wrong file is refused with one line that names the file, the field and what was expected.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from switchyard.errors import InputError

T = TypeVar("T")

# Whole numbers are counts, of at most 64 bits where they are counted.
LIMIT = 1 << 64


def parse(text: str | bytes, where: str) -> Any:
    """The JSON value in `text`; `where` names its file in errors."""
    try:
        value = json.loads(text)
        escaped = b"\\u" in text if isinstance(text, bytes) else "\\u" in text
        if escaped:
            # half a pair, as an escape: no text that could be written again
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {error.start} is no UTF-8; expected JSON text") from None
    except UnicodeEncodeError:
        raise InputError(f"{where}: half of a surrogate pair; expected Unicode text") from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"{where}: line {error.lineno}, column {error.colno}: {error.msg}; expected JSON"
        ) from None
    except ValueError:  # Python's own limit, of some thousand digits
        raise InputError(f"{where}: a number of too many digits; expected JSON") from None
    except RecursionError:
        raise InputError(f"{where}: nested too deeply; expected flat JSON") from None


def shown(value: object) -> str:
    """A value as an error message shows it: short, on one line."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _finite(value: object) -> bool:
    """Whether a value is a number that can be computed with, as a float too."""
    try:
        return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]
    except OverflowError:
        return False


def _counts(values: list[Any]) -> bool:
    """Whether all are whole numbers: a million samples are looked at, so by Python's own loops."""
    # types, and not isinstance: True is no sample
    return set(map(type, values)) <= {int} and (
        not values or (min(values) >= 0 and max(values) < LIMIT)
    )


class Fields:
    """One JSON object, and where it stands in its file."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise InputError(f"{where}: found {shown(value)}; expected an object")
        self._object: dict[str, Any] = value
        self.where = where

    def __contains__(self, name: str) -> bool:
        return name in self._object

    def names(self) -> list[str]:
        """The names of all fields, in the file's order."""
        return list(self._object)

    def wrong(self, name: str, expected: str) -> InputError:
        """The error for a field that is missing or not as expected."""
        if name not in self._object:
            return InputError(f"{self.where}: {name}: missing; expected {expected}")
        actual = shown(self._object[name])
        return InputError(f"{self.where}: {name}: found {actual}; expected {expected}")

    def only(self, *allowed: str) -> None:
        """Refuses fields of other names."""
        for name in self._object:
            if name not in allowed:
                raise InputError(
                    f"{self.where}: {name}: unknown field; expected one of {', '.join(allowed)}"
                )

    def whole(self, name: str) -> int:
        """A whole number that is not negative."""
        value = self._object.get(name)
        # bool is an int to Python, and 1.0 is not one to us
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < LIMIT:
            raise self.wrong(name, "a whole number")
        return value

    def number(self, name: str) -> float:
        """A finite number."""
        value = self._object.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.wrong(name, "a number")
        if not _finite(value):
            raise self.wrong(name, "a finite number")
        return value

    def text(self, name: str) -> str:
        """A string."""
        value = self._object.get(name)
        if not isinstance(value, str):
            raise self.wrong(name, "a string")
        return value

    def truth(self, name: str) -> bool:
        """True or false."""
        value = self._object.get(name)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def texts(self, name: str) -> list[str]:
        """A list of strings."""
        value = self._object.get(name)
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self.wrong(name, "a list of strings")
        return value

    def numbers(self, name: str) -> list[float]:
        """A list of numbers."""
        value = self._object.get(name)
        if not isinstance(value, list) or not all(_finite(number) for number in value):
            raise self.wrong(name, "a list of numbers")
        return value

    def inner(self, name: str) -> "Fields":
        """An object."""
        value = self._object.get(name)
        if not isinstance(value, dict):
            raise self.wrong(name, "an object")
        return Fields(value, f"{self.where}: {name}")

    def items(self, name: str, read: Callable[[object, str], T]) -> list[T]:
        """A list, each member read by `read(value, where)`."""
        value = self._object.get(name)
        if not isinstance(value, list):
            raise self.wrong(name, "a list")
        return [read(member, f"{self.where}: {name}[{i}]") for i, member in enumerate(value)]

    def raw(self, name: str) -> Any:
        """Whatever stands there; None where nothing does."""
        return self._object.get(name)

    def wholes(self) -> Mapping[str, int]:
        """Every field of this object as a whole number."""
        if _counts(list(self._object.values())):
            return self._object
        return {name: self.whole(name) for name in self._object}  # which says what is wrong

    def numbered(self) -> Mapping[int, int]:
        """Every field as a whole number, its name as a whole number too (JSON has only strings)."""
        return {self._index(name): self.whole(name) for name in self._object}

    def numbered_lists(self) -> Mapping[int, list[int]]:
        """Every field a list of whole numbers, its name a whole number."""
        lists = {}
        for name, value in self._object.items():
            if not isinstance(value, list) or not _counts(value):
                raise self.wrong(name, "a list of whole numbers")
            lists[self._index(name)] = value
        return lists

    def _index(self, name: str) -> int:
        if not (name.isascii() and name.isdigit() and len(name) <= 20):
            raise InputError(f"{self.where}: {shown(name)}: expected a whole number as its name")
        return int(name)
