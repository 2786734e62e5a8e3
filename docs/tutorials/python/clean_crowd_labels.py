"""Clean crowd labels: the best label of each task, how sure, and which workers to drop."""

# %% Labels of a crowd in which some guess; yours would be a frame of task, worker and label.
import beanjar

crowd = beanjar.simulate.labels(tasks=400, workers=30, votes=5, classes=4, random=6, frames="pandas")
print(crowd.labels.head())

# %% Do they agree at all?
print("alpha:", beanjar.krippendorff_alpha(crowd.labels))

# %% Who is who? No truth is needed.
ranking = beanjar.rank_workers(crowd.labels)
print(ranking.to_frame()[["worker", "labels", "accuracy", "verdict"]].tail(8))

# %% The labels, each with its probability.
result = beanjar.aggregate(crowd.labels)
print(result.to_frame().head())

# %% What did that gain over the plain vote?
truth = crowd.truth.set_index("task")["label"]


def accuracy(result):
    """The share of tasks whose label is the true one."""
    labels = result.to_frame().set_index("task")["label"]
    return (labels == truth[labels.index]).mean()


majority = beanjar.aggregate(crowd.labels, method="majority")
print("plain vote:", accuracy(majority), " auto:", accuracy(result))
assert accuracy(result) >= accuracy(majority)

# %% A few known answers make it better, and these are the ones to ask for.
to_check = beanjar.gold(crowd.labels, 20).to_frame()["task"]
with_gold = beanjar.aggregate(crowd.labels, gold=truth[to_check])
print("with 20 known answers:", accuracy(with_gold))
