"""beanjar.spark on a cluster of this machine: time of a step, memory, and what a second executor gains.

    python bench/spark.py [--labels N] [--workers N] [--classes N] [--steps N] [--folder DIR]

Labels are made part by part into Parquet, five a task. Times are wall clock and CPU seconds of one run; ratios within the run
are what to compare. Needs pyspark, Java, a wheel of beanjar built with --release, and about 12 bytes of disk a label.
"""

import argparse
import contextlib
import pathlib
import resource
import shutil
import sys
import tempfile
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python" / "tests"))
import cluster

VOTES = 5


def simulate(folder, labels, workers, classes, rows_in_a_part=5_000_000):
    """One coin a worker: right with .55 to .95, else any other class. No more than a part is held in memory."""
    skill = np.random.default_rng(0).uniform(0.55, 0.95, workers)
    names = pa.array([f"worker{number:06d}" for number in range(workers)])
    given = pa.array([f"class {number}" for number in range(classes)])
    for part, first in enumerate(range(0, labels, rows_in_a_part)):
        rows = min(rows_in_a_part, labels - first)
        random = np.random.default_rng(part + 1)
        task = (first + np.arange(rows)) // VOTES
        truth = (task * 2_654_435_761 >> 7) % classes
        worker = random.integers(0, workers, rows)
        wrong = (truth + random.integers(1, classes, rows)) % classes
        label = np.where(random.random(rows) < skill[worker], truth, wrong)
        table = pa.table(
            {
                "task": pa.array(task).cast(pa.string()),
                "worker": pa.DictionaryArray.from_arrays(pa.array(worker, pa.int32()), names),
                "label": pa.DictionaryArray.from_arrays(pa.array(label, pa.int32()), given),
            }
        )
        pq.write_table(table, folder / f"part-{part:05d}.parquet", compression="zstd", row_group_size=1 << 20)


class Usage:
    """Peak memory and CPU seconds of the executors, their Python processes and this one, looked at every quarter second."""

    def __init__(self, application):
        self.application, self.peak, self.cpu = application, {}, {}
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

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
        for process, (memory, seconds) in used.items():
            above = process
            while above and above not in executors:
                above = parents.get(above, 0)
            if above:
                kind = "executor JVM" if process == above else "executor Python"
                totals[above, kind] = totals.get((above, kind), 0) + memory
                self.cpu[process] = seconds
        for (_, kind), memory in totals.items():
            self.peak[kind] = max(self.peak.get(kind, 0), memory)

    def cpu_seconds(self):
        self.look()
        return sum(self.cpu.values())


def fit(session, path, steps, partitions):
    from beanjar import spark as bs
    from beanjar.spark import _executors, _partitions

    usage = Usage(session.sparkContext.applicationId)
    passes, clock = [], time.perf_counter
    plain = _partitions.Partitions.sum
    states = {}

    def timed(self, request):
        states["partitions"] = self
        if not passes:
            # The first use of the coded partitions makes them; that is not a step.
            self.coded.count()
            states["coded"] = clock()
        before, cpu = clock(), usage.cpu_seconds()
        answer = plain(self, request)
        passes.append((clock() - before, usage.cpu_seconds() - cpu))
        return answer

    _partitions.Partitions.sum = timed
    start = clock()
    try:
        found = bs.aggregate(path, method="dawid-skene", iterations=steps, on_driver=0, partitions=partitions)
    finally:
        _partitions.Partitions.sum = plain
    fitted = clock()
    coded = states["partitions"].coded
    reads = []
    for _ in range(3):
        before, cpu = clock(), usage.cpu_seconds()
        coded.select("leaf", "votes").mapInArrow(_executors.count, "rows long").collect()
        reads.append((clock() - before, usage.cpu_seconds() - cpu))
    before = clock()
    tasks = found.tasks.groupBy("label").count().collect()
    written = clock() - before
    usage.done.set()
    # The first pass is an overview and the last counts right labels; in between are the start and the steps.
    steps = sorted(passes[2:-1])
    found.unpersist()
    return {
        "coding": states["coded"] - start,
        "fit": fitted - states["coded"],
        "step": steps[len(steps) // 2],
        "read": sorted(reads)[1],
        "answers": written,
        "tasks": sum(row["count"] for row in tasks),
        "partitions": coded.rdd.getNumPartitions(),
        "peak": usage.peak,
        "driver": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def single(path, labels, steps, most):
    """CPU seconds of a step of the single process: two fits that differ in their steps alone."""
    import beanjar

    files = sorted(path.glob("*.parquet"))
    table = pa.concat_tables(pq.read_table(file) for file in files[: max(1, most // 5_000_000)]).slice(0, most)
    del labels
    seconds = {}
    for number in (2, 2 + steps):
        before = time.process_time()
        with contextlib.suppress(Warning):
            beanjar.aggregate(table, method="dawid-skene", iterations=number, threads=2)
        seconds[number] = time.process_time() - before
    return table.num_rows, (seconds[2 + steps] - seconds[2]) / steps


def main():
    import warnings

    import beanjar

    warnings.simplefilter("ignore", beanjar.BeanjarWarning)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=int, default=20_000_000)
    parser.add_argument("--workers", type=int, default=100_000)
    parser.add_argument("--classes", type=int, default=5)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--partitions", type=int)
    parser.add_argument("--single", type=int, default=10_000_000, help="labels for the single process, which holds them in memory")
    parser.add_argument("--executors", type=int, nargs="+", default=[2, 1])
    parser.add_argument("--folder", type=pathlib.Path)
    given = parser.parse_args()
    folder = given.folder or pathlib.Path(tempfile.mkdtemp(prefix="beanjar-bench-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        path = folder / f"labels-{given.labels}.parquet"
        if not path.exists():
            path.mkdir()
            simulate(path, given.labels, given.workers, given.classes)
        size = sum(file.stat().st_size for file in path.iterdir())
        print(f"{given.labels:,} labels, {given.workers:,} workers, {given.classes} classes; {size / 1e9:.2f} GB of Parquet")
        steps = {}
        for executors in given.executors:
            with cluster.cluster(executors, "1536m") as (master, home):
                session = cluster.session(master, home, memory="1536m")
                found = fit(session, str(path), given.steps, given.partitions)
                session.stop()
            steps[executors] = found["step"][0]
            (step, cpu), (read, read_cpu) = found["step"], found["read"]
            print(f"{executors} executor(s), {found['partitions']} partitions: coding {found['coding']:.1f} s, fit {found['fit']:.1f} s,")
            print(f"  a step {step:.2f} s ({cpu:.2f} CPU s), a bare read {read:.2f} s ({read_cpu:.2f} CPU s): {step / read:.2f} times")
            print(f"  labels of {found['tasks']:,} tasks {found['answers']:.1f} s")
            peaks = ", ".join(f"{kind} {memory / 1e6:.0f} MB" for kind, memory in sorted(found["peak"].items()))
            print(f"  peak memory: {peaks}, driver's Python {found['driver'] / 1e6:.0f} MB", flush=True)
            steps[executors, "cpu"] = cpu
        if {1, 2} <= steps.keys():
            print(f"from one executor to two: {steps[1] / steps[2]:.2f} times faster")
        if given.single:
            rows, seconds = single(path, given.labels, given.steps, min(given.single, given.labels))
            own, spark = seconds / rows * 1e9, steps[given.executors[0], "cpu"] / given.labels * 1e9
            print(f"a step of the single process on {rows:,} labels: {seconds:.2f} CPU s")
            print(f"CPU ns a label: {spark:.1f} on the executors, {own:.1f} single: {spark / own:.2f} times")
    finally:
        if given.folder is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
