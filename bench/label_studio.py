#!/usr/bin/env python3
"""A round trip through the real Label Studio: a project, tasks, four annotators who disagree, the exports JSON, JSON_MIN and
CSV, the aggregated labels of each compared with those of the long table, and the labels imported again as predictions.

    bench/label_studio.py [BEANJAR]

BEANJAR is the binary (target/release/beanjar). Label Studio comes from PyPI into bench/.venv-label-studio, runs in a folder
of its own on a free port, and is gone at the end. Needs nothing but Python."""

import csv
import http.cookiejar
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import venv

HERE = pathlib.Path(__file__).resolve().parent
VENV = HERE / ".venv-label-studio"
CONFIG = """<View><Text name="text" value="$text"/>
<Choices name="animal" toName="text"><Choice value="cat"/><Choice value="dog"/><Choice value="neither"/></Choices>
<Rating name="quality" toName="text"/></View>"""
CLASSES = ["cat", "dog", "neither"]


class User:
    """A session of one user."""

    def __init__(self, server, email):
        self.server, self.email = server, email
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def token(self):
        return next((cookie.value for cookie in self.cookies if cookie.name == "csrftoken"), "")

    def call(self, path, data=None, method=None, form=False):
        headers = {"X-CSRFToken": self.token(), "Referer": self.server}
        body = None
        if data is not None:
            body = (urllib.parse.urlencode(data) if form else json.dumps(data)).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded" if form else "application/json"
        request = urllib.request.Request(self.server + path, body, headers, method=method)
        try:
            with self.opener.open(request, timeout=60) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{request.get_method()} {path}: {error.code} {error.read()[:500]}") from error

    def json(self, *arguments, **options):
        return json.loads(self.call(*arguments, **options))

    def enter(self, page):
        self.call(page)
        fields = {"csrfmiddlewaretoken": self.token(), "email": self.email, "password": "a-long-password-1"}
        self.call(page, {**fields, "allow_newsletters": "false"}, form=True)


def start(folder):
    """Label Studio on a free port: its process and address."""
    if not (VENV / "bin" / "label-studio").exists():
        venv.create(VENV, with_pip=True)
        subprocess.run([VENV / "bin" / "pip", "install", "--quiet", "label-studio"], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [VENV / "bin" / "label-studio", "start", "--no-browser", "--data-dir", folder, "--port", str(port),
               "--internal-host", "127.0.0.1", "--log-level", "ERROR"]
    quiet = {**os.environ, "COLLECT_ANALYTICS": "False", "LATEST_VERSION_CHECK": "False"}
    log = open(pathlib.Path(folder) / "log.txt", "w")
    process = subprocess.Popen(command, stdout=log, stderr=log, env=quiet)
    server = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            urllib.request.urlopen(server + "/health", timeout=2)
            return process, server
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(1)
    process.terminate()
    raise SystemExit("Label Studio did not start:\n" + (pathlib.Path(folder) / "log.txt").read_text()[-2000:])


def annotate(server, users, project, tasks):
    """Every user answers every task but a few; some annotations are cancelled. Returns the rows of the long table."""
    chance = random.Random(1)
    rows = []
    for task in tasks:
        truth = CLASSES[task["data"]["number"] % 3]
        for skill, user in zip([0.95, 0.9, 0.8, 0.5], users):
            if chance.random() < 0.1:
                continue
            label = truth if chance.random() < skill else chance.choice(CLASSES)
            result = [
                {"from_name": "animal", "to_name": "text", "type": "choices", "value": {"choices": [label]}},
                {"from_name": "quality", "to_name": "text", "type": "rating", "value": {"rating": chance.randint(1, 5)}},
            ]
            cancelled = chance.random() < 0.05
            user.json(f"/api/tasks/{task['id']}/annotations/", {"result": result, "was_cancelled": cancelled})
            if not cancelled:
                rows.append([task["id"], user.number, label])
    return rows


def run(beanjar, *arguments):
    done = subprocess.run([beanjar, *arguments, "--quiet"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"beanjar {' '.join(map(str, arguments))}: {done.stderr}")
    return json.loads(done.stdout) if done.stdout else None


def labels(outcome):
    outcome = next((one for one in outcome.get("questions", []) if one["question"] == "animal"), outcome)
    return {task["task"]: (task["label"], round(task["confidence"], 9)) for task in outcome["tasks"]}


def main():
    beanjar = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent / "target/release/beanjar").resolve()
    with tempfile.TemporaryDirectory() as folder:
        process, server = start(folder)
        try:
            round_trip(beanjar, pathlib.Path(folder), server)
        finally:
            process.terminate()
            process.wait()


def round_trip(beanjar, folder, server):
    users = [User(server, f"{name}@example.org") for name in ["ann", "bob", "cy", "dora"]]
    for user in users:
        user.enter("/user/signup/")
        user.number = user.json("/api/current-user/whoami")["id"]
    owner = users[0]
    project = owner.json("/api/projects/", {"title": "Animals", "label_config": CONFIG, "maximum_annotations": 4})["id"]
    given = [{"data": {"text": f"text, of \"{i}\"", "number": i}} for i in range(60)]
    owner.json(f"/api/projects/{project}/import", given)
    tasks = owner.json(f"/api/tasks/?project={project}&page_size=1000&fields=all")["tasks"]
    rows = annotate(server, users, project, tasks)
    print(f"{len(tasks)} tasks, {len(users)} annotators, {len(rows)} annotations")

    long = folder / "long.csv"
    with open(long, "w", newline="") as file:
        csv.writer(file).writerows([["task", "worker", "label"], *rows])
    expected = labels(run(beanjar, "aggregate", long, "--format", "json"))
    for kind, name in [("JSON", "export.json"), ("JSON_MIN", "min.json"), ("CSV", "export.csv")]:
        (folder / name).write_bytes(owner.call(f"/api/projects/{project}/export?exportType={kind}"))
        found = labels(run(beanjar, "aggregate", folder / name, "--format", "json"))
        number = {task["data"]["number"]: str(task["id"]) for task in tasks}
        found = {number.get(int(task), task) if task not in expected else task: label for task, label in found.items()}
        differ = [task for task in expected if expected[task] != found.get(task)]
        print(f"{kind}: {len(found)} labels, {len(differ)} differ from the long table's")
        if differ or len(found) != len(expected):
            raise SystemExit(f"{kind}: {[(task, expected.get(task), found.get(task)) for task in differ[:5]]}")

    run(beanjar, "aggregate", folder / "export.json", "--out", folder / "truth.csv")
    run(beanjar, "convert", folder / "truth.csv", folder / "predictions.json", "--label-studio", folder / "export.json")
    predictions = json.loads((folder / "predictions.json").read_text())
    second = owner.json("/api/projects/", {"title": "Doubtful first", "label_config": CONFIG})["id"]
    owner.json(f"/api/projects/{second}/import", predictions)
    kept = owner.json(f"/api/tasks/?project={second}&page_size=1000&fields=all")["tasks"]
    scores = [task["predictions"][0]["score"] for task in sorted(kept, key=lambda task: task["id"])]
    chosen = [task["predictions"][0]["result"][0]["value"] for task in kept]
    if len(kept) != len(expected) or scores != sorted(scores) or not all("choices" in value for value in chosen):
        raise SystemExit(f"predictions: {len(kept)} tasks, scores {scores[:5]}, {chosen[:2]}")
    print(f"predictions: {len(kept)} tasks in Label Studio, scores {scores[0]:.3f} to {scores[-1]:.3f}, the least sure first")


if __name__ == "__main__":
    main()
