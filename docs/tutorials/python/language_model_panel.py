"""A panel of language models: what their verdicts are worth, with and without a few known answers.

The folder of a panel is the argument: labels.csv of task, worker and label, and truth.csv. Without one, a panel is
simulated in which some tasks mislead and two families of models err together.
"""

# %%
import sys

import pandas as pd

import beanjar

if len(sys.argv) > 1:
    votes, answers = (pd.read_csv(f"{sys.argv[1]}/{name}.csv", dtype=str) for name in ("labels", "truth"))
    votes.columns, answers.columns = ["item", "model", "verdict"], ["task", "label"]
else:
    panel = beanjar.simulate.labels(tasks=400, workers=9, votes=9, misleading=0.1, families=2, frames="pandas")
    votes = panel.labels.set_axis(["item", "model", "verdict"], axis=1)
    answers = panel.truth

# %% Five lines.
result = beanjar.aggregate(votes)
print("families:", result.families)
print("a task's votes are worth", result.effective_votes, "independent ones")
print(result.to_frame().head())
print(result.workers)

# %% The plain vote, auto, and auto with 50 known answers; all judged on the other tasks.
known, rest = answers.iloc[:50], answers.iloc[50:].set_index("task")["label"]


def accuracy(result):
    """The share of the other tasks whose label is the true one."""
    labels = result.to_frame().set_index("task")["label"].astype(str)
    labels = labels[labels.index.isin(rest.index)]
    return (labels == rest[labels.index]).mean()


for name, found in {
    "plain vote": beanjar.aggregate(votes, method="majority"),
    "auto": result,
    "auto, 50 known answers": beanjar.aggregate(votes, gold=known),
}.items():
    print(f"{name:24} {accuracy(found):.3f}")
