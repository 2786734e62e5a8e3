"""beanjar.spark on a real cluster: a master and two workers of one core, as processes of their own."""

import itertools
import os
import pathlib
import signal
import sys
import threading
import time
import uuid
import warnings

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import beanjar

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import cluster  # noqa: E402
from conftest import data_folder  # noqa: E402

why_not = cluster.missing()
pytestmark = pytest.mark.skipif(why_not is not None, reason=f"no Spark cluster: {why_not}")

EM = ("dawid-skene", "one-coin")
BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"


@pytest.fixture(scope="module")
def spark():
    with cluster.cluster() as (master, folder):
        session = cluster.session(master, folder)
        yield session
        session.stop()


@pytest.fixture(scope="module")
def votes():
    """Labels by few workers, so that sums are small and can be cut into many parts; some are given twice."""
    crowd = beanjar.simulate.labels(tasks=12_000, workers=25, votes=5, classes=3, spammers=0.2, seed=3, frames="dict")
    columns = {name: list(crowd.labels[name]) for name in ("task", "worker", "label")}
    for name in columns:
        columns[name] += columns[name][::1001]
    columns["label"][-200:] = [columns["label"][0]] * 200
    return columns


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


def frame(spark, folder, columns, partitions=None):
    path = folder / f"{uuid.uuid4().hex}.parquet"
    pq.write_table(pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()}), path)
    made = spark.read.parquet(str(path))
    return made if partitions is None else made.repartition(partitions)


def aggregate(labels, **options):
    from beanjar import spark as bs

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", beanjar.BeanjarWarning)
        return bs.aggregate(labels, **options)


def same_as_one_machine(found, alone, tolerance=1e-9):
    """The same labels, and probabilities but for the order in which numbers were added."""
    here = {row["task"]: row for row in alone.to_dict()["tasks"]}
    labels = {row["task"]: row for row in found.tasks.collect()}
    assert labels.keys() == here.keys()
    classes = found.to_dict()["classes"]
    assert classes == alone.to_dict()["classes"]
    rows = {row["task"]: row for row in found.probabilities.collect()}
    for task, row in here.items():
        assert labels[task]["label"] == row["label"] and labels[task]["tied"] == row["tied"], task
        assert abs(labels[task]["confidence"] - row["confidence"]) < tolerance
        assert all(abs(rows[task][name] - row["probabilities"][name]) < tolerance for name in classes), task
    workers = {row["worker"]: row for row in found.to_dict()["workers"]}
    for row in alone.to_dict()["workers"]:
        assert workers[row["worker"]]["labels"] == row["labels"]
        assert abs(workers[row["worker"]]["accuracy"] - row["accuracy"]) < tolerance
    for key in ("iterations", "converged"):
        assert found.to_dict()[key] == alone.to_dict()[key]


METHODS = ("auto", "majority", *EM, "inspect")


def data_sets():
    """Each public data set, and a method for it; all methods on all sets take minutes, and are for BEANJAR_SPARK_ALL=1."""
    folder = data_folder()
    found = sorted([*folder.glob("crowd/*/labels.csv"), *folder.glob("panels/*/labels.csv")]) if folder else []
    if os.environ.get("BEANJAR_SPARK_ALL"):
        return list(itertools.product(found, METHODS))
    found = [path for path in found if path.stat().st_size < 3_000_000]
    return list(zip(found, itertools.cycle(METHODS))) or [(None, None)]


@pytest.mark.parametrize("method", ["majority", *EM, "auto"])
def test_the_fit_is_that_of_one_machine(spark, folder, votes, method):
    options = {"iterations": 3} if method in EM else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", beanjar.BeanjarWarning)
        alone = beanjar.aggregate(votes, method=method, **options)
    found = aggregate(frame(spark, folder, votes), method=method, on_driver=0, partitions=2, **options)
    same_as_one_machine(found, alone)
    found.unpersist()


@pytest.mark.parametrize(("path", "method"), data_sets(), ids=lambda of: of.parent.name if isinstance(of, pathlib.Path) else of)
def test_public_data_give_what_one_machine_gives(spark, path, method):
    if path is None:
        pytest.skip("the public data are not here")
    labels = spark.read.csv(str(path), header=True, escape='"')
    if method == "inspect":
        return same_inspection(labels, path)
    options = {"iterations": 50} if method in EM else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", beanjar.BeanjarWarning)
        alone = beanjar.aggregate(path, method=method, **options)
    found = aggregate(labels, method=method, **options)
    same_as_one_machine(found, alone)
    found.unpersist()


def same_inspection(labels, table, **options):
    """Inspecting gives what one machine gives; workers are in the order of their ids."""
    from beanjar import spark as bs

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", beanjar.BeanjarWarning)
        found, alone = bs.inspect(labels, **options).to_dict(), beanjar.inspect(table, kind="labels").to_dict()
    near = lambda value: pytest.approx(value, abs=1e-9, rel=0) if isinstance(value, float) else value  # noqa: E731
    workers = {row["worker"]: row for row in found["workers"]}
    assert len(workers) == len(alone["workers"]) and found.keys() == alone.keys()
    for row in alone.pop("workers"):
        assert workers[row["worker"]] == {key: near(value) for key, value in row.items()}
    for key, value in alone.items():
        assert found[key] == ([near(one) for one in value] if isinstance(value, list) else near(value)), key
    return found


def test_inspecting_is_that_of_one_machine(spark, folder, votes):
    some = {name: column[-9_000:] for name, column in votes.items()}
    two = same_inspection(frame(spark, folder, some), some, on_driver=0, partitions=2)
    many = same_inspection(frame(spark, folder, some, 5), some, on_driver=0, partitions=16)
    # Not only near, but the same bytes.
    assert repr(two) == repr(many)
    assert two["repeated"] > 0


def test_neither_partitions_nor_the_driver_change_a_byte(spark, folder, votes):
    def reading(labels, **options):
        found = aggregate(labels, method="dawid-skene", iterations=1, **options)
        found.unpersist()
        return found._reading.value, found.to_dict(), found._partitions.bits

    before = spark.conf.get(BATCH)
    # Hardly more votes than 200 partitions need, each of which sums as many as a sum has numbers.
    two = reading(frame(spark, folder, votes), on_driver=0, partitions=2)
    many = reading(frame(spark, folder, votes, 8), on_driver=0, partitions=200)
    turned = {name: column[::-1] for name, column in votes.items()}
    driver = reading(frame(spark, folder, turned, 3), on_driver=10**9)
    assert two[:2] == many[:2] == driver[:2]
    # A power of two that is as many at least.
    assert (two[2], many[2]) == (1, 8)
    assert spark.conf.get(BATCH) == before


@pytest.mark.parametrize("numbers", [1, 2, (1 << 15) - 1, 1 << 15, (1 << 15) + 1, 35 << 15])
def test_slices_of_a_sum_are_the_sum(numbers):
    from beanjar.spark import _executors

    sum = bytes(range(256)) * (numbers // 32) + bytes(8 * (numbers % 32))
    batches = list(_executors.slices_of(3, sum))
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert [row["slice"] for row in rows] == list(range(-(-numbers // (1 << 15)))) and {row["part"] for row in rows} == {3}
    assert b"".join(row["sum"] for row in rows) == sum
    # A batch travels with its own slices, not with all of them.
    assert all(pa.ipc.get_record_batch_size(batch) < _executors.BATCH_BYTES + 4096 for batch in batches)


def test_what_fails_on_the_executors_is_not_kept(spark, folder, votes, monkeypatch):
    from beanjar.spark._partitions import Partitions

    kept = []

    def fails(self):
        kept.append(self.coded)
        assert self.coded.storageLevel.useMemory
        raise RuntimeError("lost")

    monkeypatch.setattr(Partitions, "keep", fails)
    with pytest.raises(RuntimeError, match="lost"):
        aggregate(frame(spark, folder, votes), method="majority", on_driver=0, partitions=2)
    assert not kept[0].storageLevel.useMemory


def test_sums_too_large_to_collect_are_added_on_the_executors(spark, folder, votes, monkeypatch):
    from beanjar.spark import _partitions

    some = {name: column[:5_000] for name, column in votes.items()}
    options = dict(method="dawid-skene", iterations=2, on_driver=0, partitions=4)
    collected = aggregate(frame(spark, folder, some), **options)
    monkeypatch.setattr(_partitions, "COLLECTED_BYTES", 64)
    added = aggregate(frame(spark, folder, some), **options)
    assert collected._reading.value == added._reading.value


def test_a_killed_executor_changes_nothing(spark, folder, votes, monkeypatch):
    from beanjar.spark._partitions import Partitions

    options = dict(method="dawid-skene", iterations=3, on_driver=0, partitions=4)
    quiet = aggregate(frame(spark, folder, votes, 4), **options)
    application, killed = spark.sparkContext.applicationId, []
    passes = Partitions.sum

    def with_a_kill(self, *asked):
        if not killed:
            one = cluster.executors(application)[0]
            killed.append(one)
            threading.Timer(0.15, os.kill, (one, signal.SIGKILL)).start()
        return passes(self, *asked)

    monkeypatch.setattr(Partitions, "sum", with_a_kill)
    found = aggregate(frame(spark, folder, votes, 4), **options)
    rows = sorted(found.tasks.collect())
    assert killed and killed[0] not in cluster.executors(application)
    assert found._reading.value == quiet._reading.value
    assert rows == sorted(quiet.tasks.collect())
    # Later tests need both.
    end = time.monotonic() + 60
    while len(cluster.executors(application)) < 2 and time.monotonic() < end:
        time.sleep(0.5)


def test_one_task_with_a_million_votes(spark):
    from pyspark.sql import functions as F

    big = spark.range(1_000_000).select(
        F.lit("big").alias("task"), (F.col("id") % 20_000).alias("worker"), F.when(F.col("id") % 3 == 0, "a").otherwise("b").alias("label")
    )
    small = spark.range(60_000).select(
        (F.col("id") % 20_000).cast("string").alias("task"), (F.col("id") * 7 % 20_000).alias("worker"), F.lit("a").alias("label")
    )
    for method, options in (("majority", {}), ("dawid-skene", {"iterations": 1})):
        found = aggregate(big.union(small), method=method, on_driver=0, repeats="all", partitions=4, **options)
        answer = found.tasks.where("task = 'big'").collect()[0]
        assert answer["label"] == "b"
        if method == "majority":
            assert abs(answer["confidence"] - 666_666 / 1_000_000) < 1e-9
        assert found.tasks.count() == 20_001
        found.unpersist()


def test_paths_types_and_names_of_columns(spark, tmp_path):
    rows = [(i // 3, "abc"[i % 3], 1.5 if i % 5 else 2.0) for i in range(30)]
    made = spark.createDataFrame(rows, "item long, annotator string, answer double")
    made.write.parquet(str(tmp_path / "labels.parquet"))
    found = aggregate(str(tmp_path / "labels.parquet"), method="majority")
    assert dict(found.tasks.dtypes) == {"task": "bigint", "label": "double", "confidence": "double", "tied": "boolean"}
    assert {row["task"]: row["label"] for row in found.tasks.collect()}[1] == 1.5
    renamed = made.withColumnRenamed("annotator", "who is it")
    again = aggregate(renamed, method="majority", columns={"task": "item", "worker": "who is it", "label": "answer"})
    assert sorted(again.tasks.collect()) == sorted(found.tasks.collect())


def test_bad_rows_are_counted_and_said(spark):
    from beanjar import spark as bs

    rows = [("1", "a", "x"), ("1", "b", None), ("2", "", "y"), (None, "c", "x"), ("2", "c", " NA "), ("2", "d", "y")]
    labels = spark.createDataFrame(rows, "task string, worker string, label string")
    with pytest.warns(beanjar.BeanjarWarning, match="^4 rows with a missing value left out$"):
        found = bs.aggregate(labels, method="majority")
    assert sorted(row["label"] for row in found.tasks.collect()) == ["x", "y"]
    assert found.warnings == ["4 rows with a missing value left out"]


def test_mistakes_are_one_sentence(spark, folder, votes):
    some = frame(spark, folder, {name: column[:100] for name, column in votes.items()})
    many = spark.range(150_000).selectExpr("1 as task", "concat('worker ', id) as worker", "'x' as label")
    with pytest.raises(beanjar.BeanjarError, match="150,000 different workers, whose dictionary would take about 9 MB"):
        aggregate(many, most_workers=100_000)
    with pytest.raises(beanjar.BeanjarError, match="auto, majority, dawid-skene or one-coin on a cluster"):
        aggregate(some, method="glad")
    with pytest.raises(beanjar.BeanjarError, match="rows of a cluster have no first"):
        aggregate(some, repeats="first")
    with pytest.raises(beanjar.BeanjarError, match="not a single label"):
        aggregate(some.where("task = 'none'"), columns={"task": "task", "worker": "worker", "label": "label"})
    with pytest.raises(beanjar.BeanjarError, match="no column holds the worker"):
        aggregate(some, columns={"task": "task", "worker": "nobody", "label": "label"})
    with pytest.raises(TypeError, match="a Spark DataFrame or a path"):
        aggregate({"task": [1]})


def test_workers_and_attributes_on_the_driver(spark, folder, votes, photos):
    from beanjar import spark as bs

    some = {name: column[:3000] for name, column in votes.items()}
    labels = frame(spark, folder, some)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", beanjar.BeanjarWarning)
        ranking, alone = bs.rank_workers(labels), beanjar.rank_workers(some)
        assert {row["worker"]: row["verdict"] for row in ranking.to_dict()["workers"]} == {
            row["worker"]: row["verdict"] for row in alone.to_dict()["workers"]
        }
        judgments, truth = photos.judgments, photos.truth
        chosen = bs.select(frame(spark, folder, {k: [str(v) for v in c] for k, c in judgments.items()}), truth, budget=6, label="height")
        assert chosen.to_dict()["selection"] == beanjar.select(judgments, truth, budget=6, label="height").to_dict()["selection"]
    with pytest.warns(beanjar.BeanjarWarning, match="of 3,000 rows about 900 are used, all that belong to tasks drawn by the seed"):
        drawn = bs.rank_workers(labels, most_labels=900).to_dict()
    assert 600 < sum(row["labels"] for row in drawn["workers"]) < 1200


def texts(columns):
    return {name: [str(value) for value in column] for name, column in columns.items()}


def same_moments(found, alone):
    """The same moments and the same choice; other folds, and so nearly the same expected error."""
    found, alone = found.to_dict(), alone.to_dict()
    assert found["objects"] == alone["objects"] and found["label"].get("classes") == alone["label"].get("classes")
    assert found["label"]["variance"] == pytest.approx(alone["label"]["variance"], rel=1e-9)
    here = {row["attribute"]: row for row in alone["attributes"]}
    assert {row["attribute"] for row in found["attributes"]} == here.keys()
    for row in found["attributes"]:
        for name in ("noise", "signal"):
            assert row[name] == pytest.approx(here[row["attribute"]][name], rel=1e-9, abs=1e-9), (row["attribute"], name)
    repeats = [{row["attribute"]: row["judgments"] for row in of["selection"]} for of in (found, alone)]
    assert repeats[0] == repeats[1]
    assert found["explained"] == pytest.approx(alone["explained"], rel=1e-9)
    assert abs(found["cv_loss"] - alone["cv_loss"]) < alone["cv_se"]


def test_moments_are_summed_where_judgments_are(spark, folder):
    from beanjar import spark as bs

    photos = beanjar.simulate.photos(objects=400, judgments=3, seed=5, frames="dict")
    judgments, truth = texts(photos.judgments), texts(photos.truth)
    truth = {name: truth[name] for name in ("object", "height")}
    rows = len(judgments["value"])
    table = frame(spark, folder, judgments, 5)
    given = dict(budget=8, ridge=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", beanjar.BeanjarWarning)
        alone = beanjar.select(photos.judgments, truth, **given)
        found = bs.select(table, frame(spark, folder, truth), most_judgments=rows // 4, **given)
        same_moments(found, alone)
        # Labels of this process, rows elsewhere, other partitions: the same bytes.
        again = bs.select(frame(spark, folder, judgments, 1), truth, most_judgments=rows // 4, **given)
        assert found.to_json() == again.to_json()
        # Half of the objects have no label, and what is left is classes.
        heights = sorted(map(float, truth["height"]))
        size = ["small" if float(height) < heights[200] else "tall" for height in truth["height"][:200]]
        classes = {"object": truth["object"][:200], "size": size}
    with pytest.warns(beanjar.BeanjarWarning, match="200"):
        alone = beanjar.select(photos.judgments, classes, **given)
        found = bs.select(table, classes, most_judgments=rows // 4, **given)
    same_moments(found, alone)
    assert abs(found.to_dict()["error_rate"] - alone.to_dict()["error_rate"]) < 0.1


def test_judgments_that_cannot_be_used_are_said(spark, folder):
    from beanjar import spark as bs

    photos = beanjar.simulate.photos(objects=300, judgments=2, seed=6, frames="dict")
    judgments, truth = texts(photos.judgments), {name: photos.truth[name] for name in ("object", "height")}
    rows = len(judgments["value"])
    given = dict(budget=6, most_judgments=rows // 3)
    once = {"object": judgments["object"][0], "attribute": "once", "worker": "w", "value": "1"}
    some = {name: [*column, once[name]] for name, column in judgments.items()}
    some["value"][:2] = ["", "NA"]
    with pytest.warns(beanjar.BeanjarWarning) as said:
        bs.select(frame(spark, folder, some), truth, **given)
    sentences = [str(warning.message) for warning in said]
    assert "2 rows with a missing value left out" in sentences
    # Too rare for the sample, or, if its object is drawn, judged once only.
    assert any("once" in sentence for sentence in sentences)
    wrong = {**judgments, "value": ["tall", *judgments["value"][1:]]}
    with pytest.raises(beanjar.BeanjarError, match="the value 'tall' is not a number"):
        bs.select(frame(spark, folder, wrong), truth, **given)
    twice = {name: [*column, column[0]] for name, column in truth.items()}
    with pytest.raises(beanjar.BeanjarError, match="more than once"):
        bs.select(frame(spark, folder, judgments), twice, **given)
    with pytest.raises(beanjar.BeanjarError, match="no column 'width'; found height"):
        bs.select(frame(spark, folder, judgments), truth, label="width", **given)


def test_judgments_are_inspected_on_the_driver(spark, folder, photos):
    from beanjar import spark as bs

    judgments = texts(photos.judgments)
    found = bs.inspect(frame(spark, folder, judgments)).to_dict()
    alone = beanjar.inspect(judgments).to_dict()
    assert found["objects"] == alone["objects"]
    here = {row["attribute"]: row for row in alone["attributes"]}
    assert all(row["noise"] == pytest.approx(here[row["attribute"]]["noise"]) for row in found["attributes"])
    with pytest.warns(beanjar.BeanjarWarning, match="all that belong to objects drawn by the seed"):
        part = bs.inspect(frame(spark, folder, judgments), kind="judgments", most_judgments=len(judgments["value"]) // 2).to_dict()
    assert 0 < part["objects"] < found["objects"]
