"""Builds the package (PEP 517) with nothing but the standard library: python3 backend.py FOLDER, or pip."""
from __future__ import annotations

import base64
import hashlib
import io
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    name, version = project()
    info = f"{name}-{version}.dist-info"
    files = {f"stoa/{path.name}": path.read_bytes() for path in modules()}
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: stoa\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = [f"{path},sha256={digest(content)},{len(content)}" for path, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            # The same bytes whenever it is built.
            entry = zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    name, version = project()
    base = f"{name}-{version}"
    paths = [*modules(), *(ROOT / file for file in ("backend.py", "pyproject.toml", "README.md", "LICENSE"))]
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for path in paths:
            archive.add(path, f"{base}/{path.relative_to(ROOT)}")
        entry = tarfile.TarInfo(f"{base}/PKG-INFO")
        entry.size = len(metadata().encode())
        archive.addfile(entry, io.BytesIO(metadata().encode()))
    return f"{base}.tar.gz"


def modules() -> list[Path]:
    # They follow from the route table: a clone makes them, and a source distribution has them.
    missing = [name for name in ("api.py", "types.py") if not (ROOT / "stoa" / name).exists()]
    if missing:
        raise SystemExit(f"{' and '.join(missing)} not found. In a clone of Stoa, run: npm ci")
    return sorted(path for path in (ROOT / "stoa").iterdir() if path.is_file())


def project() -> tuple[str, str]:
    declared = declaration()
    return declared["name"].replace("-", "_"), declared["version"]


def declaration() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def metadata() -> str:
    declared = declaration()
    fields = {
        "Metadata-Version": "2.1",
        "Name": declared["name"],
        "Version": declared["version"],
        "Summary": declared["description"],
        "License": declared["license"]["text"],
        "Requires-Python": declared["requires-python"],
        "Description-Content-Type": "text/markdown",
    }
    head = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return f"{head}\n{(ROOT / declared['readme']).read_text()}"


def digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(build_wheel(sys.argv[1]))
