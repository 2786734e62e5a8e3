"""What the tests share: data, files of them, and the command line to compare with."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import beanjar


def data_folder():
    """The folder of public data sets, or none."""
    here = pathlib.Path(__file__).resolve().parents[2]
    folder = pathlib.Path(os.environ.get("BEANJAR_DATA", here.parent / "shared" / "data"))
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def crowd():
    """A crowd of which the truth is known, as dicts of columns."""
    return beanjar.simulate.labels(tasks=150, workers=12, votes=5, classes=3, spammers=0.2, frames="dict")


@pytest.fixture(scope="session")
def photos():
    """Judgments of photos, as dicts of columns."""
    return beanjar.simulate.photos(objects=60, judgments=3, frames="dict")


@pytest.fixture
def command(tmp_path):
    """The command line's JSON, run as a program of its own."""

    def run(*words):
        done = subprocess.run(
            [sys.executable, "-m", "beanjar", *map(str, words)], capture_output=True, text=True, cwd=tmp_path, check=False
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture
def csv(tmp_path):
    """Writes columns to a CSV file."""

    def write(name, columns):
        names = list(columns)
        rows = [",".join(names), *(",".join(str(value) for value in row) for row in zip(*columns.values(), strict=True))]
        path = tmp_path / name
        path.write_text("\n".join(rows) + "\n")
        return path

    return write
