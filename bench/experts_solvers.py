"""Solvers of penalised logistic regressions in Python, for the EM of experts_em.py.

Each finds the smallest sum over given rows of softplus(u) - target u, plus penalty |c|_1, u = a_k + x_i c. All take
the targets as an array of units and groups and a start (a, c).
"""

import numba
import numpy as np


def softplus(u):
    return np.maximum(u, 0) + np.log1p(np.exp(-np.abs(u)))


def expit(u):
    return 1 / (1 + np.exp(-np.clip(u, -700, 700)))


@numba.njit(cache=True)
def descend(gram, gradient, coefficients, free, penalty, moves, rounds, tolerance):
    """Coordinate descent on a quadratic model; the first `free` coordinates bear no penalty. Returns what it lowers it by."""
    slope = gradient.copy()
    size = len(slope)
    total = 0.0
    for _ in range(rounds):
        gained = 0.0
        for j in range(size):
            curvature = gram[j, j]
            if curvature <= 0.0:
                continue
            here = coefficients[j] + moves[j]
            aim = here - slope[j] / curvature
            bar = 0.0 if j < free else penalty / curvature
            there = np.sign(aim) * max(abs(aim) - bar, 0.0)
            by = there - here
            if by != 0.0:
                gained += -slope[j] * by - 0.5 * curvature * by * by
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
            slopes, curvatures = given * (p - targets), given * p * (1 - p)
            slope, curvature = slopes.sum(1), curvatures.sum(1)
            gradient = x.T @ slope
            working = np.flatnonzero((c != 0) | (np.abs(gradient) > penalty))
            xw = x[:, working] if len(working) < x.shape[1] else x
            k = len(a)
            gram = np.empty((k + len(working), k + len(working)))
            gram[:k, :k] = np.diag(curvatures.sum(0) + 1e-12)
            gram[:k, k:] = curvatures.T @ xw
            gram[k:, :k] = gram[:k, k:].T
            gram[k:, k:] = (xw * curvature[:, None]).T @ xw
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


SOLVERS = {"newton": Newton, "skglm": Skglm, "sklearn": Sklearn}
