"""EM of the many experts' model in Python, with a choice of solvers for its two regressions; for experts.py.

The model, what is maximised and the way of EM (two steps, then a leap after SQUAREM) are ours, written anew: nothing here
is shared with the Rust but the files it reads. Run by itself it prints one line of JSON.
"""

import argparse
import json
import resource
import time
import warnings

import numba
import numpy as np

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

    def size(self):
        return np.abs(self.b).sum() + np.abs(self.g).sum()


def softplus(u):
    return np.maximum(u, 0) + np.log1p(np.exp(-np.abs(u)))


def expit(u):
    return 1 / (1 + np.exp(-np.clip(u, -700, 700)))


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


# Solvers of: the smallest sum over given rows of softplus(u) - target u, plus penalty |c|_1, u = a_k + x_i c. All take the
# targets as an array of units and groups and a start (a, c).


@numba.njit(cache=True)
def descend(gram, gradient, coefficients, free, penalty, moves, rounds, tolerance):
    """Coordinate descent on a quadratic model; the first `free` coordinates bear no penalty. Returns what it lowers it by."""
    slope = gradient.copy()
    size = len(slope)
    total = 0.0
    for _ in range(rounds):
        gained = 0.0
        for j in range(size):
            bend = gram[j, j]
            if bend <= 0.0:
                continue
            here = coefficients[j] + moves[j]
            aim = here - slope[j] / bend
            bar = 0.0 if j < free else penalty / bend
            there = np.sign(aim) * max(abs(aim) - bar, 0.0)
            by = there - here
            if by != 0.0:
                gained += -slope[j] * by - 0.5 * bend * by * by
                if j >= free:
                    gained += penalty * (abs(here) - abs(there))
                moves[j] += by
                for i in range(size):
                    slope[i] += by * gram[j, i]
        total += gained
        if gained <= tolerance * total:
            break
    return total


class Newton:
    """Proximal Newton in numpy: rows of a unit summed, a Gram matrix of the working set, coordinate descent in numba."""

    name = "numpy, numba"

    def solve(self, data, which, targets, given, start, penalty, precision):
        x = data.x
        a, c = start
        u = a + (x @ c)[:, None]
        value = self.value(u, targets, given, c, penalty)
        for _ in range(100):
            p = expit(u)
            slopes, bends = given * (p - targets), given * p * (1 - p)
            slope, bend = slopes.sum(1), bends.sum(1)
            gradient = x.T @ slope
            working = np.flatnonzero((c != 0) | (np.abs(gradient) > penalty))
            xw = x[:, working] if len(working) < x.shape[1] else x
            k = len(a)
            gram = np.empty((k + len(working), k + len(working)))
            gram[:k, :k] = np.diag(bends.sum(0) + 1e-12)
            gram[:k, k:] = bends.T @ xw
            gram[k:, :k] = gram[:k, k:].T
            gram[k:, k:] = (xw * bend[:, None]).T @ xw
            all_gradients = np.concatenate([slopes.sum(0), gradient[working]])
            moves = np.zeros(k + len(working))
            here = np.concatenate([a, c[working]])
            promised = descend(gram, all_gradients, here, k, penalty, moves, 200, 1e-3)
            if promised <= 0:
                break
            share, along = 1.0, xw @ moves[k:]
            along = moves[:k] + along[:, None]
            while True:
                next_c = c.copy()
                next_c[working] += share * moves[k:]
                next_u = u + share * along
                next_value = self.value(next_u, targets, given, next_c, penalty)
                if next_value < value or share < 1e-9:
                    break
                share /= 2
            if next_value >= value:
                break
            gained = value - next_value
            a, c, u, value = a + share * moves[:k], next_c, next_u, next_value
            # Newton's next step gains far less than this one.
            if gained <= precision:
                break
        return a, c

    @staticmethod
    def value(u, targets, given, c, penalty):
        return float((given * (softplus(u) - targets * u)).sum() + penalty * np.abs(c).sum())


class Stacked:
    """What solvers of plain tables need: a row for each unit and group, and columns for the groups."""

    def __init__(self, scale):
        self.scale, self.tables = scale, {}

    def table(self, data, which, given):
        if which not in self.tables:
            unit, group = np.nonzero(given)
            groups = np.zeros((len(unit), given.shape[1]))
            groups[np.arange(len(unit)), group] = self.scale
            self.tables[which] = (np.asfortranarray(np.hstack([data.x[unit], groups])), unit, group)
        return self.tables[which]


class Skglm(Stacked):
    """skglm's ProxNewton, with a datafit of our own for soft targets and no penalty on the columns of groups."""

    name = "skglm"

    def __init__(self):
        super().__init__(1.0)
        from skglm.datafits.base import BaseDatafit
        from skglm.penalties import WeightedL1
        from skglm.solvers import ProxNewton
        from skglm.utils.jit_compilation import compiled_clone

        class SoftLogistic(BaseDatafit):
            def __init__(self):
                pass

            def get_spec(self):
                return ()

            def params_to_dict(self):
                return {}

            def raw_grad(self, y, Xw):
                return 1 / (1 + np.exp(-Xw)) - y

            def raw_hessian(self, y, Xw):
                p = 1 / (1 + np.exp(-Xw))
                return p * (1 - p)

            def value(self, y, w, Xw):
                return np.sum(np.log1p(np.exp(-np.abs(Xw))) + np.maximum(Xw, 0) - y * Xw)

            def initialize(self, X, y):
                pass

            def gradient_scalar(self, X, y, w, Xw, j):
                return X[:, j] @ self.raw_grad(y, Xw)

            def gradient(self, X, y, Xw):
                return X.T @ self.raw_grad(y, Xw)

        self.datafit = compiled_clone(SoftLogistic())
        self.make_penalty = lambda weights: compiled_clone(WeightedL1(1.0, weights))
        self.prox_newton = ProxNewton(fit_intercept=False, max_iter=100)
        self.penalties = {}

    def solve(self, data, which, targets, given, start, penalty, precision):
        table, unit, group = self.table(data, which, given)
        if which not in self.penalties:
            features = data.x.shape[1]
            self.penalties[which] = self.make_penalty(np.r_[np.ones(features), np.zeros(table.shape[1] - features)])
        a, c = start
        w = np.concatenate([c, a])
        # A gradient that is off by e costs e^2 over twice the curvature, which is at most a quarter of the rows; and there
        # are several of them.
        self.prox_newton.tol = max(np.sqrt(precision * len(unit) / 4000), 1e-6)
        self.penalties[which].alpha = penalty
        w, _, _ = self.prox_newton._solve(table, targets[unit, group], self.datafit, self.penalties[which], w, table @ w)
        return w[len(c):], w[:len(c)]


class Sklearn(Stacked):
    """scikit-learn's liblinear: soft targets as two weighted rows, the columns of groups scaled so that their penalty is
    a ten-thousandth; it cannot start from where it was. Of its other solvers only saga knows L1, is slower, and leaves only
    one intercept free of the penalty."""

    name = "scikit-learn"

    def __init__(self, tolerance=1e-5):
        super().__init__(1e4)
        self.tolerance = tolerance
        self.twice = {}

    def solve(self, data, which, targets, given, start, penalty, precision):
        from sklearn.linear_model import LogisticRegression

        table, unit, group = self.table(data, which, given)
        if which not in self.twice:
            self.twice[which] = (np.vstack([table, table]), np.r_[np.ones(len(unit)), np.zeros(len(unit))])
        both, truth = self.twice[which]
        target = targets[unit, group]
        solver = LogisticRegression(
            solver="liblinear", l1_ratio=1, C=1 / penalty, fit_intercept=False, tol=self.tolerance, max_iter=1000,
            random_state=0,
        )
        solver.fit(both, truth, sample_weight=np.r_[target, 1 - target])
        w, features = solver.coef_[0], data.x.shape[1]
        return w[features:] * self.scale, w[:features]


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


SOLVERS = {"newton": Newton, "skglm": Skglm, "sklearn": Sklearn}
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
    at_ours = [Parameters(*(fit[key] for key in ("intercept", "truth", "skills", "difficulty"))) for fit in ours["fits"]]

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
