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
    # Conjugate gradients end where slopes are below 0.01, which is not a point but a region of about that size.
    atol = 1e-2 if name == "GLAD" else 1e-6
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
