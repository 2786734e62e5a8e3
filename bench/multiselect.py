"""The greedy path beside a pseudo-inverse per candidate, and moments beside numpy's means and X'X."""

from compare import example, machine, measure, medians, python, version

program = example("multiselect_speed")
print(f"Multi-selection, {machine()}:\n")
print("| attributes | budget | path | pseudo-inverse per candidate | ratio |")
print("|---|---|---|---|---|")
for attributes, budget in ((48, 100), (200, 200)):
    sizes = [str(attributes), str(budget)]
    path = min(measure([program, "path", *sizes])["said"]["seconds"] for _ in range(5))
    direct = measure([program, "direct", *sizes])["said"]["seconds"]
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
