"""The package as a whole: stubs, the command line, Ctrl-C, threads, memory."""

import ast
import concurrent.futures
import gc
import importlib.metadata
import inspect
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import beanjar
from beanjar import _beanjar, crowdkit

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


def stubbed(nodes):
    """The functions and classes of a stub, but for those that only the stub has."""
    return {node.name: node for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")}


def check_parameters(node, function, name):
    """That names, order and defaults of parameters are those that the stub says."""
    found = list(inspect.signature(function).parameters.values())
    assert [one.name for one in found] == [argument.arg for argument in node.args.args], name
    assert sum(one.default is not inspect.Parameter.empty for one in found) == len(node.args.defaults), name


def test_stubs_say_what_the_module_has():
    stub = pathlib.Path(beanjar.__file__).with_name("_beanjar.pyi")
    assert stub.with_name("py.typed").exists()
    tree = ast.parse(stub.read_text())
    named = stubbed(tree.body)
    public = {name for name in dir(_beanjar) if not name.startswith("_")}
    assert set(named) == public and isinstance(_beanjar.__version__, str)
    for name, node in named.items():
        found = getattr(_beanjar, name)
        if isinstance(node, ast.FunctionDef):
            check_parameters(node, found, name)
            continue
        methods = {of.name: of for of in node.body if isinstance(of, ast.FunctionDef)}
        shown = {of for of in vars(found) if not of.startswith("_")}
        assert {of for of in methods if not of.startswith("_")} == shown, name
        for method, stub_of_method in methods.items():
            if any(isinstance(one, ast.Name) and one.id == "property" for one in stub_of_method.decorator_list):
                continue
            if method == "__init__":
                assert [argument.arg for argument in stub_of_method.args.args[1:]] == list(inspect.signature(found).parameters), name
            else:
                check_parameters(stub_of_method, getattr(found, method), f"{name}.{method}")


def test_all_names_are_there_and_documented():
    for name in beanjar.__all__:
        assert getattr(beanjar, name).__doc__, name
    assert importlib.metadata.version("beanjar") == beanjar.__version__


def test_the_command_line_comes_with_the_package(tmp_path):
    script = pathlib.Path(sys.executable).with_name("beanjar")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"beanjar {beanjar.__version__}\n"
    wrong = subprocess.run([sys.executable, "-m", "beanjar", "inspect", "missing.csv"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stderr) == (2, "error: missing.csv: cannot be read: there is no such file\n")


def test_doctests_of_the_package_run():
    import doctest

    ran = 0
    for module in [beanjar, *(value for name, value in sys.modules.items() if name.startswith("beanjar."))]:
        found = doctest.testmod(module)
        assert found.failed == 0, module
        ran += found.attempted
    assert ran > 10


def test_threads_of_python_work_side_by_side(crowd):
    expected = beanjar.aggregate(crowd.labels).to_dict()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: beanjar.aggregate(crowd.labels, threads=2).to_dict(), range(8)))
    assert all(one == expected for one in found)


def program(text, *words, **more):
    """A program of its own, with what it prints."""
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(text), *words], stdout=subprocess.PIPE, text=True, **more)


#: Each takes many times as long as it has until it is stopped.
LONG = {
    "aggregate": "beanjar.aggregate(crowd.labels, threads=1)",
    "workers": "beanjar.rank_workers(crowd.labels, threads=1)",
    "glad": "crowdkit.GLAD(n_iter=10_000, tol=-1).fit(frame)",
    "mace": "crowdkit.MACE(n_iter=10_000).fit(frame)",
    "dawid-skene": "crowdkit.DawidSkene(n_iter=100_000, tol=-1).fit(frame)",
    "learn": "beanjar.SparseExperts(restarts=1000).fit(np.random.default_rng(0).normal(size=(2000, 50)), votes)",
}


@pytest.mark.parametrize("work", LONG)
def test_ctrl_c_stops_a_long_fit(work):
    text = f"""
        import numpy as np, pandas as pd, beanjar
        from beanjar import crowdkit
        crowd = beanjar.simulate.labels(tasks=60000, workers=300, votes=5, classes=5, frames="dict")
        frame = pd.DataFrame(crowd.labels)
        votes = np.random.default_rng(1).integers(2, size=(2000, 8))
        print("ready", flush=True)
        try:
            {LONG[work]}
            print("done", flush=True)
        except KeyboardInterrupt:
            print("stopped", flush=True)
    """
    with program(text) as process:
        assert process.stdout.readline() == "ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.0)
        process.send_signal(signal.SIGINT)
        signalled = time.monotonic()
        assert process.stdout.readline() == "stopped\n"
        # A step is let finish; a machine that does other work as well takes longer for it.
        assert time.monotonic() - signalled < 5
        assert process.wait(30) == 0


def test_other_threads_run_while_a_fit_is_running():
    text = """
        import threading, time, beanjar
        crowd = beanjar.simulate.labels(tasks=20000, workers=100, votes=5, classes=5, frames="dict")
        work = threading.Thread(target=beanjar.aggregate, args=(crowd.labels,), kwargs={"threads": 1})
        work.start()
        beats, longest, last = 0, 0.0, time.monotonic()
        while work.is_alive():
            time.sleep(0.001)
            now = time.monotonic()
            beats, longest, last = beats + 1, max(longest, now - last), now
        print(beats, longest)
    """
    with program(text) as process:
        beats, longest = process.stdout.read().split()
    # With the interpreter's lock held, there would be no beat while the fit is running, which takes seconds.
    assert int(beats) > 200 and float(longest) < 1.0


def test_numpy_is_all_that_is_needed(tmp_path):
    needed = [one for one in importlib.metadata.requires("beanjar") if "extra ==" not in one]
    assert [re.split("[<>=!~ ;]", one)[0] for one in needed] == ["numpy"]
    (tmp_path / "labels.csv").write_text("task,worker,label\n1,a,x\n1,b,x\n1,c,y\n2,a,y\n2,b,y\n")
    text = """
        import sys
        for other in ("pandas", "polars", "pyarrow", "scipy", "sklearn", "tqdm", "pyspark"):
            sys.modules[other] = None
        import numpy as np, beanjar
        result = beanjar.aggregate(sys.argv[1], progress=True)
        assert [row["label"] for row in result.to_dict()["tasks"]] == ["x", "y"], result.to_dict()
        assert "2 tasks" in repr(result) and "<svg" in result._repr_html_()
        X = np.random.default_rng(0).normal(size=(60, 3))
        assert beanjar.SparseExperts(penalty=1.0).fit(X, X[:, 0] > 0).predict(X).shape == (60,)
        try:
            result.to_frame()
        except ImportError as error:
            print(error)
    """
    with program(text, str(tmp_path / "labels.csv")) as process:
        assert process.stdout.read() == "a table needs pyarrow, pandas or polars: install one of them, or use to_dict()\n"
        assert process.wait(30) == 0


def test_long_work_shows_a_bar_where_tqdm_is_there():
    pytest.importorskip("tqdm")
    text = """
        import sys, beanjar
        crowd = beanjar.simulate.labels(tasks=20000, workers=100, votes=5, classes=5, frames="dict")
        beanjar.aggregate(crowd.labels, threads=1, progress=sys.argv[1] == "yes")
    """
    shown = {}
    for wanted in ("yes", "no"):
        with program(text, wanted, stderr=subprocess.PIPE) as process:
            shown[wanted] = process.communicate()[1]
            assert process.returncode == 0
    assert shown["no"] == ""
    steps = [int(share) for share in re.findall(r"(\d+)%\|", shown["yes"])]
    assert len(steps) > 2 and steps == sorted(steps) and 0 < steps[-1] <= 100, shown["yes"]


def test_errors_are_the_sentences_of_the_command_line(tmp_path):
    files = {"few.csv": "task,worker,label\n", "odd.csv": "a,b\n1,2\n", "gone.csv": None}
    for name, text in files.items():
        if text is not None:
            (tmp_path / name).write_text(text)
        file = str(tmp_path / name)
        done = subprocess.run([sys.executable, "-m", "beanjar", "aggregate", file], capture_output=True, text=True, check=False)
        with pytest.raises(beanjar.BeanjarError) as raised:
            beanjar.aggregate(file)
        assert (done.returncode, done.stderr) == (2, f"error: {raised.value}\n")


VOTES = {"task": [1, 1, 2, 2] * 50, "worker": ["a", "b"] * 100, "label": ["x", "y", "x", "x"] * 50}


def aggregated(frames, table):
    found = beanjar.aggregate(frames[table], method="majority", repeats="all", threads=1)
    return found.to_dict() if table == "dict" else (found.tasks, found.probabilities)


FITS = {
    "dict": lambda frames: aggregated(frames, "dict"),
    "pandas": lambda frames: aggregated(frames, "pandas"),
    "polars": lambda frames: aggregated(frames, "polars"),
    "crowd-kit": lambda frames: crowdkit.DawidSkene(3).fit(frames["pandas"]),
    "learn": lambda _: beanjar.SparseExperts(penalty=5.0, threads=1).fit([[0.0], [1.0], [2.0], [3.0]] * 3, [0, 0, 1, 1] * 3),
}


@pytest.mark.parametrize("kind", FITS)
def test_memory_does_not_grow_over_a_thousand_fits(kind):
    frames = {"dict": VOTES, "pandas": pd.DataFrame(VOTES), "polars": pl.DataFrame(VOTES)}

    def fits(times):
        for _ in range(times):
            FITS[kind](frames)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = fits(200)
    # In kilobytes; a leak of one table a fit would be five megabytes or more.
    assert fits(1000) - before < 4000


@pytest.mark.parametrize("searching", [True, False])
def test_the_search_for_garbage_is_left_as_it_was(crowd, searching):
    try:
        (gc.enable if searching else gc.disable)()
        beanjar.aggregate(crowd.labels, method="majority")
        with pytest.raises(beanjar.BeanjarError):
            beanjar.aggregate({})
        assert gc.isenabled() == searching
    finally:
        gc.enable()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_works_too(crowd):
    expected = beanjar.aggregate(crowd.labels).to_dict()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        same = beanjar.aggregate(crowd.labels).to_dict() == expected
        os.write(write, b"1" if same else b"0")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 1) == b"1"
