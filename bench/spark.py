"""beanjar.spark on a cluster of this machine: time of a step, CPU time, memory, and what a second executor gains.

    python bench/spark.py [--labels N] [--workers N] [--classes N] [--steps N] [--data DIR] [--only PART ...]

Parts, all of them if none is named: data (labels by `beanjar simulate labels --parts`, five a task, into Parquet), two and one
(Dawid-Skene on as many executors of 1.5 GB, each with one core of the machine for all that it does), single (the same in one
process, on fewer labels: see --single).
With --data, labels and figures are kept there, and a part that is run later is compared with those that were run before.
Times are wall clock and CPU seconds of one run: ratios within a run are what to compare.
Needs pyspark, Java, a wheel of beanjar built with --release, and some 5 bytes of disk a label.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python" / "tests"))
import cluster

VOTES = 5
LABELS_IN_A_FILE = 5_000_000
PARTS = ("data", "two", "one", "single")


def simulate(folder, labels, workers, classes):
    """Labels in files of their own, of which the command holds one at a time."""
    files = -(-labels // LABELS_IN_A_FILE)
    command = [
        sys.executable, "-m", "beanjar", "simulate", "labels", f"--tasks={labels // VOTES}", f"--workers={workers}",
        f"--classes={classes}", f"--votes={VOTES}", f"--parts={files}", "--as=parquet", "--quiet", f"--out={folder}",
    ]  # fmt: skip
    start = time.perf_counter()
    used = measured(command)
    size = sum(file.stat().st_size for file in (folder / "labels").iterdir())
    return {"seconds": time.perf_counter() - start, "bytes": size, **used}


def measured(command):
    """Runs a command; its CPU seconds and its peak memory."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {status}")
    return {"cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * 1024}


class Usage:
    """Peak memory and CPU seconds of the executors, their Python processes and the driver, looked at every quarter second."""

    def __init__(self, application):
        self.application, self.peak, self.cpu = application, {}, {}
        self.lock, self.done = threading.Lock(), threading.Event()
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while not self.done.wait(0.25):
            self.look()

    def look(self):
        parents, used = {}, {}
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError, IndexError):
                    fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                    parents[int(entry.name)] = int(fields[1])
                    used[int(entry.name)] = (int(fields[21]) * 4096, (int(fields[11]) + int(fields[12])) / 100)
        executors = cluster.executors(self.application)
        totals = {}
        with self.lock:
            for process, (memory, seconds) in used.items():
                line = [process]
                while line[-1] and line[-1] not in executors and line[-1] != os.getpid():
                    line.append(parents.get(line[-1], 0))
                top = line[-1]
                # The cluster's own master and workers are children of this process as well.
                mine = top == os.getpid() and (process == top or b"SparkSubmit" in command_of(process))
                if top in executors or mine:
                    where = "driver" if mine else "executor"
                    kind = f"{where} {'Python' if (process == top) == mine else 'JVM'}"
                    totals[top, kind] = totals.get((top, kind), 0) + memory
                    self.cpu[process] = (where, seconds)
            for (_, kind), memory in totals.items():
                self.peak[kind] = max(self.peak.get(kind, 0), memory)

    def seconds(self):
        """CPU seconds up to now, of executors and driver."""
        self.look()
        with self.lock:
            return {where: sum(s for w, s in self.cpu.values() if w == where) for where in ("executor", "driver")}


def command_of(process):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


class Clock:
    """Wall clock and CPU seconds of named pieces."""

    def __init__(self, usage):
        self.usage, self.pieces = usage, {}

    @contextlib.contextmanager
    def piece(self, name):
        before, cpu = time.perf_counter(), self.usage.seconds()
        yield
        seconds, after = time.perf_counter() - before, self.usage.seconds()
        spent = {where: after[where] - cpu[where] for where in after}
        self.pieces.setdefault(name, []).append((seconds, spent["executor"], spent["driver"]))

    def median(self, name):
        pieces = sorted(self.pieces[name])
        return pieces[len(pieces) // 2]


def fit(executors, path, steps, partitions):
    from beanjar import spark as bs
    from beanjar.spark import _executors, _partitions

    with cluster.cluster(executors, "1536m", pinned=True) as (master, home):
        session = cluster.session(master, home, memory="1536m")
        usage = Usage(session.sparkContext.applicationId)
        clock, kept = Clock(usage), []
        plain_keep, plain_sum = _partitions.Partitions.keep, _partitions.Partitions.sum

        def timed_keep(self):
            kept.append(self)
            with clock.piece("coding"):
                plain_keep(self)

        def timed_sum(self, *asked):
            with clock.piece("pass"):
                return plain_sum(self, *asked)

        _partitions.Partitions.keep, _partitions.Partitions.sum = timed_keep, timed_sum
        with clock.piece("all"):
            found = bs.aggregate(path, method="dawid-skene", iterations=steps, on_driver=0, partitions=partitions)
            with clock.piece("answers"):
                tasks = sum(row["count"] for row in found.tasks.groupBy("label").count().collect())
        _partitions.Partitions.keep, _partitions.Partitions.sum = plain_keep, plain_sum
        # As Spark reads by itself, and with a few blocks at a time as a pass does.
        reading = kept[0].coded.select("leaf", "votes").mapInArrow(_executors.count, "rows long")
        for name, read in (("read", lambda frame: frame.collect()), ("few", kept[0].collect)):
            for _ in range(3):
                with clock.piece(name):
                    read(reading)
        usage.done.set()
        # The first pass is an overview and the last counts right labels; in between are the start and the steps.
        clock.pieces["step"] = clock.pieces.pop("pass")[2:-1]
        figures = {name: clock.median(name) for name in clock.pieces}
        figures.update(tasks=tasks, partitions=1 << found._partitions.bits, peak=usage.peak, all_steps=clock.pieces["step"])
        session.stop()
    return figures


SINGLE = """
import sys, time, warnings, beanjar, pyarrow.parquet as pq
warnings.simplefilter("ignore")
before = time.process_time()
table = pq.read_table(sys.argv[1:-1])
beanjar.aggregate(table, method="dawid-skene", iterations=int(sys.argv[-1]), threads=2).tasks
"""


def single(folder, labels, steps, most):
    """CPU seconds of a step of the single process: two fits that differ in their steps alone, the median of three runs each."""
    files = sorted((folder / "labels").iterdir())[: max(1, most // LABELS_IN_A_FILE)]
    runs = {2: [], 2 + steps: []}
    for _ in range(3):
        for number, found in runs.items():
            found.append(measured([sys.executable, "-c", SINGLE, *map(str, files), str(number)]))
    few, many = (sorted(found, key=lambda run: run["cpu"])[1] for found in runs.values())
    rows = min(labels, len(files) * LABELS_IN_A_FILE)
    return {"labels": rows, "step": (many["cpu"] - few["cpu"]) / steps, "all": many["cpu"], "peak": many["peak"]}


def summary(given, figures):
    """The figures that there are, as lines."""
    labels = given.labels
    if made := figures.get("data"):
        yield f"{labels:,} labels, {given.workers:,} workers, {given.classes} classes: {made['bytes'] / 1e9:.2f} GB of Parquet,"
        yield f"  made in {made['seconds']:.0f} s ({made['cpu']:.0f} CPU s) with {made['peak'] / 1e6:.0f} MB of memory"
    for name, executors in (("two", "2 executors"), ("one", "1 executor")):
        if found := figures.get(name):
            (step, cpu, driver), read, all_of_it = found["step"], found["read"], found["all"]
            yield f"{executors}, {found['partitions']} partitions: all {all_of_it[0]:.0f} s, of which"
            yield f"  coding {found['coding'][0]:.0f} s, {given.steps} steps {sum(s[0] for s in found['all_steps']):.0f} s, labels of {found['tasks']:,} tasks {found['answers'][0]:.0f} s"
            yield f"  a step {step:.2f} s ({cpu:.2f} CPU s, driver {driver:.2f}), a bare read {read[0]:.2f} s ({read[1]:.2f} CPU s): {step / read[0]:.2f} times"
            few = found["few"][0]
            yield f"  a bare read a few blocks at a time {few:.2f} s: {step / few:.2f} times"
            peaks = ", ".join(f"{kind} {memory / 1e6:.0f} MB" for kind, memory in sorted(found["peak"].items()))
            yield f"  peak memory: {peaks}"
    if {"one", "two"} <= figures.keys():
        gain = {of: figures["one"][of][0] / figures["two"][of][0] for of in ("step", "all")}
        yield f"from one executor to two: a step {gain['step']:.2f} times faster, all {gain['all']:.2f} times"
    if (alone := figures.get("single")) and (two := figures.get("two")):
        own, all_own = alone["step"] / alone["labels"] * 1e9, alone["all"] / alone["labels"] * 1e9
        spark, all_spark = sum(two["step"][1:]) / labels * 1e9, sum(two["all"][1:]) / labels * 1e9
        yield f"CPU ns a label and step: {spark:.1f} on the cluster, {own:.1f} in one process of {alone['labels']:,} labels: {spark / own:.2f} times"
        yield f"CPU ns a label in all: {all_spark:.0f} on the cluster, {all_own:.0f} in one process, {alone['peak'] / 1e6:.0f} MB: {all_spark / all_own:.2f} times"


def main():
    import beanjar

    warnings.simplefilter("ignore", beanjar.BeanjarWarning)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=int, default=20_000_000)
    parser.add_argument("--workers", type=int, default=100_000)
    parser.add_argument("--classes", type=int, default=5)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--partitions", type=int)
    parser.add_argument("--single", type=int, default=10_000_000, help="labels for the single process, which holds them in memory")
    parser.add_argument("--data", type=pathlib.Path, help="a folder that is kept")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    given = parser.parse_args()
    folder = given.data or pathlib.Path(tempfile.mkdtemp(prefix="beanjar-bench-"))
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "figures.json"
    figures = json.loads(kept.read_text()) if kept.exists() else {}
    path = folder / "labels"
    run = {
        "data": lambda: figures["data"] if path.exists() else simulate(folder, given.labels, given.workers, given.classes),
        "two": lambda: fit(2, str(path), given.steps, given.partitions),
        "one": lambda: fit(1, str(path), given.steps, given.partitions),
        "single": lambda: single(folder, given.labels, given.steps, given.single),
    }
    try:
        for part in PARTS:
            if part in given.only:
                figures[part] = run[part]()
                kept.write_text(json.dumps(figures))
        print("\n".join(summary(given, figures)))
    finally:
        if given.data is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
