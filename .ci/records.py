# SPDX-License-Identifier: Apache-2.0
"""Do two commits measure the same? `records.py BASE [COMMIT [EXPERIMENT...]]`.

Each commit is checked out and set up below build/records/, where it stays for the next time, and
runs all experiments with --quick, or those that are named. Their records, and the statistics of
each run with all counters and samples, must be equal to the byte. Of each file that is not, the
first difference is said. Exit status 1 if there is any, or if there was nothing to compare.
"""

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NAMES = "from switchyard.experiments import EXPERIMENTS; print(*EXPERIMENTS)"


def commit(name: str) -> str:
    """The whole name of a commit."""
    command = ["git", "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"]
    asked = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True)
    if asked.returncode != 0:
        print(f"records.py: {name!r} is no commit of this repository", file=sys.stderr)
        sys.exit(2)
    return asked.stdout.strip()


def checkout(name: str) -> Path:
    """A commit's own checkout, set up."""
    folder = ROOT / "build" / "records" / name
    if not folder.exists():
        clone = ["git", "clone", "--quiet", "--shared", "--no-checkout", str(ROOT), str(folder)]
        subprocess.run(clone, check=True)
        subprocess.run(["git", "checkout", "--quiet", name], cwd=folder, check=True)
    subprocess.run(["make", "setup"], cwd=folder, check=True)
    return folder


def known(folder: Path) -> list[str]:
    """The experiments of a checkout."""
    command = [str(folder / ".venv/bin/python"), "-c", NAMES]
    return subprocess.run(
        command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.split()


def measured(folder: Path, names: list[str]) -> dict[str, bytes]:
    """What the experiments of a checkout give, by file: records, and statistics of each run."""
    out = folder / "build" / "quick"
    for name in names:
        run = [str(folder / ".venv/bin/switchyard"), "run", name, "--quick", "--out", str(out)]
        done = subprocess.run(run, cwd=folder, check=False, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            print(f"records.py: {name} does not run at {folder.name}", file=sys.stderr)
    files = [out / f"{name}.json" for name in names]
    files += [file for name in names for file in (out / "raw" / name).glob("*.json.gz")]
    return {str(file.relative_to(out)): file.read_bytes() for file in files if file.exists()}


def difference(before: Any, after: Any, place: str = "") -> str:
    """The first place in which two JSON values differ, and what is there; empty if none."""
    if before == after:
        return ""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        pairs = [(f"{place}.{key}", before[key], after[key]) for key in before]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = [(f"{place}[{n}]", *pair) for n, pair in enumerate(zip(before, after, strict=True))]
    else:
        return f"{place}: {json.dumps(before):.60} is {json.dumps(after):.60}"
    return next(text for text in (difference(a, b, at) for at, a, b in pairs) if text)


def told(base: bytes | None, new: bytes | None) -> str:
    """In which way the two contents of a file differ; empty if they do not."""
    if base == new:
        return ""
    if base is None or new is None:
        return "is there only before" if new is None else "is there only now"
    before, after = (gzip.decompress(b) if b[:2] == b"\x1f\x8b" else b for b in (base, new))
    return difference(json.loads(before), json.loads(after)) or "other bytes, equal values"


def main(arguments: list[str]) -> int:
    """Compares two commits."""
    if not arguments:
        print("records.py: expected BASE [COMMIT [EXPERIMENT...]]", file=sys.stderr)
        return 2
    commits = [commit(name) for name in [*arguments, "HEAD"][:2]]
    base, new = (checkout(name) for name in commits)
    names = arguments[2:] or [name for name in known(base) if name in known(new)]
    before, now = measured(base, names), measured(new, names)
    every = sorted({*before, *now})
    wrong = [(name, text) for name in every if (text := told(before.get(name), now.get(name)))]
    for name, text in wrong:
        print(f"{name}: {text}")
    equal = len(every) - len(wrong)
    print(f"{len(names)} experiments: {equal} files equal, {len(wrong)} differ")
    return 1 if wrong or not every else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
