"""The greedy path beside numpy's pseudo-inverse per candidate, and moments beside numpy's means and X'X."""

from compare import example, machine, measure, medians, python, version

# Algorithm 1 as it is written: for each candidate a pseudo-inverse.
DIRECT = """
import json, sys, time
import numpy as np
d, budget = int(sys.argv[1]), int(sys.argv[2])
random = np.random.default_rng(0)
common = random.random((min(d + 100, 600), 1))
truth = common * np.arange(d) % 7 / 7 + random.random((len(common), d))
sigma = np.cov(truth.T)
b = np.cov(truth.T, common.T)[-1, :-1]
noise = 0.2 + np.arange(d) % 5 / 3
start = time.perf_counter()
repeats = np.zeros(d)
for _ in range(budget):
    values = np.empty(d)
    for candidate in range(d):
        repeats[candidate] += 1
        used = np.flatnonzero(repeats)
        matrix = sigma[np.ix_(used, used)] + np.diag(noise[used] / repeats[used])
        values[candidate] = b[used] @ np.linalg.pinv(matrix, hermitian=True) @ b[used]
        repeats[candidate] -= 1
    repeats[values.argmax()] += 1
print(json.dumps({"seconds": time.perf_counter() - start}))
"""

program = example("multiselect_speed")
print(f"Multi-selection, {machine()}:\n")
print("| attributes | budget | path | numpy, a pseudo-inverse per candidate | ratio |")
print("|---|---|---|---|---|")
for attributes, budget in ((48, 100), (200, 200)):
    sizes = [str(attributes), str(budget)]
    path = min(measure([program, "path", *sizes])["said"]["seconds"] for _ in range(5))
    direct = measure([*python(DIRECT), *sizes])["said"]["seconds"]
    print(f"| {attributes} | {budget} | {1000 * path:.2f} ms | {direct:.1f} s | {direct / path:,.0f} |")
large = measure([program, "path", "1000", "1000"])
print(f"| 1000 | 1000 | {1000 * large['said']['seconds']:.0f} ms | | |")
print(f"\nThe last run, with its data, moments and nearest PSD matrix: {large['wall']:.1f} s and {large['megabytes']:.0f} MB.\n")

objects, attributes, each = 100_000, 50, 2
numpy = (
    "import numpy as np, time, json; "
    f"x = np.random.default_rng(0).random(({objects}, {attributes}, {each})); "
    "start = time.perf_counter(); m = x.mean(axis=2); m -= m.mean(axis=0); c = m.T @ m; "
    "print(json.dumps({'seconds': time.perf_counter() - start}))"
)
results = medians({
    "beanjar": [program, "moments", str(objects), str(attributes), str(each)],
    f"numpy {version('numpy')}, means and X'X": python(numpy),
})
print(f"Moments of {objects * attributes * each:,} judgments ({objects:,} objects, {attributes} attributes, {each} each):\n")
print("| | seconds |")
print("|---|---|")
for name, result in results.items():
    print(f"| {name} | {result['said']['seconds']:.3f} |")
