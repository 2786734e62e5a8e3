"""``beanjar.aggregate``: the same answers as the command line, for every kind of table."""

import pickle

import numpy as np
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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["auto", "majority"])
def test_tables_of_tasks_are_the_rows_of_the_json(crowd, kind, method):
    result = beanjar.aggregate(KINDS[kind](crowd.labels), method=method)
    tasks, shares = listed(result.tasks), listed(result.probabilities)
    assert "150 tasks" in repr(result) and result._repr_html_().count("<tr>") == 11
    assert result._answer.data["tasks"] == [], "rows are made before somebody asks for them"
    rows = result.to_dict()["tasks"]
    assert list(tasks) == [name for name in ("task", "label", "confidence", "tied", "state", "effective_votes") if name in rows[0]]
    assert [dict(zip(tasks, row, strict=True)) for row in zip(*tasks.values(), strict=True)] == [
        {name: value for name, value in row.items() if name != "probabilities"} for row in rows
    ]
    assert list(shares) == ["task", *result.classes]
    assert list(zip(*shares.values(), strict=True)) == [(row["task"], *row["probabilities"].values()) for row in rows]


def listed(table):
    """The columns of a table of any kind, as lists."""
    if hasattr(table, "to_pydict"):
        return table.to_pydict()
    return {name: table[name].to_list() for name in table.columns}


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_tables_of_a_pickled_result_are_the_same(crowd, kind, monkeypatch):
    numbers = {**crowd.labels, "task": [int(task[1:]) for task in crowd.labels["task"]]}
    for columns in (crowd.labels, numbers):
        result = beanjar.aggregate(KINDS[kind](columns))
        copy = pickle.loads(pickle.dumps(result))
        for table, again in ((result.tasks, copy.tasks), (result.probabilities, copy.probabilities)):
            assert table.equals(again)
            assert str(getattr(table, "schema", getattr(table, "dtypes", None))) == str(getattr(again, "schema", getattr(again, "dtypes", None)))
        assert copy._repr_html_() == result._repr_html_() and repr(copy) == repr(result)
        if kind == "pandas":
            import sys

            with monkeypatch.context() as without:
                without.setitem(sys.modules, "pyarrow", None)
                assert listed(result.tasks) == listed(copy.tasks)


def test_of_very_many_classes_impossible_ones_are_missing():
    random = np.random.default_rng(0)
    votes = {"task": np.repeat(np.arange(200), 3), "worker": np.tile(np.arange(3), 200), "label": random.integers(60, size=600)}
    result = beanjar.aggregate(pd.DataFrame(votes), method="majority")
    shares, rows = result.probabilities, result.to_dict()["tasks"]
    assert shares.isna().any(axis=None)
    assert [row.dropna().to_dict() for _, row in shares.drop(columns="task").iterrows()] == [row["probabilities"] for row in rows]
    assert pickle.loads(pickle.dumps(result)).probabilities.equals(shares)
    assert pl.from_pandas(shares).equals(beanjar.aggregate(pl.DataFrame(votes), method="majority").probabilities)


def test_classes_may_be_called_as_columns_are():
    frame = votes([1, 1, 2, 2], [1, 2, 1, 2], ["task", "worker", "worker", "worker"])
    for result in (found := beanjar.aggregate(frame, method="majority"), pickle.loads(pickle.dumps(found))):
        assert result.probabilities.to_dict("list") == {"task": [1, 2], "P(task)": [0.5, 0.0], "worker": [0.5, 1.0]}


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
    assert [row["confidence"] for row in found["q"].to_dict()["tasks"]] == found["q"].tasks["confidence"].tolist() == [0.5]
    assert found["q"].probabilities.to_dict("list") == {"task": [1], "y": [0.5], "z": [0.5]}


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
