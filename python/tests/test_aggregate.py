"""``beanjar.aggregate``: the same answers as the command line, for every kind of table."""

import pickle

import pytest

import beanjar

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table, "dict": dict}


@pytest.mark.parametrize("method", ["auto", "majority", "dawid-skene", "one-coin"])
def test_answers_are_those_of_the_command_line_to_the_last_bit(crowd, csv, command, method):
    file = csv("labels.csv", crowd.labels)
    printed = command("aggregate", file, "--method", method)
    for kind, make in KINDS.items():
        assert beanjar.aggregate(make(crowd.labels), method=method).to_dict() == printed, kind
    assert beanjar.aggregate(file, method=method).to_dict() == printed
    assert beanjar.aggregate(str(file), method=method, threads=1).to_dict() == printed


@pytest.mark.parametrize(("kind", "module"), [("pandas", "pandas"), ("polars", "polars"), ("pyarrow", "pyarrow"), ("dict", "pyarrow")])
def test_what_goes_out_is_of_the_kind_that_came_in(crowd, kind, module):
    result = beanjar.aggregate(KINDS[kind](crowd.labels), method="dawid-skene", confusion=True)
    for table in (result.to_frame(), result.tasks, result.workers, result.probabilities):
        assert type(table).__module__.split(".")[0] == module
    assert len(result.tasks) == 150
    assert len(result.workers) == 12


def test_known_answers_may_be_tables_or_series(crowd, csv, command):
    known = {name: values[:40] for name, values in crowd.truth.items()}
    printed = command("aggregate", csv("labels.csv", crowd.labels), "--gold", csv("known.csv", known))
    series = pd.Series(known["label"], index=pd.Index(known["task"], name="task"), name="label")
    for gold in (known, pd.DataFrame(known), series, pl.DataFrame(known)):
        assert beanjar.aggregate(pd.DataFrame(crowd.labels), gold=gold).to_dict() == printed


def votes(tasks, workers, labels):
    return pd.DataFrame({"item": tasks, "model": workers, "verdict": labels})


@pytest.mark.parametrize("dtype", ["int64", "Int64", "category", "object", "string", "int8"])
def test_columns_of_all_types_are_read_and_come_back(dtype):
    tasks = pd.Series([1, 1, 1, 2, 2, 2]).astype("str" if dtype in ("object", "string") else "int64").astype(dtype)
    frame = votes(tasks, list("abcabc"), pd.Series([True, True, False, False, False, False]))
    result = beanjar.aggregate(frame, method="majority").to_frame()
    assert result["task"].dtype == tasks.dtype or dtype in ("object", "string")
    assert result["task"].tolist() == pd.unique(tasks).tolist()
    assert result["label"].tolist() == [True, False]


def test_missing_values_are_left_out_and_counted():
    frame = votes(["a", "a", None, "b"], ["x", "y", "z", "x"], pd.array([1, None, 2, 2], dtype="Int64"))
    result = beanjar.aggregate(frame, method="majority")
    assert result.to_frame()["task"].tolist() == ["a", "b"]
    assert "2 rows with a missing value left out" in result.notes[0]


def test_mixed_types_and_tables_without_pyarrow_are_texts(monkeypatch):
    frame = pd.DataFrame({"task": [1, "b", 1, "b"], "worker": list("xxyy"), "label": [0, "no", 0, "no"]}, dtype=object)
    assert beanjar.aggregate(frame, method="majority").to_frame()["label"].tolist() == ["0", "no"]
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    whole = pd.DataFrame({"task": [1.0, 2.0, 1.0], "worker": list("xxy"), "label": list("aba")})
    assert [row["task"] for row in beanjar.aggregate(whole, method="majority").to_dict()["tasks"]] == ["1", "2"]


def test_one_row_and_no_rows():
    one = beanjar.aggregate(votes(["a"], ["x"], ["yes"]), method="majority")
    assert one.to_frame()["label"].tolist() == ["yes"]
    with pytest.raises(beanjar.BeanjarError, match="not a single row"):
        beanjar.aggregate(votes([], [], []))


def test_mistakes_are_the_sentences_of_the_command_line(crowd):
    with pytest.raises(beanjar.BeanjarError, match="no column"):
        beanjar.aggregate(pd.DataFrame({"a": [1], "b": [2]}), columns={"label": "c"})
    with pytest.raises(beanjar.BeanjarError, match="there is no such file"):
        beanjar.aggregate("missing.csv")
    with pytest.raises(beanjar.BeanjarError, match="--smoothing is only of use with"):
        beanjar.aggregate(crowd.labels, smoothing=1.0)
    with pytest.raises(TypeError, match="a table is needed"):
        beanjar.aggregate(5)


def test_several_questions_are_treated_on_their_own():
    frame = pd.DataFrame({"task": [1, 1, 1, 1], "worker": list("abab"), "label": list("xxyz"), "attribute": list("ppqq")})
    found = beanjar.aggregate(frame, method="majority")
    assert list(found) == ["p", "q"]
    assert found["p"].to_frame()["label"].tolist() == ["x"]


def test_results_are_pickled_shown_and_described(crowd):
    result = beanjar.aggregate(pd.DataFrame(crowd.labels))
    copy = pickle.loads(pickle.dumps(result))
    assert copy.to_dict() == result.to_dict()
    assert copy.effective_votes == result.effective_votes > 1
    assert copy.families == []
    assert "150 tasks" in repr(result)
    assert "<table>" in result._repr_html_() and "<svg" in result._repr_html_()
    assert result.method == "auto"
    with pytest.raises(AttributeError, match="has no 'nothing'"):
        _ = result.nothing


def test_warnings_are_python_warnings(crowd):
    twice = pd.DataFrame({name: [*values, values[0]] for name, values in crowd.labels.items()})
    with pytest.warns(beanjar.BeanjarWarning, match="one opinion"):
        beanjar.aggregate(twice, method="majority")
