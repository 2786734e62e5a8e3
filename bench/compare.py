"""Runs programs in processes of their own and tells what each took."""

import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(HERE, "..", "target"))


def example(name):
    """The path of one of our example programs, built for release."""
    return os.path.join(TARGET, "release", "examples", name)


def data_folder():
    """Where made data are kept between runs."""
    folder = os.path.join(tempfile.gettempdir(), "beanjar-bench")
    os.makedirs(folder, exist_ok=True)
    return folder


def measure(command):
    """Wall and CPU seconds and peak megabytes of a command, and the JSON it prints on its last line."""
    read, write = os.pipe()
    start = os.times()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)])
    os.close(write)
    with os.fdopen(read) as pipe:
        printed = pipe.read()
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed")
    return {
        "wall": os.times().elapsed - start.elapsed,
        "cpu": usage.ru_utime + usage.ru_stime,
        "megabytes": usage.ru_maxrss / 1024,
        "said": json.loads(printed.strip().splitlines()[-1]) if printed.strip() else {},
    }


def python(code):
    """A command that runs this code in the interpreter that runs us."""
    return [sys.executable, "-c", code]


def medians(commands, runs=3):
    """Runs all commands in turn, several times, and takes the median of each number."""
    results = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            results[name].append(measure(command))
    middle = {}
    for name, measured in results.items():
        middle[name] = {key: statistics.median(run[key] for run in measured) for key in ("wall", "cpu", "megabytes")}
        said = measured[0]["said"]
        middle[name]["said"] = {
            key: statistics.median(run["said"][key] for run in measured) for key, v in said.items() if isinstance(v, (int, float))
        }
    return middle


def machine():
    """The machine in a few words."""
    model = "unknown processor"
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as info:
            model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), model)
    return f"{os.cpu_count()} cores of {model}"


def version(package):
    return subprocess.run(
        [sys.executable, "-c", f"import importlib.metadata as m; print(m.version('{package}'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()
