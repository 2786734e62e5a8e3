"""Five million labels: Dawid-Skene and majority vote beside crowd-kit, which needs older packages and has a venv of its own."""

import os

import numpy as np

from aggregate_packages import crowd_kit_python
from compare import data_folder, example, machine, medians

LABELS, TASKS, WORKERS, CLASSES, ITERATIONS = 5_000_000, 1_000_000, 2_000, 5, 10


def labels():
    path = os.path.join(data_folder(), "votes.csv")
    if not os.path.exists(path):
        random = np.random.default_rng(0)
        truth = random.integers(0, CLASSES, TASKS)
        accuracy = random.beta(7, 3, WORKERS)
        task = np.repeat(np.arange(TASKS), LABELS // TASKS)
        worker = random.integers(0, WORKERS, LABELS)
        right = random.random(LABELS) < accuracy[worker]
        wrong = (truth[task] + random.integers(1, CLASSES, LABELS)) % CLASSES
        label = np.where(right, truth[task], wrong)
        with open(path + ".part", "w") as file:
            file.write("task,worker,label\n")
            for piece in range(0, LABELS, 500_000):
                columns = [column[piece : piece + 500_000].tolist() for column in (task, worker, label)]
                file.writelines(f"t{t},w{w},c{c}\n" for t, w, c in zip(*columns))
        os.rename(path + ".part", path)
    return path


def crowd_kit(python, path, code):
    """A command that reads the file, then times the code."""
    program = f"""
import time, json, pandas as pd
from crowdkit.aggregation import DawidSkene, MajorityVote
data = pd.read_csv({path!r})
# Numbers are what it is fastest with.
data = pd.DataFrame({{name: pd.factorize(data[name])[0] for name in data}})
start, cpu = time.perf_counter(), time.process_time()
{code}
print(json.dumps({{'wall': time.perf_counter() - start, 'cpu': time.process_time() - cpu}}))
"""
    return [python, "-c", program]


path, python = labels(), crowd_kit_python()
results = medians({
    "ours": [example("aggregate_speed"), path, str(ITERATIONS)],
    "dawid_skene": crowd_kit(python, path, f"DawidSkene(n_iter={ITERATIONS}, tol=0).fit_predict(data)"),
    "majority": crowd_kit(python, path, "MajorityVote().fit_predict(data)"),
}, runs=int(os.environ.get("RUNS", "3")))
ours = results["ours"]["said"]
print(f"{LABELS:,} labels, {TASKS:,} tasks, {WORKERS:,} workers, {CLASSES} classes, {machine()}:\n")
print("| work | beanjar wall s | CPU s | crowd-kit CPU s | ratio of CPU | beanjar peak | crowd-kit peak |")
print("|---|---|---|---|---|---|---|")
for name, words in (("dawid_skene", f"Dawid-Skene, {ITERATIONS} steps"), ("majority", "majority vote")):
    theirs = results[name]
    cpu = ours[f"{name}_cpu"]
    print(
        f"| {words} | {ours[name + '_wall']:.3f} | {cpu:.2f} | {theirs['said']['cpu']:.1f} | "
        f"{theirs['said']['cpu'] / max(cpu, 0.01):.0f} | {results['ours']['megabytes']:.0f} MB | {theirs['megabytes']:.0f} MB |"
    )
print(
    f"\nOurs reads the file in {ours['read_wall']:.2f} s. One pass that only looks at the labels takes "
    f"{1000 * ours['look_wall']:.1f} ms; a step of Dawid-Skene {1000 * ours['dawid_skene_wall'] / (ITERATIONS + 2):.0f} ms "
    f"(there are {ITERATIONS + 2} passes, with the start and the last posterior). "
    f"Mutual information of all pairs of workers: {ours['information_wall']:.2f} s."
)
