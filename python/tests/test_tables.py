"""Tables of all kinds are understood, and ids and labels come back as they came in."""

import datetime
import decimal
import pickle
import uuid

import numpy as np
import pytest

import beanjar

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

TASKS, WORKERS, LABELS = [1, 1, 1, 2, 2, 2], list("abcabc"), list("xxyyyx")
VOTES = {"task": TASKS, "worker": WORKERS, "label": LABELS}


def majority(table, **options):
    return beanjar.aggregate(table, method="majority", **options)


IDS = {
    "uuid": [uuid.UUID(int=1), uuid.UUID(int=2)],
    "bytes": [b"one", b"two"],
    "decimal": [decimal.Decimal("1.50"), decimal.Decimal("2")],
    "tuple": [(1, "a"), (2, "b")],
    "date": [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)],
    "time stamp": list(pd.to_datetime(["2024-01-01", "2024-01-01 10:00:00.5"], format="ISO8601")),
    "with a zone": list(pd.to_datetime(["2024-01-01", "2024-01-01 10:00:00.123456"], format="ISO8601").tz_localize("Europe/Berlin")),
    "nanoseconds": list(pd.to_datetime([1, 1000])),
    "duration": list(pd.to_timedelta([1, 2], unit="D")),
    "period": list(pd.period_range("2024-01", periods=2, freq="M")),
    "interval": list(pd.interval_range(0, 2)),
    "integer": [7, 8],
    "bool": [True, False],
}


@pytest.mark.parametrize("kind", IDS)
def test_ids_and_labels_of_pandas_come_back_as_they_came(kind):
    one, other = IDS[kind]
    for dtype in (None, object, "category"):
        tasks = pd.Series([one] * 3 + [other] * 3, dtype=dtype)
        found = majority(pd.DataFrame({**VOTES, "task": tasks})).to_frame()
        assert found["task"].tolist() == [one, other], dtype
        assert found["task"].dtype == tasks.dtype or dtype is object
        labels = majority(pd.DataFrame({**VOTES, "label": tasks[::-1].to_numpy()})).to_frame()["label"]
        assert labels.tolist() == [other, one], dtype


@pytest.mark.parametrize("kind", ["date", "time stamp", "with a zone", "bytes", "decimal", "integer", "bool"])
def test_ids_of_polars_and_pyarrow_come_back_as_they_came(kind):
    one, other = (value.to_pydatetime() if hasattr(value, "to_pydatetime") else value for value in IDS[kind])
    columns = {**VOTES, "task": [one] * 3 + [other] * 3}
    polars = pl.DataFrame(columns)
    assert majority(polars).to_frame()["task"].equals(polars["task"].unique(maintain_order=True))
    arrow = pa.table(columns)
    found = majority(arrow).to_frame()["task"]
    assert (found.to_pylist(), found.type) == ([one, other], arrow["task"].type)
    assert majority(columns).to_frame()["task"].to_pylist() == [one, other]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert majority(rows).to_dict() == majority(columns).to_dict()


def test_arrow_columns_of_rare_types():
    ids = [uuid.UUID(int=7), uuid.UUID("b5d1c3f0-8f2c-4d57-9d2e-0c8b9f6a1e44")]
    stored = pa.array([one.bytes for one in ids for _ in range(3)], pa.binary(16))
    table = pa.table({**VOTES, "task": stored, "nothing": pa.nulls(6)})
    found = majority(table)
    assert [row["task"] for row in found.to_dict()["tasks"]] == list(map(str, ids))
    assert found.to_frame()["task"].to_pylist() == [one.bytes for one in ids]
    if hasattr(pa, "uuid"):
        known = pa.ExtensionArray.from_storage(pa.uuid(), stored)
        found = majority(pa.table({**VOTES, "task": known})).to_frame()["task"]
        assert (found.to_pylist(), found.type) == (ids, pa.uuid())
        column = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([known])))
        assert majority(pd.DataFrame({**VOTES, "task": column})).to_frame()["task"].tolist() == ids
    short = pa.array([b"ab"] * 3 + [b"cd"] * 3, pa.binary(2))
    assert majority(pa.table({**VOTES, "task": short})).to_frame()["task"].to_pylist() == [b"ab", b"cd"]
    for kind in (pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
        assert majority(pa.table({**VOTES, "label": pa.array(LABELS).cast(kind)})).to_frame()["label"].type == kind
    with pytest.raises(beanjar.BeanjarError, match="labels: there is not a single row with a task, a worker and a label"):
        majority(pa.table({**VOTES, "label": pa.nulls(6)}))
    # Spans of time are ids too, as texts.
    spans = majority(pa.table({**VOTES, "task": pa.array([1] * 3 + [2] * 3, pa.duration("s"))}))
    assert spans.to_frame()["task"].to_pylist() == ["PT1S", "PT2S"]
    odd = pa.array([b"\xff\xfe"] * 6, pa.binary(2))
    with pytest.raises(beanjar.BeanjarError, match="labels: cannot be read: column 'task' of type .* not text, number or date"):
        majority(pa.table({**VOTES, "task": odd}))


class Speaks:
    """Some other library's table, which has one of the two methods of Arrow's interface only."""

    def __init__(self, method):
        batch = pa.record_batch(VOTES)
        setattr(type(self), method, lambda _, requested_schema=None: getattr(batch, method)(requested_schema))


@pytest.mark.parametrize("method", ["__arrow_c_stream__", "__arrow_c_array__"])
@pytest.mark.parametrize("with_pyarrow", [True, False])
def test_whatever_speaks_arrow_is_a_table(method, with_pyarrow, monkeypatch):
    table = type("Other", (Speaks,), {})(method)
    expected = majority(VOTES).to_dict()
    if not with_pyarrow:
        import sys

        monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert majority(table).to_dict() == expected


def test_results_are_read_by_whatever_speaks_arrow(crowd):
    tasks = beanjar.aggregate(crowd.labels)._answer.tasks[0]
    assert pa.table(tasks.table()).schema.names == pl.DataFrame(tasks.table()).columns
    assert len(tasks) == len(pl.DataFrame(tasks.probabilities())) == 150


def test_lists_of_ids_come_back_as_they_came(crowd):
    frame = pd.DataFrame(crowd.labels)
    numbers = frame.assign(worker=frame["worker"].str[1:].astype(int))
    for table in (numbers, pl.from_pandas(numbers), pa.Table.from_pandas(numbers)):
        kept = beanjar.rank_workers(table).kept
        assert kept and set(kept) == {int(worker[1:]) for worker in beanjar.rank_workers(frame).kept}
    copies = pd.concat([numbers, numbers[numbers["worker"] == 1].assign(worker=100)])
    assert [1, 100] in [sorted(family) for family in beanjar.aggregate(copies).families]
    classes = frame.assign(label=frame["label"].str[1:].astype(int))
    assert beanjar.DawidSkene().fit(classes).classes_ == [1, 2, 3]
    assert pickle.loads(pickle.dumps(beanjar.aggregate(numbers))).workers["worker"].dtype == numbers["worker"].dtype


def test_whole_numbers_of_128_bits_come_back_as_they_came():
    frame = pl.DataFrame({**VOTES, "task": [2**90] * 3 + [-5] * 3}, schema_overrides={"task": pl.Int128})
    found = majority(frame).to_frame()["task"]
    assert (found.to_list(), found.dtype) == ([2**90, -5], pl.Int128)
    assert majority(frame.lazy()).to_frame()["task"].equals(found)


def test_an_index_with_a_name_is_a_column():
    expected = majority(pd.DataFrame(VOTES)).to_frame()
    assert majority(pd.DataFrame(VOTES).set_index("task")).to_frame().equals(expected)
    assert majority(pd.DataFrame(VOTES).set_index(["task", "worker"])).to_frame().equals(expected)
    assert majority(pd.DataFrame(VOTES, index=pd.Index(TASKS, name="task"))).to_frame().equals(expected)
    numbered = pd.DataFrame({0: TASKS, 1: WORKERS, 2: LABELS})
    assert majority(numbered, columns={"task": 0, "worker": 1, "label": 2}).to_frame().equals(expected)
    odd = {"task": "what, then", "worker": 'the "one"', "label": '"=1, '}
    renamed = pd.DataFrame(VOTES).rename(columns=odd)
    assert majority(renamed, columns=odd).to_frame().equals(expected)


BY_INDEX = pd.DataFrame({"label": ["y"]}, index=pd.Index([1], name="task"))


@pytest.mark.parametrize("gold", [{1: "y"}, pd.Series({1: "y"}), BY_INDEX, [{"task": 1, "label": "y"}]])
def test_known_answers_may_be_by_task(gold):
    found = majority(pd.DataFrame(VOTES), gold=gold)
    assert found.to_frame()["label"].tolist() == ["y", "y"]
    assert found.to_dict()["tasks"][0]["confidence"] == 1.0
    assert majority(VOTES, truth=gold).truth["accuracy"] == 0.0


def test_columns_that_are_not_needed_may_hold_anything():
    expected = majority(VOTES).to_dict()
    odd = pd.DataFrame(VOTES).assign(nothing=None, nested=[[1]] * 6, mixed=[1, "a", None, 2.5, b"x", [1]], named=[{"a": 1}] * 6)
    assert majority(odd).to_dict() == expected
    rare = pd.DataFrame(VOTES).assign(sparse=pd.arrays.SparseArray([0, 0, 1, 1, 1, 0]), complex=1j)
    assert majority(rare).to_dict() == expected
    assert majority(pl.DataFrame(VOTES).with_columns(nothing=None)).to_dict() == expected
    objects = pl.Series("task", [IDS["uuid"][task - 1] for task in TASKS], dtype=pl.Object)
    assert majority(pl.DataFrame(VOTES).with_columns(objects)).to_frame()["task"].to_list() == list(map(str, IDS["uuid"]))
    assert majority({**VOTES, "task": range(6)}).to_frame()["task"].to_pylist() == list(range(6))
    with pytest.raises(beanjar.BeanjarError, match="not a single row"):
        majority(pl.DataFrame({"task": [], "worker": [], "label": []}))


def test_mistakes_in_tables_are_said():
    with pytest.raises(beanjar.BeanjarError, match="labels: columns must be of one length, and 'task' has 6, .* 'label' has 1"):
        majority({**VOTES, "label": ["x"]})
    with pytest.raises(TypeError, match="labels: column 'label' must be a list of values, and is str"):
        majority({**VOTES, "label": "xxyyyx"})
    with pytest.raises(beanjar.BeanjarError, match="labels: two columns are called 'label'"):
        majority(pd.concat([pd.DataFrame(VOTES), pd.DataFrame({"label": LABELS})], axis=1))
    with pytest.raises(ValueError, match="frames is 'panda', and must be one of arrow, pandas, polars, dict"):
        beanjar.simulate.labels(frames="panda")
    with pytest.raises(AttributeError, match="there is no table 'label'; there are labels, truth, workers"):
        _ = beanjar.simulate.labels(tasks=3).label


def test_costs_and_workers_may_be_dicts_series_and_lists(photos, crowd):
    judgments, heights = pd.DataFrame(photos.judgments), pd.DataFrame(photos.truth).set_index("object")["height"]
    asked = dict(budget=10, costs={"height": 4})
    expected = beanjar.select(judgments, heights, **asked).to_dict()
    assert beanjar.select(judgments, heights.to_dict(), budget=10, costs=pd.Series({"height": 4})).to_dict() == {
        **expected, "label": {**expected["label"], "name": "label"}
    }  # fmt: skip
    odd = judgments.assign(attribute=judgments["attribute"].replace("height", "height, in = cm"))
    found = beanjar.select(odd, heights, budget=10, costs={"height, in = cm": 4})
    assert found.expected_loss == expected["cv_loss"]
    workers = sorted(set(crowd.labels["worker"]))[:3]
    for some in (workers, tuple(workers), np.array(workers), pd.Series(workers), pl.Series(workers)):
        assert set(beanjar.next(crowd.labels, 5, workers=some).to_frame()["worker"].to_pylist()) <= set(workers)
        counted = beanjar.aggregate(crowd.labels, method="majority", workers=some).to_dict()["workers"]
        assert [row["worker"] for row in counted if row["kept"]] == [row["worker"] for row in counted if row["worker"] in workers]
    weights = {workers[0]: 1.0}
    found = [beanjar.aggregate(crowd.labels, method="majority", weights=some).to_dict() for some in (weights, pd.Series(weights))]
    assert found[0] == found[1] != majority(crowd.labels).to_dict()


def test_models_that_are_compared_may_have_any_name(crowd):
    truth = pd.DataFrame(crowd.truth)
    other = dict(zip(truth["task"], np.roll(truth["label"], 1), strict=True))
    found = beanjar.score({"labels": truth, "--gold": other, "truth": truth.set_index("task")["label"]}, crowd.labels)
    assert found.to_frame()["name"].tolist()[-1] == "--gold"
    assert {row["name"]: row["surrogate"] for row in found.models}["labels"] == beanjar.score(truth, crowd.labels).models[0]["surrogate"]


def test_alpha_of_several_questions_is_one_each():
    frame = pd.DataFrame({**VOTES, "label": LABELS}).assign(attribute="p")
    same = frame.assign(attribute="q", label=[*"xxxyyy"])
    found = beanjar.krippendorff_alpha(pd.concat([frame, same]))
    assert found == {"p": beanjar.krippendorff_alpha(frame), "q": 1.0}


def test_warnings_are_of_the_line_that_called(crowd):
    with pytest.warns(beanjar.BeanjarWarning) as warned:
        beanjar.krippendorff_alpha({**crowd.labels, "label": ["x"] * len(crowd.labels["label"])})
        beanjar.DawidSkene().fit(pd.concat([pd.DataFrame(crowd.labels)] * 2))
    assert {warning.filename for warning in warned} == {__file__}


def test_results_show_a_table_and_a_figure(crowd, photos):
    judgments, truth = pd.DataFrame(photos.judgments), pd.DataFrame(photos.truth)
    selection = beanjar.select(judgments, truth, label="height", budget=8)
    labels = crowd.labels
    shown = [
        beanjar.aggregate(labels), beanjar.rank_workers(labels), beanjar.votes(labels), beanjar.next(labels, 4),
        beanjar.gold(labels, 4), beanjar.inspect(labels), beanjar.inspect(judgments), beanjar.score(crowd.truth, labels),
        selection, selection.plan(), selection.fit(predictor="moments"),
        beanjar.SparseExperts(penalty=1.0).fit([[0.0], [1.0], [2.0], [3.0]] * 3, [0, 0, 1, 1] * 3).result_,
    ]  # fmt: skip
    for result in shown:
        assert "<table>" in result._repr_html_() and "<svg" in result._repr_html_(), result
        assert len(repr(result)) < 160
    assert "<td>height</td>" in selection.fit(predictor="moments")._repr_html_()
    assert f"alpha {beanjar.krippendorff_alpha(labels):.3f}" in repr(beanjar.inspect(labels))
