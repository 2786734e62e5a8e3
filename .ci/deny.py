"""Checks all dependencies: licences, duplicate versions and sources against deny.toml, and their minimal Rust version.

A small stand-in for `cargo deny check licenses bans sources`, which takes minutes to install. It reads the same file, and
knows only what stands in ours.
"""

import json
import re
import subprocess
import sys
import tomllib

REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"


def packages(targets):
    """All packages that a build for one of the targets needs, tests and tools included."""
    found = {}
    for target in targets:
        command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
        metadata = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        used = {node["id"] for node in metadata["resolve"]["nodes"]}
        found |= {package["id"]: package for package in metadata["packages"] if package["id"] in used}
    return list(found.values())


def allowed(expression, licences):
    """Whether an SPDX expression can be met with the allowed licences. AND binds closer than OR."""
    tokens = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))

    def either():
        met = both()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            met = both() or met
        return met

    def both():
        met = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            met = one() and met
        return met

    def one():
        token = tokens.pop(0)
        if token == "(":
            met = either()
            tokens.pop(0)
            return met
        if tokens[:1] == ["WITH"]:
            token = " ".join([token, tokens.pop(0), tokens.pop(0)])
        return token in licences

    return either()


def complaints(rules, packages):
    """What is against the rules, one sentence each."""
    licences = set(rules["licenses"]["allow"])
    skipped = [entry["crate"].split("@") for entry in rules["bans"]["skip"]]
    versions = {}
    for package in packages:
        name = f"{package['name']}@{package['version']}"
        if package["source"] not in (None, REGISTRY):
            yield f"{name} comes from {package['source']}, and may only come from crates.io"
        if not allowed(package["license"] or "none", licences):
            yield f"{name} has the licence {package['license']}, which deny.toml does not allow"
        if package["source"] is None:
            for dependency in package["dependencies"]:
                if dependency["req"] == "*":
                    yield f"{name} takes any version of {dependency['name']}"
        versions.setdefault(package["name"], set()).add(package["version"])
    for name, version in skipped:
        if len(versions.get(name, ())) < 2 or not any(matches(found, version) for found in versions[name]):
            yield f"deny.toml skips {name}@{version}, which is not there beside another version"
    for name, all in versions.items():
        left = [found for found in all if not any(name == other and matches(found, v) for other, v in skipped)]
        if len(left) > 1:
            yield f"{name} is there in versions {', '.join(sorted(all))}; skip all but one in deny.toml, with a reason"


def too_new(packages):
    """Dependencies that need a newer Rust than ours claim to need."""
    # 1.88 and 1.88.0 are the same.
    numbers = lambda version: ([int(part) for part in version.split(".")] + [0, 0])[:3]
    claimed = min((package["rust_version"] for package in packages if package["source"] is None), key=numbers)
    for package in packages:
        if numbers(package["rust_version"] or "1") > numbers(claimed):
            yield f"{package['name']} needs Rust {package['rust_version']}, and rust-version is {claimed}"


def matches(version, begin):
    """Whether a version begins with these numbers."""
    return version.split(".")[: begin.count(".") + 1] == begin.split(".")


def main():
    with open("deny.toml", "rb") as file:
        rules = tomllib.load(file)
    needed = packages(rules["graph"]["targets"])
    found = sorted([*complaints(rules, needed), *too_new(needed)])
    sys.exit("\n".join(found) if found else 0)


main()
