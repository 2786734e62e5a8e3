"""The package as a whole: stubs, the command line, Ctrl-C, threads, memory."""

import ast
import concurrent.futures
import gc
import importlib.metadata
import os
import pathlib
import resource
import signal
import subprocess
import sys
import textwrap

import pytest

import beanjar
from beanjar import _beanjar


def test_stubs_say_what_the_module_has():
    stub = pathlib.Path(beanjar.__file__).with_name("_beanjar.pyi")
    tree = ast.parse(stub.read_text())
    named = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    named |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    public = {name for name in dir(_beanjar) if not name.startswith("_") or name == "__version__"}
    assert named == public
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            import inspect

            found = list(inspect.signature(getattr(_beanjar, node.name)).parameters)
            assert found == [argument.arg for argument in node.args.args], node.name


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


def test_ctrl_c_stops_a_long_fit():
    program = textwrap.dedent("""
        import sys, time, beanjar
        crowd = beanjar.simulate.labels(tasks=60000, workers=300, votes=5, classes=5, frames="dict")
        print("ready", flush=True)
        started = time.monotonic()
        try:
            beanjar.aggregate(crowd.labels, threads=1)
        except KeyboardInterrupt:
            print("stopped", flush=True)
    """)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.0)
        process.send_signal(signal.SIGINT)
        # A step of the fit is let finish; what counts is that it does not go to its end.
        assert process.stdout.readline() == "stopped\n"
        assert process.wait(30) == 0


def test_memory_does_not_grow_over_a_thousand_fits():
    votes = {"task": [1, 1, 2, 2] * 50, "worker": ["a", "b"] * 100, "label": ["x", "y", "x", "x"] * 50}

    def fits(times):
        for _ in range(times):
            beanjar.aggregate(votes, method="majority", repeats="all", threads=1)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = fits(200)
    # In kilobytes; a leak of one table a fit would be twenty megabytes.
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
