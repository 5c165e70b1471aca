#!/usr/bin/env python3
"""Random nested plans, run by rankd and by the reference interpreter: the answers must be equal.

usage: random_control_flow.py RANKD [--seed N] [--plans N] [--redis] [--keep DIR]

Rows or failures, and from traces how often each node ran: a node that only a body needs runs once in the
scope where it stands, or never. Then the same with deadlines that fire in the middle. Plans whose outcome
depends on what is faster are not asked for.
"""
import collections
import random

import random_runs
from harness import REGISTRY
from random_bodies import Generator
from random_runs import HASHES, LISTS
from reference_ends import Ambiguous, Failed, Hangs, TooMuch
from reference_plans import Interpreter


def case(seed, name):
    """Plans, the params of a request and what it must give; None where that is not one thing."""
    rng = random.Random(seed)
    plans = Generator(rng, name).make()
    params = {k: v for k, v in (("limit", rng.randint(0, 5)), ("top", rng.randint(0, 3)),
                                ("use_new", rng.random() < 0.7)) if rng.random() < 0.5}
    judge = Interpreter(plans, REGISTRY, {**LISTS, **HASHES}, most_starts=400, most_rows=200)
    try:
        want = {"candidates": judge.request(name, params)}
    except Failed as failure:
        want = {"errors": failure.errors}
    except (Ambiguous, Hangs, TooMuch):
        return None
    ids = {n["node_id"] for p in plans.values() for n in nodes_of(p)}
    want["starts"] = {i: judge.starts[i] for i in ids - judge.unsure}
    return plans, params, want


def nodes_of(found):
    """All nodes below a JSON value."""
    if isinstance(found, dict):
        if "node_id" in found:
            yield found
        found = list(found.values())
    for inner in found if isinstance(found, list) else ():
        yield from nodes_of(inner)


def count_starts(got, want):
    """What is wrong with how often nodes ran, by the answer's trace."""
    if "trace" not in got or "candidates" not in want:
        return None
    ran = collections.Counter(entry["node"] for entry in got["trace"]["nodes"])
    wrong = {i: (ran[i], count) for i, count in want["starts"].items() if ran[i] != count}
    return f"starts, got and wanted: {wrong}" if wrong else None


def main():
    options = random_runs.options(__doc__, plans=300)
    plans, wanted, requests = {}, [], []
    seed = options.seed * 1_000_003
    while len(requests) < options.plans:
        name = f"r{len(requests)}"
        made = case(seed, name)
        seed += 1
        if made is None:
            continue
        documents, params, want = made
        plans.update(documents)
        wanted.append(want)
        traced = {"trace": True} if len(requests) % 2 else {}
        requests.append({"request_id": len(requests), "plan": name, "params": params, **traced})
    random_runs.compare(options, plans, requests, wanted, latency_ms=1, deadlines=True, look=count_starts)


if __name__ == "__main__":
    main()
