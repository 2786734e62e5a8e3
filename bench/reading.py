"""Ten million labels from CSV into a grouped table, beside polars and pandas."""

import os

import numpy as np

from compare import data_folder, example, machine, medians, python, version

ROWS, TASKS, WORKERS, CLASSES = 10_000_000, 1_000_000, 10_000, 5


def labels():
    path = os.path.join(data_folder(), "labels.csv")
    if not os.path.exists(path):
        random = np.random.default_rng(0)
        with open(path + ".part", "w") as file:
            file.write("task,worker,label\n")
            for _ in range(10):
                columns = [random.integers(0, n, ROWS // 10).tolist() for n in (TASKS, WORKERS, CLASSES)]
                file.writelines(f"t{t},w{w},c{c}\n" for t, w, c in zip(*columns))
        os.rename(path + ".part", path)
    return path


path = labels()
timed = "import time, json; start = time.perf_counter(); {}; print(json.dumps({{'read_seconds': time.perf_counter() - start}}))"
categories = "{name: pl.Categorical for name in ('task', 'worker', 'label')}"
results = medians({
    "beanjar": [example("read_and_alpha"), path],
    f"polars {version('polars')}, categoricals": python(
        "import polars as pl; " + timed.format(f"pl.read_csv({path!r}, schema_overrides={categories})")
    ),
    f"polars {version('polars')}, strings": python("import polars as pl; " + timed.format(f"pl.read_csv({path!r})")),
    f"pandas {version('pandas')}, categories": python(
        "import pandas as pd; " + timed.format(f"pd.read_csv({path!r}, dtype='category')")
    ),
})
ours = results["beanjar"]["said"]["read_seconds"]
print(f"Reading {ROWS:,} rows of task,worker,label ({TASKS:,} tasks in random order), {machine()}:\n")
print("| reader | seconds | times ours | peak memory |")
print("|---|---|---|---|")
for name, result in results.items():
    seconds = result["said"]["read_seconds"]
    print(f"| {name} | {seconds:.2f} | {seconds / ours:.1f} | {result['megabytes']:.0f} MB |")
print(f"\nAlpha and all that inspect says of them: {results['beanjar']['said']['alpha_cpu_seconds']:.2f} CPU seconds.")
