"""EM of the many experts' model with several classes and dense features, with scikit-learn's regression; for experts.py.

One penalty of kind l2, one start (the shares of the votes), experts with a skill each and all units equally easy. Nothing is
shared with the Rust but the files. skglm has no loss for more than two classes. Prints one line of JSON.
"""

import csv
import json
import resource
import sys
import warnings

import numpy as np
from scipy.special import log_softmax, logsumexp
from sklearn.linear_model import LogisticRegression

features, labels, penalty, tolerance = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
with open(labels) as file:
    votes = list(csv.reader(file))[1:]
with open(features) as file:
    rows = {row[0]: row[1:] for row in list(csv.reader(file))[1:]}
units, workers, classes = (sorted({vote[at] for vote in votes}) for at in range(3))
number = [{name: at for at, name in enumerate(names)} for names in (units, workers, classes)]
unit, worker, label = (np.array([number[at][vote[at]] for vote in votes]) for at in range(3))
x = np.array([rows[name] for name in units], float)
x = (x - x.mean(0)) / x.std(0)
n, k = len(units), len(classes)
others = np.log(k - 1)
warnings.simplefilter("ignore")


def seconds():
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


begin = seconds()
shares = np.zeros((n, k))
np.add.at(shares, (unit, label), 1.0)
shares /= shares.sum(1, keepdims=True)
model = LogisticRegression(C=1 / penalty, tol=1e-4, max_iter=500, warm_start=True)
twice, target = np.tile(x, (k, 1)), np.repeat(np.arange(k), n)
objective, steps = -np.inf, 0
while True:
    # M: a regression on soft labels, each class a row with its share as weight; and each expert's share of right labels.
    model.fit(twice, target, sample_weight=shares.T.ravel() + 1e-12)
    right = np.bincount(worker, shares[unit, label], len(workers)) / np.bincount(worker, minlength=len(workers))
    right = np.clip(right, 1e-9, 1 - 1e-9)
    # E.
    prior = log_softmax(x @ model.coef_.T + model.intercept_, axis=1)
    joint = prior.copy()
    np.add.at(joint, unit, (np.log1p(-right[worker]) - others)[:, None])
    np.add.at(joint, (unit, label), np.log(right[worker]) - np.log1p(-right[worker]) + others)
    likelihood = logsumexp(joint, axis=1)
    shares = np.exp(joint - likelihood[:, None])
    last, objective = objective, likelihood.sum() - penalty / 2 * (model.coef_**2).sum()
    steps += 1
    if objective - last <= tolerance * abs(objective) or steps == 500:
        break
print(json.dumps({"seconds": seconds() - begin, "objective": objective, "steps": steps}))
