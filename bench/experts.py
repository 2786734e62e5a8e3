"""Learning from experts: ours beside the paper's EM in Python, along a path of penalties; and a large set, ours alone.

`bench/run experts`; with FULL=1 Python does the whole path instead of a part of it, LARGE=units,features sets the size of
the large set, and LARGE=0 leaves it out. DENSE=units,features,classes,workers sets the size of the set with dense features,
on which scikit-learn's regression in the same EM, and on the majority's labels, stands beside ours; DENSE=0 leaves it out.
"""

import json
import os
import statistics
import subprocess
import sys

import numpy as np

from compare import HERE, TARGET, data_folder, example, machine, measure

UNITS, NOISE, PENALTIES, RESTARTS = 1_500, 50, 50, 30
RUNS = int(os.environ.get("RUNS", "3"))
FULL = os.environ.get("FULL", "") not in ("", "0")
# Seconds that the paper's EM may take for the starts, and again for the path.
LIMIT = float(os.environ.get("LIMIT", "60"))
LARGE = [int(size) for size in os.environ.get("LARGE", "100000,1000").split(",")]
DENSE = [int(size) for size in os.environ.get("DENSE", "1000,512,8,59").split(",")]
DENSE_PENALTY = 100
EXPERTS, LABELS_EACH, REAL, DIFFICULT, NONZERO = 20, 5, 50, 10, 0.05
# On coefficients of the large set, times the root of the number of units: about a hundred features enter.
LARGE_PENALTY = 1.4

# Name, what EM may stop at, and whether it is the paper's EM, each start to its end; else it leaps and prunes starts.
VARIANTS = {
    "sklearn": ("Python, EM with scikit-learn (liblinear)", 1e-9, True),
    "skglm": ("Python, EM with skglm", 1e-9, True),
    "newton": ("Python, EM with numba, SQUAREM, 3 of 31 starts followed", 1e-9, False),
}


def beanjar():
    return os.path.join(TARGET, "release", "beanjar")


def venv_python():
    """The interpreter of a venv with the solvers."""
    folder = os.path.join(HERE, ".venv-experts")
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        packages = ["scikit-learn==1.9.*", "skglm==0.5.*", "numba==0.68.*", "numpy==2.4.*", "scipy==1.17.*"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)
    return python


def simulated(case):
    folder = os.path.join(data_folder(), f"experts-{case}-{UNITS}-{NOISE}")
    if not os.path.exists(os.path.join(folder, "labels.csv")):
        command = [beanjar(), "simulate", "experts", "--units", str(UNITS), "--noise-features", str(NOISE)]
        subprocess.run([*command, "--case", case, "--seed", "0", "--out", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


def path_of(case, python):
    """Ours and theirs in turn; of each number the median."""
    folder = simulated(case)
    ours_file = os.path.join(folder, "ours.json")
    ours, theirs = [], {name: [] for name in VARIANTS}
    command = [example("experts_speed"), *(os.path.join(folder, name) for name in ("features.csv", "labels.csv"))]
    for run in range(RUNS):
        ours.append(measure([*command, str(PENALTIES), str(RESTARTS)])["said"])
        with open(ours_file, "w") as file:
            json.dump(ours[-1], file)
        for name, (_, tolerance, plain) in VARIANTS.items():
            if plain and run > 0:
                continue
            options = ["--solver", name, "--restarts", str(RESTARTS), "--tolerance", str(tolerance)]
            if plain:
                options += ["--plain", *([] if FULL else ["--limit", str(LIMIT)])]
            theirs[name].append(measure([python, os.path.join(HERE, "experts_em.py"), folder, ours_file, *options])["said"])

    def median(runs, key):
        return statistics.median(run[key] for run in runs)

    largest, first, path = (median(ours, key) for key in ("largest_seconds", "first_seconds", "path_seconds"))
    # They are given the largest penalty, which we found.
    total = statistics.median(run["first_seconds"] + run["path_seconds"] for run in ours)
    print(f"| {case} | beanjar | {first:.2f} | {path:.2f} | {total:.2f} | 1 | {median(ours, 'peak_megabytes'):.0f} MB | | |")
    for name, runs in theirs.items():
        said = runs[-1]
        part = said["starts"] < said["of_starts"] or said["fitted"] < said["of_penalties"]
        seconds = median(runs, "seconds")
        print(
            f"| {case} | {VARIANTS[name][0]}{' *' if part else ''} | {median(runs, 'first'):.2f} | {median(runs, 'path'):.2f} | "
            f"{seconds:.2f} | {seconds / total:.1f} | {median(runs, 'peak_megabytes'):.0f} MB | "
            f"{max(said['ours_higher'], 0):.1e} | {max(said['theirs_higher'], 0):.1e} |"
        )
    fastest = min(theirs, key=lambda name: median(theirs[name], "seconds"))
    notes = [
        f"Case {case}: to find the largest penalty, which Python is given, took us {largest:.2f} s more. The fastest in Python is {VARIANTS[fastest][0].removeprefix('Python, ')}, "
        f"{median(theirs[fastest], 'seconds') / total:.1f} times our time. Our objectives, computed anew in Python at our "
        f"coefficients, differ by at most {max(run['ours_evaluated'] for runs in theirs.values() for run in runs):.0e} of themselves."
    ]
    for name in ("sklearn", "skglm"):
        said = theirs[name][0]
        if said["starts"] == said["of_starts"] and said["fitted"] == said["of_penalties"]:
            continue
        notes.append(
            f"* {name}: measured for {said['starts']} of {said['of_starts']} starts and {said['fitted']} of {said['of_penalties']} "
            "later penalties, spread over the path and each begun at our fit of the one before, and scaled; FULL=1 does all."
        )
    unfinished = {VARIANTS[name][0]: runs[-1]["unfinished"] for name, runs in theirs.items() if runs[-1]["unfinished"]}
    notes += [f"{name}: {count} fits stopped short of the end, so the time is at least that." for name, count in unfinished.items()]
    return notes


def large_set(units, features):
    """Sparse features and the labels of many experts, by the model."""
    folder = os.path.join(data_folder(), f"experts-large-{units}-{features}")
    files = [os.path.join(folder, name) for name in ("features.csv", "labels.csv")]
    if all(map(os.path.exists, files)):
        return files
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(0)
    real = random.choice(features, min(REAL, features // 2), replace=False)
    b = random.choice([-1, 1], len(real)) * random.uniform(0.15, 0.4, len(real))
    g = np.where(np.arange(len(real)) < DIFFICULT, random.choice([-1, 1], len(real)) * 0.2, 0.0)
    skills = random.normal(1.0, 0.6, EXPERTS)
    # A value is 0, or 0.5 and more; this is its mean and deviation.
    mean = NONZERO * (0.5 + np.sqrt(2 / np.pi))
    deviation = np.sqrt(NONZERO * (0.25 + np.sqrt(2 / np.pi) + 1) - mean**2)
    with open(files[0] + ".part", "w") as table, open(files[1] + ".part", "w") as labels:
        table.write("unit," + ",".join(f"x{j}" for j in range(features)) + "\n")
        labels.write("task,worker,label\n")
        for begin in range(0, units, 1_000):
            count = min(1_000, units - begin)
            x = np.where(random.random((count, features)) < NONZERO, 0.5 + np.abs(random.standard_normal((count, features))), 0)
            x = np.round(x, 3)
            standard = (x[:, real] - mean) / deviation
            truth = random.random(count) < 1 / (1 + np.exp(-(standard @ b)))
            for i in range(count):
                row = ["0"] * features
                for j in np.flatnonzero(x[i]):
                    row[j] = f"{x[i, j]:.3f}"
                table.write(f"u{begin + i}," + ",".join(row) + "\n")
                for k in random.choice(EXPERTS, LABELS_EACH, replace=False):
                    right = random.random() < 1 / (1 + np.exp(-(skills[k] + standard[i] @ g)))
                    labels.write(f"u{begin + i},e{k},{int(truth[i] == right)}\n")
    for file in files:
        os.rename(file + ".part", file)
    return files


def large(units, features):
    files = large_set(units, features)
    penalty = LARGE_PENALTY * np.sqrt(units)
    out = os.path.join(os.path.dirname(files[0]), "model.json")
    command = [beanjar(), "learn", files[0], "--labels", files[1], "--penalty", f"{penalty:.4g}", "--out", out]
    took = measure(command)
    with open(out) as file:
        model = json.load(file)
    entered = {name: sum(row[name] != 0 for row in model["features"]) for name in ("truth", "difficulty")}
    print(
        f"\n{units:,} units, {features:,} features of which {100 * NONZERO:.0f} in a hundred are not zero, {EXPERTS} experts, "
        f"{LABELS_EACH} labels a unit, a file of {os.path.getsize(files[0]) / 1e6:.0f} MB, penalty {penalty:.4g}: "
        f"`beanjar learn` took {took['wall']:.1f} s (CPU {took['cpu']:.1f} s) and {took['megabytes']:.0f} MB at its peak; "
        f"{entered['truth']} features entered for the class and {entered['difficulty']} for difficulty, "
        f"{model['iterations']} steps, {'converged' if model['converged'] else 'not converged'}."
    )


SKLEARN_MAJORITY = """
import csv, json, resource, sys
import numpy as np
from sklearn.linear_model import LogisticRegressionCV
rows = list(csv.reader(open(sys.argv[1])))[1:]
x = {row[0]: np.array(row[1:], float) for row in rows}
votes = {}
for task, worker, label in list(csv.reader(open(sys.argv[2])))[1:]:
    votes.setdefault(task, []).append(label)
tasks = sorted(votes)
y = [max(sorted(set(votes[t])), key=votes[t].count) for t in tasks]
x = np.array([x[t] for t in tasks])
x = (x - x.mean(0)) / x.std(0)
cpu = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
begin = cpu()
LogisticRegressionCV(Cs=17, cv=5, max_iter=1000).fit(x, y)
print(json.dumps({"seconds": cpu() - begin}))
"""


def dense(units, features, classes, workers, python):
    """Dense features: ours from the files to the model, and scikit-learn's l2 regression on the majority's labels."""
    folder = os.path.join(data_folder(), f"experts-dense-{units}-{features}-{classes}-{workers}")
    files = [os.path.join(folder, name) for name in ("features.csv", "labels.csv")]
    if not all(map(os.path.exists, files)):
        sizes = ["--units", str(units), "--features", str(features), "--classes", str(classes), "--workers", str(workers)]
        subprocess.run([beanjar(), "simulate", "embeddings", *sizes, "--out", folder], check=True, stdout=subprocess.DEVNULL)
    print(f"\n{units:,} units, {features:,} dense features, {classes} classes, {workers} annotators, default flags:\n")
    print("| program | CPU s | peak |\n|---|---|---|")
    out = os.path.join(folder, "model.json")
    for flags in ([], ["--penalty-kind", "l2"], ["--model", "majority"], ["--model", "majority", "--penalty-kind", "l2"]):
        took = measure([beanjar(), "learn", files[0], "--labels", files[1], "--out", out, *flags])
        print(f"| beanjar learn {' '.join(flags)} | {took['cpu']:.1f} | {took['megabytes']:.0f} MB |")
    # One penalty, one start, a skill each and all units equally easy: the same maximum, by our steps and by EM.
    same = ["--penalty", str(DENSE_PENALTY), "--penalty-kind", "l2", "--restarts", "0", "--experts", "skill"]
    ours = measure([beanjar(), "learn", *files[:1], "--labels", files[1], "--out", out, *same, "--penalty-difficulty", "1e9", "--threads", "1"])
    with open(out) as file:
        objective = json.load(file)["objective"]
    print(f"| beanjar learn, one penalty and no restarts, one thread, files read | {ours['cpu']:.1f} | {ours['megabytes']:.0f} MB |")
    script = os.path.join(HERE, "experts_dense_em.py")
    theirs = measure([python, script, *files, str(DENSE_PENALTY), "1e-6"])["said"]
    print(
        f"| the same EM with scikit-learn, from the votes, files read before ({theirs['steps']} steps; ratio {theirs['seconds'] / ours['cpu']:.1f}; "
        f"objective {theirs['objective']:.2f}, ours {objective:.2f}) | {theirs['seconds']:.1f} | |"
    )
    said = measure([python, "-c", SKLEARN_MAJORITY, *files])["said"]
    print(f"| scikit-learn, LogisticRegressionCV (l2, 17 penalties, 5 folds) on the majority's labels | {said['seconds']:.1f} | |")


def main():
    # One thread each.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = "1"
    python = venv_python()
    print(
        f"{UNITS:,} units, {NOISE + 5} features, 3 experts (the paper's simulated sets), {PENALTIES} penalties, {RESTARTS} random "
        f"starts at the first, one thread, seconds of CPU, {machine()}:\n"
    )
    print("| case | program | first penalty s | the other penalties s | together s | ratio | peak | ours higher by | theirs higher by |")
    print("|---|---|---|---|---|---|---|---|---|")
    notes = [note for case in ("i", "ii") for note in path_of(case, python)]
    print("\n" + "\n".join(notes))
    print("The last columns are the largest differences of objectives at a penalty, as shares of them.")
    if LARGE[0] > 0:
        large(*LARGE)
    if DENSE[0] > 0:
        dense(*DENSE, python)


main()
