"""``beanjar.crowdkit`` beside crowd-kit itself, in one process each: CPU seconds and seconds of ``fit``, from frames of pandas.

    bench/drop_in.py [FOLDER]     FOLDER has labels.csv (task,worker,label), for GLAD and MACE

Not in bench/run: crowd-kit takes long. The package is built as a release into crowd-kit's venv first. GLAD takes the same
steps in both; crowd-kit's takes a few (PART, 3), and its time is scaled to the steps that ours took. What crowd-kit does not
finish within LIMIT seconds (600) is given as that and more. METHODS says which to run: DawidSkene,GLAD,MACE.
"""

import os
import subprocess
import sys

from aggregate_packages import crowd_kit_python
from compare import HERE

PROGRAM = """
import sys, time
import numpy as np, pandas as pd
package, method, data, steps = sys.argv[1:]
if data == "large":
    random = np.random.default_rng(0)
    tasks, workers, classes, votes = 1_000_000, 5_000, 4, 5
    task = np.repeat(np.arange(tasks), votes)
    truth = random.integers(classes, size=tasks)
    worker = random.integers(workers, size=tasks * votes)
    skill = random.uniform(0.4, 0.95, size=workers)
    right = random.random(tasks * votes) < skill[worker]
    label = np.where(right, truth[task], random.integers(classes, size=tasks * votes))
    frame = pd.DataFrame({"task": task, "worker": worker, "label": label})
else:
    frame = pd.read_csv(f"{data}/labels.csv", dtype=str)
module = __import__("beanjar.crowdkit" if package == "beanjar" else "crowdkit.aggregation", fromlist=["x"])
model = getattr(module, method)(**({"n_iter": int(steps)} if steps else {}))
started, clock = time.process_time(), time.perf_counter()
model.fit(frame)
steps = len(getattr(model, "loss_history_", [])) or "-"
print(time.process_time() - started, time.perf_counter() - clock, steps, sep="\\t")
"""


def run(python, package, method, data, limit, steps=""):
    """CPU seconds, seconds and steps of a fit."""
    words = [python, "-W", "ignore", "-c", PROGRAM, package, method, data, str(steps)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=limit, check=True)
    except subprocess.TimeoutExpired:
        return None
    cpu, seconds, steps = done.stdout.split("\t")
    return float(cpu), float(seconds), steps.strip()


def main():
    """Prints a line for each method."""
    python = crowd_kit_python()
    root = os.path.dirname(HERE)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", root], check=True)
    limit, part = float(os.environ.get("LIMIT", "600")), int(os.environ.get("PART", "3"))
    wanted = os.environ.get("METHODS", "DawidSkene,GLAD,MACE").split(",")
    cases = [("DawidSkene", "large")] + [(method, sys.argv[1]) for method in ("GLAD", "MACE") if len(sys.argv) > 1]
    print(f"{'method':12}{'data':32}{'beanjar':>10}{'crowd-kit':>18}{'times':>8}  CPU seconds; the same in seconds")
    for method, data in cases:
        if method not in wanted:
            continue
        ours = run(python, "beanjar", method, data, limit)
        steps = min(part, int(ours[2])) if method == "GLAD" else ""
        theirs = run(python, "crowd-kit", method, data, limit, steps)
        more, theirs = ("more than ", (limit, limit)) if theirs is None else ("", theirs[:2])
        scale = int(ours[2]) / steps if steps and not more else 1
        line = f"{method:12}{data:32}"
        for mine, other in zip(ours[:2], theirs, strict=True):
            line += f"{mine:10.2f}{more + format(scale * other, '.1f'):>18}{scale * other / mine:8.0f}"
        print(line + (f"  scaled from {steps} of {ours[2]} steps" if scale > 1 else ""), flush=True)


if __name__ == "__main__":
    main()
