"""The tutorials of docs/tutorials/python are run, and what they assert holds."""

import json
import pathlib
import re
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


@pytest.mark.filterwarnings("ignore::beanjar.BeanjarWarning")
def test_the_readme_can_be_pasted():
    blocks = re.findall(r"```python\n(.*?)```", (FOLDER.parents[2] / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        names = {}
        exec(block, names)
    assert names["result"].to_frame()["label"].tolist() == ["yes", "no", "yes"]


def run_cells(notebook):
    """Runs the code of a notebook, cell by cell, and gives its names."""
    names = {"__name__": "__main__"}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), str(notebook), "exec"), names)
    return names


@pytest.mark.filterwarnings("ignore::beanjar.BeanjarWarning")
@pytest.mark.parametrize("notebook", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(notebook, monkeypatch, tmp_path):
    monkeypatch.setenv("BEANJAR_DATA", str(tmp_path))
    table = run_cells(notebook)["table"]
    assert list(table.index) == ["simulated", "mean"] and table.notna().all(axis=None)
    assert table.loc["simulated", "auto"] > table.loc["simulated", "plain vote"]


@pytest.mark.skipif(data_folder() is None, reason="needs the public data sets")
@pytest.mark.filterwarnings("ignore::beanjar.BeanjarWarning")
def test_the_notebook_reads_panels(monkeypatch, tmp_path):
    (tmp_path / "panels").mkdir()
    (tmp_path / "panels" / "copa").symlink_to(data_folder() / "panels" / "copa")
    monkeypatch.setenv("BEANJAR_DATA", str(tmp_path))
    table = run_cells(FOLDER / "language_model_panel.ipynb")["table"]
    assert list(table) == ["plain vote", "auto", "auto, 50 known"]
    assert table.loc["copa", "auto"] > table.loc["copa", "plain vote"] + 0.05
