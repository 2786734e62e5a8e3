"""``beanjar.crowdkit``: crowd-kit's numbers, from tables written out by hand and from crowd-kit itself where it is there."""

import numpy as np
import pandas as pd
import pytest

import beanjar.crowdkit as ours

VOTES = pd.DataFrame(
    [
        ("t1", "a", "cat"), ("t1", "b", "cat"), ("t1", "c", "dog"),
        ("t2", "a", "dog"), ("t2", "b", "dog"), ("t2", "c", "dog"),
        ("t3", "a", "cat"), ("t3", "b", "dog"), ("t3", "c", "cat"),
        ("t4", "c", "dog"), ("t4", "a", "dog"),
    ],
    columns=["task", "worker", "label"],
)  # fmt: skip


def test_majority_counts_and_weighs_votes():
    votes = ours.MajorityVote().fit(VOTES)
    assert votes.labels_.to_dict() == {"t1": "cat", "t2": "dog", "t3": "cat", "t4": "dog"}
    assert votes.labels_.name == "agg_label" and votes.labels_.index.name == "task"
    assert votes.probas_.loc["t1"].to_dict() == {"cat": 2 / 3, "dog": 1 / 3}
    assert votes.skills_.to_dict() == {"a": 1.0, "b": 2 / 3, "c": 3 / 4}
    skills = pd.Series({"a": 0.1, "b": 0.1, "c": 0.9})
    assert ours.MajorityVote().fit_predict(VOTES, skills)["t1"] == "dog"
    with pytest.raises(ValueError, match="Skill value is missing in 4 assignments"):
        ours.MajorityVote().fit(VOTES, skills.drop("c"))
    with pytest.raises(ValueError, match="Default skill value must be specified"):
        ours.MajorityVote(on_missing_skill="value").fit(VOTES, skills.drop("c"))
    assert ours.MajorityVote(on_missing_skill="value", default_skill=5.0).fit_predict(VOTES, skills.drop("c"))["t1"] == "dog"


@pytest.mark.parametrize("name", ["MajorityVote", "Wawa", "ZeroBasedSkill", "DawidSkene", "OneCoinDawidSkene", "MMSR"])
def test_a_missing_column_is_a_key_error(name):
    for column in VOTES:
        with pytest.raises(KeyError, match="not in index"):
            getattr(ours, name)().fit(VOTES.drop(columns=column))


def test_dawid_skene_is_em_written_out():
    """One step, in plain loops."""
    found = ours.DawidSkene(n_iter=1, tol=0).fit(VOTES)
    labels, tasks = ["cat", "dog"], ["t1", "t2", "t3", "t4"]
    p = {t: {k: (VOTES[VOTES.task == t].label == k).mean() for k in labels} for t in tasks}

    def maximise(p):
        prior = {k: np.mean([p[t][k] for t in tasks]) for k in labels}
        sums = {}
        for task, worker, label in VOTES.itertuples(index=False):
            for k in labels:
                sums.setdefault((worker, label), dict.fromkeys(labels, 0.0))[k] += p[task][k]
        for cell in sums.values():
            for k in labels:
                cell[k] = max(cell[k], 1e-10)
        all_of = {(w, k): sum(cell[k] for (v, _), cell in sums.items() if v == w) for w, _ in sums for k in labels}
        return prior, {(w, label): {k: cell[k] / all_of[w, k] for k in labels} for (w, label), cell in sums.items()}

    prior, errors = maximise(p)
    for task in tasks:
        joint = {k: prior[k] for k in labels}
        for _, worker, label in VOTES[VOTES.task == task].itertuples(index=False):
            for k in labels:
                joint[k] *= errors[worker, label][k]
        p[task] = {k: joint[k] / sum(joint.values()) for k in labels}
    prior, errors = maximise(p)
    for task in tasks:
        assert np.allclose(found.probas_.loc[task, labels], [max(p[task][k], 1e-10) for k in labels])
    assert np.allclose(found.priors_[labels], [prior[k] for k in labels])
    for cell, row in errors.items():
        assert np.allclose(found.errors_.loc[cell, labels].to_numpy(dtype=float), [row[k] for k in labels])
    assert len(found.loss_history_) == 1


def test_dawid_skene_takes_known_labels_and_first_errors():
    known = ours.DawidSkene(10).fit_predict(VOTES, true_labels=pd.Series({"t1": "dog"}))
    assert known["t1"] == "dog"
    index = pd.MultiIndex.from_product([["a", "b", "c"], ["cat", "dog"]], names=["worker", "label"])
    errors = pd.DataFrame([[9, 1], [1, 9]] * 3, index=index, columns=["cat", "dog"])
    for strategy in ("addition", "assign"):
        fitted = ours.DawidSkene(5, initial_error_strategy=strategy).fit(VOTES, initial_error=errors)
        assert fitted.labels_["t2"] == "dog"
    with pytest.raises(ValueError, match="All the workers in data should be in initial_error"):
        ours.DawidSkene(5, initial_error_strategy="assign").fit(VOTES, initial_error=errors.iloc[:2])


def test_a_known_label_that_nobody_gave_is_a_class():
    known = pd.Series({"t1": "cow", "t2": "dog", "elsewhere": "hen"})
    for steps in (0, 1, 5):
        found = ours.DawidSkene(steps).fit(VOTES, true_labels=known)
        assert found.labels_[["t1", "t2"]].tolist() == ["cow", "dog"]
        assert list(found.probas_.columns) == list(found.priors_.index) == list(found.errors_.columns) == ["cat", "dog", "cow"]
        assert found.probas_.loc["t1"].tolist() == pytest.approx([0, 0, 1], abs=1e-9)


def test_metrics_leave_out_rows_with_something_missing():
    rows = pd.concat([VOTES, VOTES[:3].assign(label=None), VOTES[:2].assign(worker=None)])
    for metric in (ours.uncertainty, ours.consistency, ours.alpha_krippendorff):
        assert metric(rows) == pytest.approx(metric(VOTES)), metric
    assert len(ours.entropy_threshold(rows, percentile=10)) < len(rows)


@pytest.mark.parametrize("name", ["MajorityVote", "DawidSkene", "OneCoinDawidSkene", "KOS", "ZeroBasedSkill", "Wawa"])
def test_empty_tables_are_no_trouble(name):
    empty = pd.DataFrame([], columns=["task", "worker", "label"])
    assert len(getattr(ours, name)().fit_predict(empty)) == 0


def test_metrics_are_those_of_their_formulas():
    # Three tasks of three: two disagree in 4 of 6 ordered pairs; 4 cats and 5 dogs disagree in 40 of 72.
    assert ours.alpha_krippendorff(VOTES[VOTES.task != "t4"]) == pytest.approx(1 - (2 / 3 * 4 / 6) / (40 / 72))
    same = pd.DataFrame({"task": ["x", "x"], "worker": ["a", "b"], "label": ["y", "y"]})
    assert ours.alpha_krippendorff(same) == 1.0
    assert ours.uncertainty(same) == 0.0
    apart = same.assign(label=["y", "n"])
    assert ours.uncertainty(apart) == pytest.approx(np.log(2))
    assert ours.consistency(same) == pytest.approx(1.0)
    assert ours.accuracy_on_aggregates(VOTES, by="worker").to_dict() == {"a": 1.0, "b": 2 / 3, "c": 3 / 4}
    assert ours.accuracy_on_aggregates(VOTES) == pytest.approx(9 / 11)
    with pytest.raises(AssertionError, match='There is no "task" column'):
        ours.uncertainty(same.drop(columns="task"))
    lazy = pd.concat([VOTES, pd.DataFrame({"task": ["t1", "t2", "t3"], "worker": "z", "label": "cat"})])
    assert "z" not in set(ours.entropy_threshold(lazy, percentile=10)["worker"])


def test_classes_are_cloned_compared_and_found_under_crowd_kits_names():
    from beanjar.crowdkit.aggregation import DawidSkene
    from beanjar.crowdkit.aggregation.utils import clone_aggregator
    from beanjar.crowdkit.metrics.data import uncertainty
    from beanjar.crowdkit.metrics.workers import accuracy_on_aggregates
    from beanjar.crowdkit.postprocessing import entropy_threshold

    assert (DawidSkene, uncertainty) == (ours.DawidSkene, ours.uncertainty)
    assert (accuracy_on_aggregates, entropy_threshold) == (ours.accuracy_on_aggregates, ours.entropy_threshold)
    fitted = DawidSkene(7).fit(VOTES)
    assert clone_aggregator(fitted) == DawidSkene(7) != fitted


@pytest.mark.parametrize(
    "values",
    [
        np.array([3, -1, 3, 7, -1]),
        np.array([5, 10**17, -(10**17), 5, 10**17]),
        np.array([2**64 - 1, 0, 2**64 - 1], dtype=np.uint64),
        np.array([True, False, True]),
        np.array([7, 7, -128], dtype=np.int8),
        np.random.default_rng(0).integers(-(2**62), 2**62, 20_000).repeat(2),
        np.array([], dtype=np.int64),
    ],
)
def test_integers_are_numbered_as_pandas_numbers_them(values):
    from beanjar.crowdkit._base import _factorize

    codes, entries = _factorize(pd.Series(values), sort=False)
    expected, uniques = pd.factorize(values)
    assert codes.tolist() == expected.tolist()
    assert entries.dtype == values.dtype and entries.tolist() == uniques.tolist()
    codes, entries = _factorize(pd.Series(values)[::-1], sort=True)
    assert entries.tolist() == sorted(set(values.tolist()))
    assert entries[codes].tolist() == values[::-1].tolist()


@pytest.mark.parametrize("kind", ["str", "string", "object", "category"])
@pytest.mark.parametrize("rows", [5, 200_000])
def test_texts_are_numbered_as_pandas_numbers_them(kind, rows, monkeypatch):
    from beanjar.crowdkit import _base

    monkeypatch.setattr(_base, "_MANY", 100)
    random = np.random.default_rng(rows)
    half = pd.Series(random.integers(1000, size=rows)).astype(str).astype(kind)
    column = pd.concat([half, pd.Series([None, "z", None], dtype=kind) if kind != "category" else half[:0], half])
    data = pd.DataFrame({"task": column, "worker": column[::-1].to_numpy(), "label": column})
    coded = _base.Coded(data, sort=("label",))
    complete = data.dropna()
    expected, entries = pd.factorize(complete["task"])
    assert coded.tasks[coded.task].astype(str).tolist() == complete["task"].astype(str).tolist()
    assert coded.task.tolist() == expected.tolist() and coded.tasks.tolist() == entries.tolist()
    assert coded.labels.tolist() == sorted(entries.tolist())
    assert coded.labels[coded.label].tolist() == complete["label"].tolist()
    assert coded.workers[coded.worker].tolist() == complete["worker"].tolist()


@pytest.mark.parametrize("kind", ["category", "string", "Int64", "object"])
def test_columns_of_all_kinds_give_the_same_answers(kind):
    numbers = VOTES.assign(task=VOTES["task"].str[1:].astype(int), label=(VOTES["label"] == "dog").astype(int))
    rows = pd.concat([numbers, numbers[:2].assign(label=pd.NA), numbers[:1].assign(task=pd.NA)]).astype(object)
    if kind == "Int64":
        rows = rows.astype({"task": "Int64", "label": "Int64"})
    elif kind == "category":
        rows = rows.astype({"task": "Int64", "label": "Int64"}).astype("category")
    elif kind == "string":
        rows = rows.astype("string")
    expected, found = (ours.DawidSkene(3).fit(table) for table in (numbers, rows))
    assert found.labels_.astype(str).tolist() == expected.labels_.astype(str).tolist()
    assert np.array_equal(found.probas_.to_numpy(), expected.probas_.to_numpy())
    assert np.array_equal(found.errors_.to_numpy(), expected.errors_.to_numpy())


@pytest.mark.parametrize("one_coin", [False, True])
@pytest.mark.parametrize("tasks", [4, 400])
def test_the_loss_is_crowd_kits_bound_written_out(one_coin, tasks):
    """With few votes per task probabilities are multiplied, with four hundred logarithms added."""
    random = np.random.default_rng(1)
    rows = pd.DataFrame({"task": np.repeat(np.arange(tasks), 1600 // tasks), "worker": np.tile(np.arange(16), 100)})
    rows["label"] = np.where(random.random(1600) < 0.6, rows["task"] % 3, random.integers(3, size=1600))
    known = {} if one_coin else {"true_labels": pd.Series({0: 1, 3: 2})}
    found = (ours.OneCoinDawidSkene if one_coin else ours.DawidSkene)(4, tol=-1).fit(rows, **known)
    p = found.probas_.to_numpy()
    errors = np.array([found.errors_.loc[cell].to_numpy(dtype=float) for cell in zip(rows["worker"], rows["label"], strict=True)])
    bound = (p[rows["task"]] * (np.log(errors) + np.log(found.priors_.to_numpy()))).sum() - (p * np.log(p)).sum()
    assert len(found.loss_history_) == 4
    assert found.loss_history_[-1] == pytest.approx(bound / 1600, abs=1e-9)
    if known:
        assert found.probas_.loc[0].tolist() == [1e-10, 1.0, 1e-10]
        assert found.labels_[0] == 1 and found.labels_[3] == 2


def test_steps_of_glad_on_frames_are_those_of_the_fit():
    votes = VOTES.assign(label=VOTES["label"].where(VOTES["task"] != "t3", "cow"))
    glad = ours.GLAD(n_iter=0).fit(votes)
    steps = ours.GLAD()
    steps._init(votes)
    data = steps._e_step(steps._join_all(votes, steps.alphas_, steps.betas_, steps.priors_))
    pd.testing.assert_frame_equal(steps.probas_, glad.probas_)
    steps._current_data = data
    start = np.concatenate([steps.alphas_.to_numpy(), steps.betas_.to_numpy()])

    def at(x):
        steps._update_alphas_betas(*steps._get_alphas_betas_by_point(x))
        return steps._compute_Q(steps._current_data)

    slopes = [(at(start + by) - at(start - by)) / 2e-5 for by in 1e-5 * np.eye(len(start))]
    at(start)
    of_workers, of_tasks = steps._gradient_Q(steps._current_data)
    assert np.allclose([*of_workers[steps.workers_], *of_tasks[steps.tasks_]], slopes, atol=1e-6)


def tied_votes(seed):
    """Two or three workers who vote on every task, at random: there are ties, and workers who cannot be distinguished."""
    random = np.random.default_rng(seed)
    tasks, workers, classes = int(random.integers(2, 9)), int(random.integers(2, 4)), int(random.integers(2, 4))
    rows = [(f"t{task}", f"w{worker}", f"c{random.integers(classes)}") for task in range(tasks) for worker in range(workers)]
    return pd.DataFrame(rows, columns=["task", "worker", "label"])


#: In all but the first two, SciPy's first line search ends where the next direction leads nowhere, and it begins a second one.
TIED = [0, 1, 2, 11, 24, 35, 47, 81]


@pytest.mark.parametrize("seed", TIED)
def test_a_step_of_glad_goes_where_scipys_conjugate_gradients_go(seed):
    optimize = pytest.importorskip("scipy.optimize")
    votes = tied_votes(seed)
    steps = ours.GLAD()
    steps._init(votes)
    steps._current_data = steps._e_step(steps._join_all(votes, steps.alphas_, steps.betas_, steps.priors_))

    def at(x):
        steps._update_alphas_betas(*steps._get_alphas_betas_by_point(x))
        of_workers, of_tasks = steps._gradient_Q(steps._current_data)
        return -steps._compute_Q(steps._current_data), -np.array([*of_workers[steps.workers_], *of_tasks[steps.tasks_]])

    start = np.ones(len(steps.workers_) + len(steps.tasks_))
    expected = optimize.minimize(at, start, jac=True, method="CG", tol=1e-2, options={"maxiter": 25}).x
    found = ours.GLAD(n_iter=1).fit(votes)
    assert np.allclose([*found.alphas_[steps.workers_], *found.betas_[steps.tasks_]], expected, rtol=0, atol=1e-9)


def test_helpers_are_there_under_crowd_kits_names():
    from beanjar.crowdkit.aggregation import utils

    several = pd.Series(["cat", "dog", "cat"], index=["t1", "t1", "t3"])
    assert utils.get_accuracy(VOTES, several, by="worker").to_dict() == {"a": 1.0, "b": 0.5, "c": 1.0}
    assert utils.get_accuracy(VOTES, several, by="true_label").to_dict() == {"cat": 0.8, "dog": 1.0}
    weighted = VOTES.assign(weight=[2, 1, 1] + [1] * 8)
    assert utils.get_accuracy(weighted, pd.Series({"t1": "cat"})) == 0.75
    with pytest.raises(KeyError):
        ours.uncertainty(VOTES, compute_by="hour")
    truth = pd.DataFrame({"label": ["cat", "dog"]}, index=pd.Index(["t1", "t2"], name="task"))
    found = ours.MajorityVote().fit_predict(VOTES[VOTES["task"] < "t3"]).to_frame("label")
    assert utils.evaluate(truth, found, utils.evaluate_equal) == 1.0
    assert utils.evaluate(truth.assign(label=[["dog"], ["dog", "cat"]]), found) == 0.5
    assert utils.manage_data(VOTES)[["weight", "skill"]].eq(1).all().all()
    values, codes = utils.factorize(np.array([["b", "a"], ["a", "c"]]))
    assert values.tolist() == ["a", "b", "c"] and codes.tolist() == [[1, 0], [0, 2]]


def simulated(classes, seed, votes=4):
    import beanjar

    drawn = beanjar.simulate.labels(tasks=40, workers=9, votes=votes, classes=classes, spammers=0.2, seed=seed, frames="pandas")
    rows = drawn.labels.sample(frac=1, random_state=seed).reset_index(drop=True)
    return rows.assign(label=rows["label"].str[1:].astype(int)) if seed % 2 else rows


#: crowd-kit would take minutes to its end.
SHORT = {"GLAD": {"n_iter": 3}, "MACE": {"n_iter": 5, "n_restarts": 2}}


CASES = [(2, 0), (2, 1), (3, 2), (4, 3)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("classes", "seed"), CASES)
@pytest.mark.parametrize("name", ["MajorityVote", "DawidSkene", "OneCoinDawidSkene", "GLAD", "MACE", "KOS", "MMSR"])
def test_numbers_are_those_of_crowd_kit(name, classes, seed):
    theirs = pytest.importorskip("crowdkit.aggregation")
    if name == "KOS" and classes > 2:
        pytest.skip("for two classes only")
    data = simulated(classes, seed)
    one, other = (getattr(package, name)(**SHORT.get(name, {})) for package in (ours, theirs))
    found, expected = one.fit_predict(data.copy()), other.fit_predict(data.copy())
    shares = getattr(one, "probas_", pd.DataFrame({0: 1.0}, index=found.index)).rename_axis("task").sort_index()
    # Which of two equals comes first is a matter of the version of pandas in crowd-kit; here it is the first when sorted.
    top = np.sort(shares.to_numpy(), axis=1)
    clear = np.ones(len(top), dtype=bool) if top.shape[1] == 1 else top[:, -1] - top[:, -2] > 1e-9
    pd.testing.assert_series_equal(found.sort_index()[clear], expected.sort_index()[clear])
    # Each step of GLAD goes in 25 directions that follow from one another, and rounding in the last digit grows in them: to
    # 5e-12 after one step, 6e-10 after two, 2e-6 after three.
    atol = 1e-5 if name == "GLAD" else 1e-6
    for attribute in ("probas_", "errors_", "priors_", "skills_", "alphas_", "betas_", "scores_"):
        if hasattr(other, attribute) and (clear.all() or (name, attribute) != ("MajorityVote", "skills_")):
            a, b = (getattr(model, attribute).sort_index() for model in (one, other))
            if isinstance(b, pd.DataFrame):
                pd.testing.assert_frame_equal(a.sort_index(axis=1), b.sort_index(axis=1), rtol=1e-6, atol=atol)
            else:
                pd.testing.assert_series_equal(a, b, rtol=1e-6, atol=atol)
    if hasattr(other, "loss_history_"):
        assert np.allclose(one.loss_history_, other.loss_history_, rtol=1e-4, atol=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", TIED)
def test_glad_is_that_of_crowd_kit_where_votes_are_tied(seed):
    theirs = pytest.importorskip("crowdkit.aggregation")
    one, other = (package.GLAD(n_iter=3).fit(tied_votes(seed)) for package in (ours, theirs))
    for attribute in ("alphas_", "betas_", "probas_"):
        assert np.allclose(getattr(one, attribute).sort_index(), getattr(other, attribute).sort_index(), rtol=0, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_metrics_are_those_of_crowd_kit():
    data = pytest.importorskip("crowdkit.metrics.data")
    # Five votes for two classes are never tied.
    votes = simulated(2, 2, votes=5)
    skills = pd.Series(np.linspace(0.4, 0.9, 9), index=sorted(set(votes["worker"])))
    assert ours.alpha_krippendorff(votes) == pytest.approx(data.alpha_krippendorff(votes))
    assert ours.uncertainty(votes, skills) == pytest.approx(data.uncertainty(votes, skills))
    for by in ("task", "worker"):
        pd.testing.assert_series_equal(
            ours.uncertainty(votes, skills, compute_by=by, aggregate=False), data.uncertainty(votes, skills, compute_by=by, aggregate=False)
        )
    theirs = pytest.importorskip("crowdkit.aggregation")
    assert ours.consistency(votes, skills, ours.MajorityVote()) == pytest.approx(data.consistency(votes, skills, theirs.MajorityVote()))


def test_numbers_that_are_not_aligned_are_read():
    bytes_ = b"x" + np.array([0, 0, 1, 1], dtype=np.int64).tobytes()
    tasks = np.frombuffer(bytes_, dtype=np.int64, offset=1)
    assert not tasks.flags.aligned
    frame = pd.DataFrame({"task": pd.Series(tasks, copy=False), "worker": [0, 1, 0, 1], "label": [1, 1, 0, 0]})
    assert ours.MajorityVote().fit_predict(frame).to_dict() == {0: 1, 1: 0}
