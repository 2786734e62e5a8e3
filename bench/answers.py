"""Accuracy, calibration and CPU time of beanjar and crowd-kit on folders with labels.csv and truth.csv, given as arguments."""

import csv
import json
import os
import resource
import subprocess
import sys
import tempfile

from aggregate_packages import crowd_kit_python
from compare import TARGET, machine

LIMIT = int(os.environ.get("LIMIT", "60"))
OURS = ("auto", "one-coin", "dawid-skene", "majority")
THEIRS = {
    "MajorityVote": "MajorityVote()",
    "DawidSkene": "DawidSkene(n_iter=100)",
    "OneCoinDawidSkene": "OneCoinDawidSkene(n_iter=100)",
    "GLAD": "GLAD(n_iter=100)",
    "MACE": "MACE()",
    "MMSR": "MMSR()",
}

# Reads a folder, runs one class, prints its probabilities (or labels alone) as JSON.
PROGRAM = """
import json, sys, time, warnings
warnings.filterwarnings('ignore')
import pandas as pd
from crowdkit.aggregation import *
folder, out, code = sys.argv[1:]
data = pd.read_csv(folder + '/labels.csv', dtype=str).dropna()
data = data[['task', 'worker', 'label']]
begun = time.process_time()
model = eval(code)
labels = model.fit_predict(data)
seconds = time.process_time() - begun
probabilities = getattr(model, 'probas_', None)
if probabilities is None:
    rows = {task: {label: 1.0} for task, label in labels.items()}
else:
    rows = {task: row.to_dict() for task, row in probabilities.fillna(0).iterrows()}
json.dump({'seconds': seconds, 'sure': probabilities is not None, 'rows': rows}, open(out, 'w'))
"""


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT + 5, LIMIT + 10))


def theirs(folder, code):
    with tempfile.TemporaryDirectory() as place:
        out = os.path.join(place, "out.json")
        command = [crowd_kit_python(), "-c", PROGRAM, folder, out, code]
        done = subprocess.run(command, preexec_fn=limited, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode != 0 or not os.path.exists(out):
            return None
        with open(out) as file:
            return json.load(file)


def ours(folder, method):
    program = os.environ.get("BEANJAR", os.path.join(TARGET, "release", "beanjar"))
    command = [program, "aggregate", folder + "/labels.csv", "--method", method, "--format", "json", "--quiet"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": seconds, "sure": True, "rows": {t["task"]: t["probabilities"] for t in printed["tasks"]}}


def truth(folder):
    with open(folder + "/truth.csv", newline="") as file:
        rows = csv.DictReader(file)
        task = rows.fieldnames[0]
        return {row[task]: row["label"] for row in rows if row["label"]}


def graded(rows, truth):
    """Accuracy, a tie of n classes counting 1/n, and the expected calibration error in ten bins."""
    right, bins = 0.0, [[0, 0.0, 0.0] for _ in range(10)]
    known = [task for task in truth if task in rows]
    for task in known:
        most = max(rows[task].values())
        best = [label for label, p in rows[task].items() if p >= most - 1e-9]
        hit = (truth[task] in best) / len(best)
        right += hit
        cell = bins[min(int(most * 10), 9)]
        cell[0], cell[1], cell[2] = cell[0] + 1, cell[1] + hit, cell[2] + most
    error = sum(abs(hits - sure) for _, hits, sure in bins) / max(len(known), 1)
    return right / max(len(known), 1), error


def main():
    folders = sys.argv[1:]
    if not folders:
        return print("answers: no folders given; bench/answers.py FOLDER...")
    methods = [(f"beanjar {name}", lambda folder, name=name: ours(folder, name)) for name in OURS]
    methods += [(f"crowd-kit {name}", lambda folder, code=code: theirs(folder, code)) for name, code in THEIRS.items()]
    print(f"Accuracy, calibration error, CPU seconds; {machine()}; '-' took more than {LIMIT} CPU seconds or failed:\n")
    names = [os.path.basename(folder.rstrip("/")) for folder in folders]
    print("| method | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    answers = [truth(folder) for folder in folders]
    for name, run in methods:
        cells = []
        for folder, known in zip(folders, answers):
            found = run(folder)
            if found is None or found["seconds"] > LIMIT:
                cells.append("-")
                continue
            accuracy, error = graded(found["rows"], known)
            shown = [f"{accuracy:.3f}", f"{error:.3f}" if found["sure"] else "-", f"{found['seconds']:.2f} s"]
            cells.append(" ".join(text.removeprefix("0") if text.startswith("0.") and " " not in text else text for text in shown))
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


main()
