"""Choose a model without truth: features, noisy experts, and which predictions to believe."""

# %% Units with features, and three experts who err; yours would be an array and a frame of task, worker and label.
import beanjar

drawn = beanjar.simulate.experts(units=300, frames="pandas")
features = drawn.features.set_index("object")
train, test = features.index[:200], features.index[200:]
labels = drawn.labels

# %% A sparse classifier, which learns the class and the experts together; S chooses the penalty.
model = beanjar.SparseExperts().fit(features.loc[train], labels[labels["task"].isin(train)])
print("penalty:", model.penalty_)
print(model.result_.experts)

# %% Two more: the same without minding who said what, and one that looks at nothing.
majority = beanjar.SparseExperts(model="majority").fit(features.loc[train], labels[labels["task"].isin(train)])
predictions = {
    "experts": model.predict(features.loc[test]),
    "majority": majority.predict(features.loc[test]),
    "always the same": [model.classes_[0]] * len(test),
}

# %% Which to believe, by the noisy labels of units that none of them has seen?
tables = {name: {"task": list(test), "label": list(found)} for name, found in predictions.items()}
scores = beanjar.score(tables, labels[labels["task"].isin(test)])
print(scores.to_frame())
assert scores.best != "always the same"

# %% Here the truth is known, so we can look.
truth = drawn.truth.set_index("object")["label"]
for name, found in predictions.items():
    print(name, (truth[test] == found).mean())
