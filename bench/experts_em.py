"""EM of the many experts' model in Python, with a choice of solvers for its two regressions; for experts.py.

The model, what is maximised and the way of EM (two steps, then a leap after SQUAREM) are ours, written anew: nothing here
is shared with the Rust but the files it reads. Run by itself it prints one line of JSON.
"""

import argparse
import json
import resource
import time
import warnings

import numpy as np

from experts_solvers import SOLVERS, expit, softplus

FARTHEST = 30.0


# The model.


class Data:
    """Standardised features, and labels as an array of units and experts; `given` is 0 where there is none."""

    def __init__(self, x, labels, given):
        self.mean, self.deviation = x.mean(0), x.std(0)
        self.x = np.asfortranarray((x - self.mean) / self.deviation)
        self.labels, self.given = labels * given, given
        self.sign = (2 * labels - 1) * given

    @staticmethod
    def read(folder, experts):
        """Of the files that 'beanjar simulate experts' writes, experts in the order of these names."""
        with open(f"{folder}/features.csv") as file:
            next(file)
            rows = [line.rstrip("\n").split(",") for line in file]
        unit = {row[0]: i for i, row in enumerate(rows)}
        x = np.array([row[1:] for row in rows], float)
        number = {name: k for k, name in enumerate(experts)}
        labels, given = np.zeros((len(rows), len(experts))), np.zeros((len(rows), len(experts)))
        with open(f"{folder}/labels.csv") as file:
            next(file)
            for line in file:
                task, worker, label = line.rstrip("\n").split(",")
                labels[unit[task], number[worker]] = int(label)
                given[unit[task], number[worker]] = 1
        return Data(x, labels, given)


class Parameters:
    """b0, b, a and g, for standardised features."""

    def __init__(self, intercept, truth, skills, difficulty):
        self.b0, self.b, self.a, self.g = float(intercept), np.array(truth), np.array(skills), np.array(difficulty)

    @staticmethod
    def standardised(data, fit):
        """Of a fit whose coefficients are for features on the user's scale."""
        truth, difficulty = np.array(fit["truth"]), np.array(fit["difficulty"])
        intercept, skills = fit["intercept"] + truth @ data.mean, np.array(fit["skills"]) + difficulty @ data.mean
        return Parameters(intercept, truth * data.deviation, skills, difficulty * data.deviation)

    def size(self):
        return np.abs(self.b).sum() + np.abs(self.g).sum()


def expectation(data, at):
    """The log-odds of Z = 1 of each unit by features and labels, and the log-likelihood of all labels."""
    prior = at.b0 + data.x @ at.b
    right = at.a + (data.x @ at.g)[:, None]
    odds = prior + (data.sign * right).sum(1)
    # ln P(Z = 1) P(y | Z = 1); and P(y) is that over P(Z = 1 | y).
    true = -softplus(-prior) - (data.given * softplus(-right) + (data.given - data.labels) * right).sum(1)
    return odds, float((true + softplus(-odds)).sum())


def objective(data, at, penalty):
    return expectation(data, at)[1] - penalty * at.size()


# EM.


class Climb:
    """EM on its way up, at one penalty."""

    def __init__(self, data, solver, penalty, tolerance, z, start=None, leaps=True):
        self.data, self.solver, self.penalty, self.tolerance, self.leaps = data, solver, penalty, tolerance, leaps
        features, experts = data.x.shape[1], data.labels.shape[1]
        self.z = z
        self.at = start or Parameters(0, np.zeros(features), np.zeros(experts), np.zeros(features))
        self.objective, self.likelihood, self.gain, self.steps, self.converged = -np.inf, -np.inf, np.inf, 0, False

    def step(self):
        data, z, at = self.data, self.z, self.at
        precision = 0.05 * abs(self.gain) if np.isfinite(self.gain) else 1e-2
        precision = max(precision, 1e-3 * self.tolerance * abs(self.objective) if self.steps else 0)
        some = (data.given.sum(1, keepdims=True) > 0).astype(float)
        a, b = self.solver.solve(data, "class", z[:, None], some, (np.array([at.b0]), at.b), self.penalty, precision)
        rights = data.given * (1 - z[:, None]) + data.labels * (2 * z[:, None] - 1)
        skills, g = self.solver.solve(data, "right", rights, data.given, (at.a, at.g), self.penalty, precision)
        self.at = Parameters(a[0], b, skills, g)
        odds, self.likelihood = expectation(data, self.at)
        self.odds = np.clip(odds, -FARTHEST, FARTHEST)
        self.z = expit(odds)
        now = self.likelihood - self.penalty * self.at.size()
        self.gain, self.objective = now - self.objective, now
        self.steps += 1

    def leap(self, start, once, twice):
        first, second = once - start, twice - 2 * once + start
        with np.errstate(all="ignore"):
            far = np.sqrt((first**2).sum() / (second**2).sum())
        if not np.isfinite(far) or far <= 1:
            return
        before = (self.z, self.odds, self.at, self.objective, self.likelihood, self.gain)
        self.z = expit(np.clip(start + 2 * far * first + far * far * second, -FARTHEST, FARTHEST))
        self.step()
        if self.objective < before[3]:
            self.z, self.odds, self.at, self.objective, self.likelihood, self.gain = before

    def run(self, most, deadline=np.inf):
        while self.steps < most and not self.converged and time.process_time() < deadline:
            before = self.objective
            if self.leaps:
                with np.errstate(divide="ignore"):
                    start = np.clip(np.log(self.z / (1 - self.z)), -FARTHEST, FARTHEST)
                self.step()
                once = self.odds
                self.step()
                self.leap(start, once, self.odds)
            else:
                self.step()
            self.converged = self.objective - before <= self.tolerance * abs(self.objective)
        return self


def shares(data):
    count = data.given.sum(1)
    return np.where(count > 0, data.labels.sum(1) / np.maximum(count, 1), 0.5)


def random_starts(data, solver, penalty, restarts, seed):
    """Posteriors of parameters drawn around the logistic fit of the majority, as in the paper."""
    features, experts = data.x.shape[1], data.labels.shape[1]
    some = (data.given.sum(1, keepdims=True) > 0).astype(float)
    a, b = solver.solve(data, "class", shares(data)[:, None], some, (np.zeros(1), np.zeros(features)), penalty, 1e-3)
    random = np.random.default_rng(seed)
    for _ in range(restarts):
        draw = random.standard_normal
        at = Parameters(a[0] + draw(), b + draw(features), draw(experts), draw(features))
        yield expit(expectation(data, at)[0])


def spread(count):
    """The numbers from 1 to count - 1, any first part of which is spread evenly."""
    return sorted(range(1, count), key=lambda i: (i * 0.6180339887498949) % 1)


SHORT, PROMISING, MOST = 15, 3, 20_000


def warm(solver):
    """Lets what compiles itself do so, on data of the same shape of types."""
    random = np.random.default_rng(0)
    data = Data(random.standard_normal((40, 4)), (random.random((40, 3)) < 0.5).astype(float), np.ones((40, 3)))
    Climb(data, solver, 1.0, 1e-6, shares(data)).run(6)
    for cache in ("tables", "penalties", "twice"):
        getattr(solver, cache, {}).clear()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("ours", help="the JSON of experts_speed on the same files")
    parser.add_argument("--solver", choices=SOLVERS, default="newton")
    parser.add_argument("--restarts", type=int, default=30)
    parser.add_argument("--tolerance", type=float, default=1e-9)
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds for starts, and again for the path")
    parser.add_argument("--plain", action="store_true", help="no leaps, and each start to its end: the paper's EM")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with open(options.ours) as file:
        ours = json.load(file)
    data, solver = Data.read(options.folder, ours["experts"]), SOLVERS[options.solver]()
    warm(solver)
    penalties = ours["penalties"]
    at_ours = [Parameters.standardised(data, fit) for fit in ours["fits"]]

    def climb(i, z, start=None):
        return Climb(data, solver, penalties[i], options.tolerance, z, start, not options.plain)

    short, promising = (MOST, 1) if options.plain else (SHORT, PROMISING)
    begin = time.process_time()
    done, starts = [], options.restarts + 1
    for z in [shares(data), *random_starts(data, solver, penalties[0], options.restarts, 0)]:
        done.append(climb(0, z).run(short, begin + options.limit))
        if time.process_time() - begin > options.limit / 2:
            break
    # A fit that the limit cut off counts as none, and its time as that of those that ended.
    ended = max(sum(one.converged or one.steps >= short for one in done), 1)
    first, short_starts = (time.process_time() - begin) * starts / ended, ended
    begin = time.process_time()
    followed = [one.run(MOST, begin + options.limit / 2) for one in sorted(done, key=lambda one: -one.objective)[:promising]]
    first += time.process_time() - begin
    best = max(followed, key=lambda climb: climb.objective)

    # Without a limit each penalty goes on from the one before. With one, penalties spread over the path are fitted, each
    # from our fit at the one before, so that the mean is that of the whole path.
    found, path, limited = {0: best}, 0.0, np.isfinite(options.limit)
    for i in spread(len(penalties)) if limited else range(1, len(penalties)):
        start = at_ours[i - 1] if limited else found[i - 1].at
        begin = time.process_time()
        found[i] = climb(i, expit(expectation(data, start)[0]), start).run(MOST, begin + options.limit - path)
        path += time.process_time() - begin
        if path > options.limit:
            break
    fitted = len(found) - 1
    path *= (len(penalties) - 1) / max(fitted, 1)
    relative = {i: one.objective / ours["objectives"][i] - 1 for i, one in found.items()}
    check = [objective(data, at, penalty) / value - 1 for at, penalty, value in zip(at_ours, penalties, ours["objectives"])]
    print(json.dumps({
        "seconds": first + path, "first": first, "path": path, "starts": int(short_starts), "of_starts": starts,
        "fitted": fitted, "of_penalties": len(penalties) - 1, "steps": sum(one.steps for one in found.values()),
        # Objectives are below zero: a ratio above 1 is lower.
        "ours_higher": max(relative.values()), "theirs_higher": -min(relative.values()),
        "ours_evaluated": max(map(abs, check)),
        "unfinished": sum(not one.converged for one in found.values()),
        "nonzero": [int((one.at.b != 0).sum() + (one.at.g != 0).sum()) for _, one in sorted(found.items())],
        "differences": {i: -value for i, value in sorted(relative.items())},
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }))


if __name__ == "__main__":
    main()
