"""The tutorials of docs/tutorials/python are run, and what they assert holds."""

import pathlib
import runpy
import sys

import pytest
from conftest import data_folder

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tutorials" / "python"
pytest.importorskip("pandas")


@pytest.mark.filterwarnings("ignore::beanjar.BeanjarWarning")
@pytest.mark.parametrize("script", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_a_tutorial_runs(script, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")


@pytest.mark.skipif(data_folder() is None, reason="needs the public data sets")
@pytest.mark.filterwarnings("ignore::beanjar.BeanjarWarning")
def test_the_panel_of_a_folder_is_read(monkeypatch, capsys):
    script = FOLDER / "language_model_panel.py"
    monkeypatch.setattr(sys, "argv", [str(script), str(data_folder() / "panels" / "copa")])
    runpy.run_path(str(script), run_name="__main__")
    assert "auto, 50 known answers" in capsys.readouterr().out
