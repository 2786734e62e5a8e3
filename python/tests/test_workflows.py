"""The other workflows: the same answers as the command line, and estimators with scikit-learn's manners."""

import pickle

import numpy as np
import pytest

import beanjar

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


def test_workers_are_held_against_the_truth(crowd):
    ranking = beanjar.rank_workers(pd.DataFrame(crowd.labels), truth=pd.DataFrame(crowd.truth))
    frame = ranking.to_frame()
    truth = dict(zip(*crowd.truth.values(), strict=True))
    for worker in frame["worker"]:
        given = [(t, x) for t, w, x in zip(*crowd.labels.values(), strict=True) if w == worker]
        row = frame[frame["worker"] == worker].iloc[0]
        assert row["truth_labels"] == len(given)
        assert row["truth_accuracy"] == pytest.approx(np.mean([truth[t] == x for t, x in given]))
    assert "truth_labels" not in beanjar.rank_workers(pd.DataFrame(crowd.labels)).to_frame()


def test_a_selector_predicts_classes_of_any_number_and_takes_the_options_of_select(photos):
    judgments, truth = pd.DataFrame(photos.judgments), pd.DataFrame(photos.truth)
    height = pd.to_numeric(truth["height"])
    for cuts in (2, 3):
        classes = truth[["object"]].assign(height=pd.qcut(height, cuts, labels=False) if cuts == 2 else pd.qcut(height, 3, labels=list("abc")).astype(str))
        selector = beanjar.MultiSelector(budget=6, classes=True).fit(judgments, classes)
        found = selector.predict(judgments)
        right = np.mean(found == classes["height"].to_numpy())
        # By chance it would be one in two, or in three.
        assert set(found) <= set(classes["height"]) and right > 1 / cuts + 0.15, right
        assert selector.predict_frame(judgments)["label"].tolist() == found.tolist()
    heights = truth[["object"]].assign(height=height)
    plain = beanjar.MultiSelector(budget=6).fit(judgments, heights).selection_
    noisy = beanjar.MultiSelector(budget=6, noise_factor=3.0).fit(judgments, heights).selection_
    assert noisy.expected_loss > plain.expected_loss
    asked = beanjar.MultiSelector(budget=6, aggregate="median").fit(judgments, heights)
    assert asked.predictor_.model["aggregate"] == "median"


def test_workers_are_ranked_as_by_the_command_line(crowd, csv, command):
    printed = command("workers", csv("labels.csv", crowd.labels))
    ranking = beanjar.rank_workers(pd.DataFrame(crowd.labels))
    assert ranking.to_dict() == printed
    assert ranking.kept == [row["worker"] for row in printed["workers"] if row["kept"]]
    assert list(ranking.to_frame()["worker"]) == [row["worker"] for row in printed["workers"]]
    assert "<table>" in ranking._repr_html_()


def test_tasks_to_check_are_suggested(crowd, csv, command):
    printed = command("gold", csv("labels.csv", crowd.labels), "--n", 7)
    suggestion = beanjar.gold(pl.DataFrame(crowd.labels), 7)
    assert suggestion.to_dict() == printed
    assert isinstance(suggestion.to_frame(), pl.DataFrame) and len(suggestion.to_frame()) == 7


def test_votes_to_ask_for_are_those_of_the_command_line(crowd, csv, command):
    file = csv("labels.csv", crowd.labels)
    enough = beanjar.votes(pd.DataFrame(crowd.labels), most=6)
    assert enough.to_dict() == command("votes", file, "--most", 6)
    assert len(enough.to_frame()) == len(enough.curve)
    asked = beanjar.next(pl.DataFrame(crowd.labels), 9)
    assert asked.to_dict() == command("next", file, "--votes", 9)
    assert isinstance(asked.to_frame(), pl.DataFrame)


def test_labels_and_judgments_are_inspected(crowd, photos, csv, command):
    printed = command("inspect", csv("labels.csv", crowd.labels))
    assert beanjar.inspect(crowd.labels).to_dict() == printed
    assert beanjar.krippendorff_alpha(crowd.labels) == printed["alpha"]
    printed = command("inspect", csv("judgments.csv", photos.judgments))
    inspection = beanjar.inspect(pd.DataFrame(photos.judgments))
    assert inspection.to_dict() == printed
    assert beanjar.icc(photos.judgments) == {row["attribute"]: row["icc"] for row in printed["attributes"]}
    assert len(inspection.attributes) == 39 and "<svg" in inspection._repr_html_()


def test_a_selection_plans_fits_and_predicts(photos, csv, command, tmp_path):
    files = csv("judgments.csv", photos.judgments), csv("truth.csv", photos.truth)
    printed = command("select", files[0], "--labels", files[1], "--label", "height", "--budget", 20, "--cost", "height=4")
    judgments, truth = pd.DataFrame(photos.judgments), pd.DataFrame(photos.truth)
    selection = beanjar.select(judgments, truth, label="height", budget=20, costs={"height": 4})
    assert selection.to_dict() == printed
    assert selection.repeats == {row["attribute"]: row["judgments"] for row in printed["selection"]}
    assert selection.expected_loss == printed["cv_loss"]
    assert selection.upper_bound == printed["upper_bound"]
    assert list(selection.path["spent"])[-1] == printed["spent"]
    (tmp_path / "selection.json").write_text(selection.to_json())
    plan = command("plan", files[0], "--selection", "selection.json")
    assert selection.plan().to_dict() == plan
    assert list(selection.plan().to_frame()["ask"]) == [row["ask"] for row in plan["plan"]]
    new = selection.plan(objects=["new", "newer"]).to_frame()
    assert set(new["object"]) == {"new", "newer"} and new["ask"].sum() == 2 * sum(selection.repeats.values())
    words = ["--labels", files[1], "--label", "height", "--selection", "selection.json", "--predictor", "moments"]
    model = command("fit", files[0], *words)
    predictor = selection.fit(predictor="moments")
    assert predictor.model == model
    (tmp_path / "model.json").write_text(predictor.to_json())
    predictions = command("predict", "model.json", files[0])["predictions"]
    frame = predictor.predict(judgments)
    assert list(frame["prediction"]) == [row["prediction"] for row in predictions]
    assert "polyline" in selection._repr_html_()


def test_a_selector_is_an_estimator(photos):
    judgments, truth = pd.DataFrame(photos.judgments), pd.DataFrame(photos.truth)[["object", "height"]]
    selector = beanjar.MultiSelector(budget=10)
    predicted = selector.fit(judgments, truth).predict(judgments)
    assert predicted.shape == (60,)
    # Better than the mean, on the objects it was fitted on.
    assert np.mean((predicted - truth["height"]) ** 2) < np.var(truth["height"])
    again = pickle.loads(pickle.dumps(selector))
    assert np.array_equal(again.predict(judgments), predicted)
    assert repr(selector) == "MultiSelector(budget=10)"
    assert selector.set_params(budget=12).get_params()["budget"] == 12
    with pytest.raises(ValueError, match="no parameter 'nothing'"):
        selector.set_params(nothing=1)
    with pytest.raises(ValueError, match="not fitted"):
        beanjar.MultiSelector().predict(judgments)


@pytest.mark.parametrize(
    "method",
    ["Auto", "DawidSkene", "Majority", "Mixture", "OneCoin", "Pooled", "Skilled", "Spectral", "Wawa", "Glad", "Mace", "Mmsr", "ZeroBasedSkill"],
)
def test_methods_are_estimators(crowd, method):
    sklearn = pytest.importorskip("sklearn.base")
    frame = pd.DataFrame(crowd.labels)
    estimator = getattr(beanjar, method)(seed=3)
    copy = sklearn.clone(estimator)
    assert copy is not estimator and copy.get_params() == estimator.get_params()
    assert estimator.fit(frame) is estimator
    assert estimator.labels_.equals(copy.fit_predict(frame))
    expected = beanjar.aggregate(frame, method=estimator._method, seed=3)
    assert estimator.labels_.equals(expected.tasks)
    again = pickle.loads(pickle.dumps(estimator))
    new = frame.assign(task="new " + frame["task"])
    assert list(again.predict(new)["task"])[:2] == ["new " + task for task in list(estimator.labels_["task"])[:2]]
    shares = again.predict_proba(new).drop(columns="task").sum(axis=1)
    assert np.allclose(shares, 1)


def test_methods_of_two_classes_and_of_known_answers_are_estimators():
    crowd = beanjar.simulate.labels(tasks=80, workers=9, votes=5, classes=2, frames="pandas")
    known = crowd.truth[:30]
    for estimator, more in ((beanjar.Kos(iterations=20), ()), (beanjar.GoldMajority(), (known,))):
        fitted = pickle.loads(pickle.dumps(estimator.fit(crowd.labels, *more)))
        right = fitted.labels_.set_index("task")["label"] == crowd.truth.set_index("task")["label"]
        assert right.mean() > 0.7
        assert fitted.predict(crowd.labels)["label"].tolist() == fitted.labels_["label"].tolist() or more
    with pytest.raises(beanjar.BeanjarError, match="gold-majority needs known labels"):
        beanjar.GoldMajority().fit(crowd.labels)


def test_models_are_compared_without_truth(crowd, csv, command):
    good = crowd.truth
    bad = {"task": good["task"], "label": good["label"][1:] + good["label"][:1]}
    files = csv("good.csv", good), csv("bad.csv", bad)
    printed = command("score", *files, "--labels", csv("labels.csv", crowd.labels))
    scores = beanjar.score({"good": pd.DataFrame(good), "bad": pd.DataFrame(bad)}, crowd.labels)
    assert scores.best == "good"
    for ours, theirs in zip(scores.models, printed["models"], strict=True):
        assert {**ours, "name": ""} == {**theirs, "name": ""}


def test_simulations_are_those_of_the_command_line(tmp_path, crowd):
    import subprocess
    import sys

    words = ["simulate", "labels", "--tasks", "150", "--workers", "12", "--votes", "5", "--classes", "3", "--spammers", "0.2"]
    subprocess.run([sys.executable, "-m", "beanjar", *words, "--out", tmp_path, "--quiet"], check=True)
    assert pd.read_csv(tmp_path / "labels.csv", dtype=str).equals(pd.DataFrame(crowd.labels))
    drawn = beanjar.simulate.experts(units=50, frames="polars")
    assert isinstance(drawn.features, pl.DataFrame) and len(drawn.features) == 50
    assert "features" in repr(drawn)


@pytest.fixture(scope="module")
def experts():
    return beanjar.simulate.experts(units=120, noise_features=3, frames="pandas")


def test_features_may_be_arrays_sparse_matrices_and_frames(experts, csv, command):
    sparse = pytest.importorskip("scipy.sparse")
    columns = {name: list(experts.features[name]) for name in experts.features}
    printed = command("learn", csv("features.csv", columns), "--labels", csv("labels.csv", dict(experts.labels)), "--penalty", 5)
    X = experts.features.set_index("object")
    by_id = beanjar.SparseExperts(penalty=5).fit(X, experts.labels)
    assert by_id.result_.to_dict() == printed
    place = {unit: row for row, unit in enumerate(X.index)}
    by_number = experts.labels.assign(task=experts.labels["task"].map(place))
    array = beanjar.SparseExperts(penalty=5).fit(X.to_numpy(), by_number)
    matrix = beanjar.SparseExperts(penalty=5).fit(sparse.csr_matrix(X.to_numpy()), by_number)
    wide = experts.labels.pivot(index="task", columns="worker", values="label").reindex(X.index).to_numpy()
    table = beanjar.SparseExperts(penalty=5).fit(X.to_numpy(), wide)
    for fitted in (array, matrix, table):
        # Other ids are other random choices on the way to the same maximum.
        assert np.allclose(fitted.predict_proba(X.to_numpy()), by_id.predict_proba(X), rtol=0, atol=1e-6)
    predicted = table.predict(X.to_numpy())
    assert set(predicted) <= set(table.classes_)
    assert table.score(X.to_numpy(), experts.truth["label"]) > 0.6
    again = pickle.loads(pickle.dumps(table))
    assert np.array_equal(again.predict(X.to_numpy()), predicted)
    assert len(by_id.result_.experts) == 3 and "Learned" in by_id.result_._repr_html_()


def test_the_first_column_of_a_frame_may_name_the_units(experts):
    X = experts.features.set_index("object")
    expected = beanjar.SparseExperts(penalty=5).fit(X, experts.labels)
    mixed = experts.features.sample(frac=1, random_state=1)
    number = {unit: 7 * place for place, unit in enumerate(X.index)}
    numbered = mixed.assign(object=mixed["object"].map(number))
    given = experts.labels.rename(columns={"task": "object"}).assign(object=experts.labels["task"].map(number))
    for features, labels in ((mixed, experts.labels), (mixed.astype({"object": "category"}), experts.labels), (numbered, given)):
        found = beanjar.SparseExperts(penalty=5).fit(features, labels)
        assert list(found.feature_names_in_) == list(X.columns)
        # Other ids are other random choices on the way to the same maximum.
        assert np.allclose(found.predict_proba(features), expected.predict_proba(X.loc[mixed["object"]]), rtol=0, atol=1e-6)
    assert np.allclose(expected.predict_proba(X.reset_index(drop=True)), expected.predict_proba(X))


def test_a_plain_classifier_keeps_scikit_learns_rules():
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    found = checks.check_estimator(beanjar.SparseExperts(penalty=1.0), on_fail=None)
    failed = [one["check_name"] for one in found if one["status"] in ("failed", "xfail")]
    assert failed == []
    assert sum(one["status"] == "passed" for one in found) > 30


@pytest.fixture(scope="module")
def voted():
    """Features, the true class of each unit, and votes of four experts, some of them missing."""
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 5))
    truth = (X[:, 0] > 0).astype(int)
    votes = np.where(random.random((80, 4)) < 0.8, truth[:, None], 1 - truth[:, None]).astype(float)
    votes[random.random(votes.shape) < 0.2] = np.nan
    return X, truth, votes


def test_votes_may_be_a_frame_of_a_column_for_each_expert(voted):
    X, truth, votes = voted
    expected = beanjar.SparseExperts(penalty=2.0).fit(X, votes)
    assert list(expected.result_.experts["worker"].to_pylist()) == ["expert 1", "expert 2", "expert 3", "expert 4"]
    named = pd.DataFrame(votes, columns=["ann", "bob", "cy", "di"])
    for wide in (named, named.astype("Int64"), pl.from_pandas(named)):
        fitted = beanjar.SparseExperts(penalty=2.0).fit(X, wide)
        assert list(fitted.result_.experts["worker"]) == list(named)
        assert np.allclose(fitted.predict_proba(X), expected.predict_proba(X), atol=1e-6)
    masked = np.ma.masked_array(np.nan_to_num(votes).astype(int), mask=np.isnan(votes))
    fitted = beanjar.SparseExperts(penalty=2.0).fit(X, masked)
    assert fitted.classes_.tolist() == [0, 1] and fitted.score(X, truth) == expected.score(X, truth) > 0.9


def test_classes_are_of_the_type_of_the_labels(voted):
    X, truth, votes = voted
    rows, experts = np.nonzero(~np.isnan(votes))
    long = pd.DataFrame({"task": rows, "worker": experts, "label": votes[rows, experts].astype(int)})
    for labels in (long, pl.from_pandas(long), long.to_dict("list"), long.assign(label=long["label"].astype("category"))):
        fitted = beanjar.SparseExperts(penalty=2.0).fit(X, labels)
        assert fitted.classes_.tolist() == [0, 1] and fitted.classes_.dtype.kind == "i"
        assert fitted.score(X, truth) > 0.9
    weights = fitted.predict(X) == truth
    assert fitted.score(X, truth, sample_weight=weights) == 1.0
    days = pd.date_range("2024", periods=80)
    by_day = beanjar.SparseExperts(penalty=2.0).fit(pd.DataFrame(X, index=days), long.assign(task=days[long["task"]]))
    assert by_day.score(X, truth) > 0.9


def test_an_index_that_repeats_names_no_units(voted):
    X, truth, votes = voted
    twice = pd.DataFrame(X, index=[0] * 80)
    assert beanjar.SparseExperts(penalty=2.0).fit(twice, votes).score(twice, truth) > 0.9
    long = pd.DataFrame({"task": [0, 0, 0], "worker": list("abc"), "label": [0, 1, 1]})
    with pytest.raises(ValueError, match="two rows of X have the index 0"):
        beanjar.SparseExperts(penalty=2.0).fit(twice, long)


def test_frames_of_polars_are_features_as_those_of_pandas_are(voted):
    X, truth, votes = voted
    frame = pl.DataFrame(X, schema=list("abcde"))
    fitted = beanjar.SparseExperts(penalty=2.0).fit(frame, votes)
    assert fitted.score(frame, truth) == fitted.score(pd.DataFrame(X, columns=list("abcde")), truth) > 0.9
    # With labels by task, the first column is the unit.
    units = frame.insert_column(0, pl.Series("task", range(80)))
    rows, experts = np.nonzero(~np.isnan(votes))
    long = pl.DataFrame({"task": rows, "worker": experts, "label": votes[rows, experts].astype(int)})
    fitted = beanjar.SparseExperts(penalty=2.0).fit(units, long)
    assert fitted.score(units, truth) == fitted.score(pd.DataFrame(X, columns=list("abcde")), truth) > 0.9


def test_one_label_each_is_learned_without_words_on_experts(voted, recwarn):
    X, truth, _ = voted
    assert beanjar.SparseExperts(penalty=2.0).fit(X, truth).score(X, truth) > 0.9
    assert [str(warning.message) for warning in recwarn] == []


def test_scikit_learn_knows_whether_estimators_are_fitted(crowd):
    validation = pytest.importorskip("sklearn.utils.validation")
    for estimator in (beanjar.DawidSkene(), beanjar.MultiSelector(), beanjar.SparseExperts()):
        with pytest.raises(ValueError, match="not fitted"):
            validation.check_is_fitted(estimator)
    validation.check_is_fitted(beanjar.Majority().fit(crowd.labels))
