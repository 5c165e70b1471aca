#!/usr/bin/env python3
"""Random nested plans with something broken in them: whatever rankd says, it says it and goes on.

usage: mutated_control_flow.py RANKD [--seed N] [--plans N]

`check` must end with status 0 or 2, requests with 0 or 1, one answer each, and none of them `internal` or
late.
"""
import argparse
import copy
import json
import os
import random
import sys

from harness import PlanDir, run
from random_bodies import Generator

VALUES = ["$in", "$carry", "$out", "a", "b", "i", "zz", "", None, 0, -1, 1.5, True, [], {}, ["$in"], ["zz", "zz"],
          "L.i", "E.code", "P.limit", "count()", "n", "true", {"expr": "L.i"}, {"expr": "n"}, "rows", "groups",
          "chunks", "branch", "for_each", "loop", "try", "call", "take", "pass", "skip",
          {"nodes": [], "outputs": ["$in"]}, {"nodes": [], "outputs": ["zz"]}]
DEADLINE_MS = 5000


def places(value, path=()):
    """Every value below, with its path."""
    if path:
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def mutated(rng, document):
    document = copy.deepcopy(document)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        found = list(places(document))
        path, value = rng.choice(found)
        parent = document
        for key in path[:-1]:
            parent = parent[key]
        pick = rng.random()
        if pick < 0.25:
            del parent[path[-1]]
        elif pick < 0.6:
            parent[path[-1]] = copy.deepcopy(rng.choice(VALUES))
        elif pick < 0.85:
            parent[path[-1]] = copy.deepcopy(rng.choice(found)[1])
        elif isinstance(parent, dict):
            parent[f"{path[-1]}x"] = copy.deepcopy(value)
        else:
            parent.insert(path[-1], copy.deepcopy(value))
    return document


def make_plans(seed, count):
    plans = {}
    rng = random.Random(seed)
    while len(plans) < count:
        made = Generator(rng, f"m{len(plans)}").make()
        broken = rng.choice(list(made))
        made[broken] = mutated(rng, made[broken])
        plans.update(made)
    return plans


class Tester:
    def __init__(self, rankd, folder):
        self.rankd, self.folder = os.path.abspath(rankd), folder

    def check(self, names):
        """What is wrong with `check` of these plans."""
        outcome = run(self.rankd, ["check", "--plan_dir", self.folder, *names])
        return None if outcome.exit in (0, 2) else f"check ends with {outcome.exit}"

    def answer(self, names):
        """What is wrong with a stream of requests for these plans."""
        stdin = "".join(json.dumps({"request_id": n, "plan": n, "deadline_ms": DEADLINE_MS}) + "\n" for n in names)
        outcome = run(self.rankd, ["--plan_dir", self.folder, "--quiet"], stdin)
        if outcome.exit not in (0, 1) or len(outcome.text.splitlines()) != len(names):
            return f"requests end with {outcome.exit} and {len(outcome.text.splitlines())} of {len(names)} answers"
        codes = {r["request_id"]: r.get("error", {}).get("code") for r in outcome.responses}
        wrong = {n: c for n, c in codes.items() if c in ("internal", "deadline_exceeded")}
        return f"answers: {wrong}" if wrong else None


def fewest(names, wrong):
    """A few of the names that suffice to go wrong."""
    while len(names) > 1:
        half = len(names) // 2
        part = next((p for p in (names[:half], names[half:]) if wrong(p)), None)
        if part is None:
            break
        names = part
    return names


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rankd")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plans", type=int, default=400)
    options = parser.parse_args()
    plans = make_plans(options.seed, options.plans)
    with PlanDir(plans) as folder:
        tester = Tester(options.rankd, folder.path)
        for wrong in (tester.check, tester.answer):
            if not wrong(list(plans)):
                continue
            names = fewest(list(plans), wrong)
            print(f"FAIL {wrong(names)}")
            for name in names[:5]:
                print(f"     plan {json.dumps(plans[name], ensure_ascii=False)}")
            sys.exit(1)
    print(f"{len(plans)} plans")


if __name__ == "__main__":
    main()
