"""A Spark cluster on loopback for tests and benches: a master and workers of one core each, as processes of their own."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time


def missing():
    """Why there can be no cluster, in a sentence; none if there can."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "pyspark is not installed"
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        return "there is no Java"
    return None


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextlib.contextmanager
def cluster(workers=2, memory="1500m", pinned=False):
    """The address of the master. All processes are stopped and all files removed at the end.

    A worker of one core runs one task at a time, but the JVM of its executor and the Python process of the task work at once.
    ``pinned``, each worker has a core of this machine for all that it starts, as in a container of one core.
    """
    import pyspark

    home = pathlib.Path(pyspark.__file__).parent
    folder = pathlib.Path(tempfile.mkdtemp(prefix="beanjar-spark-"))
    environment = dict(
        os.environ,
        SPARK_HOME=str(home),
        SPARK_LOCAL_IP="127.0.0.1",
        SPARK_LOCAL_DIRS=str(folder / "local"),
        PYSPARK_PYTHON=sys.executable,
        SPARK_DAEMON_MEMORY="256m",
    )
    started = []

    def start(name, *words, core=None):
        log = (folder / f"{name}.log").open("w")
        command = [str(home / "bin" / "spark-class"), *map(str, words)]
        pin = None if core is None else lambda: os.sched_setaffinity(0, {core})
        started.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder, preexec_fn=pin))

    try:
        port = free_port()
        where = ("--host", "127.0.0.1", "--webui-port", 0)
        start("master", "org.apache.spark.deploy.master.Master", *where, "--port", port)
        wait_for(port)
        cores = sorted(os.sched_getaffinity(0)) if pinned else []
        for number in range(workers):
            start(
                f"worker-{number}", "org.apache.spark.deploy.worker.Worker", *where, "--cores", 1, "--memory", memory,
                "--work-dir", folder / f"work-{number}", f"spark://127.0.0.1:{port}",
                core=cores[number % len(cores)] if pinned else None,
            )  # fmt: skip
        yield f"spark://127.0.0.1:{port}", folder
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(port, seconds=180):
    """Until somebody listens; a machine that does other work as well takes long to start a JVM."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise TimeoutError("the master of the cluster did not start")


def session(master, folder, memory="1g", **settings):
    """A session on the cluster, with an executor on each worker."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master(master).appName("beanjar")
    fixed = {
        "spark.executor.memory": memory,
        "spark.executor.cores": "1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.local.dir": str(folder / "driver"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": "false",
        # A lost executor is noticed by its closed connection, and its blocks at the first try.
        "spark.shuffle.io.maxRetries": "1",
        "spark.shuffle.io.retryWait": "1s",
    }
    for name, value in {**fixed, **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def executors(application):
    """The process ids of the executors of an application."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                command = (entry / "cmdline").read_bytes().decode(errors="replace")
                if "CoarseGrainedExecutorBackend" in command and application in command and "java" in command.split("\0")[0]:
                    found.append(int(entry.name))
    return found
