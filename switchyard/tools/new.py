# SPDX-License-Identifier: Apache-2.0
"""`switchyard new`: a guest, scheme, machine or experiment of the user's own that works, to change.

It goes into a folder outside the package (`user_paths.py` says which) with a test beside it. What
it is made of is in `templates/`; a scheme is a copy of `flush`, a machine of `sa1110`, so that
there is one description of each.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from switchyard.data import files
from switchyard.errors import InputError
from switchyard.run import kernels, machine, tree, user_paths
from switchyard.tools import editor, targets

TEMPLATES = Path(__file__).with_name("templates")
ENDING = ".in"
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
# What a scheme and a machine begin as.
SCHEME = Path("kernel/arch/arm/switch/flush")
MACHINE = Path("machine/machines/sa1110.toml")
CONFIGURATION = """\
# Which folders have schemes, machines, experiments and guests of one's own: switchyard finds them.
path = ["."]
"""


@dataclass(frozen=True)
class Made:
    """What was written, and what to do with it."""

    files: list[Path]
    next: list[str]


def place() -> Path:
    """The folder of the user's own that new things go into: the first, or else this one."""
    folders = user_paths.folders()
    return folders[0] if folders else Path.cwd()


def make(kind: str, name: str, folder: Path, on: str = "") -> Made:
    """Writes a new one; refuses a name that is taken. A guest may be for a machine: `on`."""
    if not NAME.fullmatch(name):
        raise InputError(
            f"{name}: no name; expected small letters, digits and hyphens, as in my-{kind}"
        )
    module = name.replace("-", "_")
    home = folder / f"{kind}s" / {"experiment": module, "machine": f"{name}.toml"}.get(kind, name)
    if home.exists():
        raise InputError(f"{home}: is there; expected another name")
    user_paths.refuse(kind, [name] if name in _ours(kind) else [], {name: home})
    wanted = _begun(kind, name, home)
    words = {"@NAME@": name, "@MODULE@": module, "@CLASS@": module.title().replace("_", "")}
    options = ""
    if kind == "guest":
        target = targets.find(on, machine.machines(on)[0]["board"]) if on else targets.ARM
        options = f"--machine {on} {target.boot} ".replace("  ", " ") if on else ""
        words = {**target.words(), "@OPTIONS@": options, **words}
    elif on:
        raise InputError(f"--machine {on}: only a guest is for a machine")
    beside = home.parent if kind == "machine" else home
    for template in sorted((TEMPLATES / kind).glob(f"*{ENDING}")):
        text = template.read_text(encoding="utf-8")
        wanted[beside / _filled(template.name.removesuffix(ENDING), words)] = _filled(text, words)
    if kind == "guest":
        wanted |= editor.files(folder, name, options)
    if not user_paths.folders():
        wanted[folder / user_paths.CONFIGURATION] = CONFIGURATION
    for path, text in wanted.items():
        files.write(path, text)
    test = next(path for path in wanted if path.name.startswith("test_"))
    return Made(list(wanted), [*_next(kind, name, options), f"pytest {_from(folder, test)}"])


def _from(folder: Path, path: Path) -> Path:
    return path.relative_to(folder) if folder == Path.cwd() else path


def _filled(text: str, words: dict[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


def _ours(kind: str) -> set[str]:
    """The names that are taken in the package."""
    if kind == "experiment":
        from switchyard.experiments import EXPERIMENTS

        return set(EXPERIMENTS)
    if kind == "machine":
        return {file.stem for file in (tree.sources() / MACHINE.parent).glob("*.toml")}
    if kind == "scheme":
        return {folder.name for folder in (tree.sources() / SCHEME.parent).iterdir()}
    from switchyard.run.build import GUESTS

    return set(GUESTS)


def _begun(kind: str, name: str, home: Path) -> dict[Path, str]:
    """The files that it takes over from what there is."""
    if kind == "scheme":
        templates = sorted((tree.sources() / SCHEME).iterdir())
        copied = {home / file.name: file.read_text(encoding="utf-8") for file in templates}
        last = max(
            scheme.order
            for scheme in kernels.of_architecture(tree.sources() / SCHEME.parent.parent).schemes
        )
        order = re.compile(r"^SWITCH_ORDER := .*$", re.M)
        facts = home / "facts.mk"
        copied[facts] = order.sub(f"SWITCH_ORDER := {last + 1}", copied[facts])
        return copied
    if kind == "machine":
        text = (tree.sources() / MACHINE).read_text(encoding="utf-8")
        text = re.sub(r'^name = ".*"$', f'name = "{name}"', text, count=1, flags=re.M)
        about = f'description = "your own, which began as {MACHINE.stem}"'
        return {home: re.sub(r'^description = ".*"$', about, text, count=1, flags=re.M)}
    return {}


def _next(kind: str, name: str, options: str) -> list[str]:
    return {
        "guest": [
            f"switchyard build {name}",
            f"switchyard boot {options}--kernel build/{name}.elf",
        ],
        "scheme": [f"switchyard build assabet-{name}-test", "switchyard run l4-ipc --quick"],
        "machine": [f"switchyard machines {name}"],
        "experiment": [f"switchyard run {name} --quick"],
    }[kind]
