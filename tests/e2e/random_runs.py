"""What the random tests share: many plans served by one process a mode of running CPU work, their
answers compared with those wanted and, byte for byte, between the modes."""
import argparse
import json
import os
import sys

from harness import PlanDir, Redis, run

SHOWN = 5  # mismatches that are printed
WORDS = ["", "a", "Ab", "été", "zz", "US", "CA", "b.c"]
LISTS = {f"media:{i}": [i * 10 + k for k in range(i % 4)] for i in range(1, 12)}
HASHES = {f"user:{i}": {k: v for k, v in
                        {"country": WORDS[i % 8], "n": i * 7 - 30, "flag": i % 2 == 0}.items()
                        if (i + len(k)) % 3} for i in range(1, 12)}


def options(about, plans):
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rankd")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plans", type=int, default=plans)
    parser.add_argument("--redis", action="store_true", help="on a redis-server, not the memory store")
    parser.add_argument("--keep", help="where to write plans that fail")
    return parser.parse_args()


def same(a, b):
    """Equal in value and type: 1 is not 1.0, nor true."""
    if isinstance(a, float) and isinstance(b, float):
        return a == b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def what_is_wrong(got, want):
    """One answer. `want` holds `candidates`, or `errors`: pairs of code and node, one of which failed."""
    if "candidates" in want:
        return None if same(got.get("candidates"), want["candidates"]) else "other rows"
    error = got.get("error", {})
    return None if (error.get("code"), error.get("node")) in want["errors"] else "another failure"


def compare(chosen, plans, requests, wanted, latency_ms=None, deadlines=False, look=lambda got, want: None):
    """Runs everything and exits. Requests name their plan and have a whole `request_id`, their place.
    `look` may find more wrong with an answer of the first mode. `deadlines`: once more with short ones, which
    may be missed, but nothing else."""
    redis = Redis() if chosen.redis else None
    try:
        if redis:
            redis.load({**LISTS, **HASHES})
        with PlanDir(plans, data={**LISTS, **HASHES}, endpoints=[endpoint(redis, latency_ms)]) as folder:
            bad = Comparison(chosen, plans, requests, wanted, folder.path).all_modes(deadlines, look)
    finally:
        if redis:
            redis.stop()
    print(f"{chosen.plans - len(bad)} of {chosen.plans} plans agree")
    sys.exit(1 if bad else 0)


def endpoint(redis, latency_ms):
    if redis is None:
        latency = {} if latency_ms is None else {"latency_ms": latency_ms}
        return {"endpoint_id": "ep_0001", "name": "store", "kind": "memory", "data": "data.json", **latency}
    # Hundreds of plans are loaded while the connection is made: it must not time out meanwhile.
    return {"endpoint_id": "ep_0001", "name": "store", "kind": "redis", "policy": {"connect_timeout_ms": 10_000},
            "resolver": {"type": "static", "host": "127.0.0.1", "port": redis.port}}


class Comparison:
    """Many requests, and what they must give."""

    def __init__(self, chosen, plans, requests, wanted, folder):
        self.chosen, self.plans, self.requests, self.wanted, self.folder = chosen, plans, requests, wanted, folder
        self.bad = set()

    def run(self, name, requests, flags):
        """The lines of the answers."""
        stdin = "".join(json.dumps(r) + "\n" for r in requests)
        outcome = run(os.path.abspath(self.chosen.rankd), ["--plan_dir", self.folder, *flags], stdin, timeout=300)
        lines = outcome.text.splitlines()
        if len(lines) != len(requests) or outcome.exit not in (0, 1):
            print(f"{name}: exit {outcome.exit}, {len(lines)} answers, want {len(requests)}; stderr: {outcome.err[:2000]}")
            sys.exit(1)
        return lines

    def tell(self, i, name, wrong, request, got):
        if wrong and i not in self.bad:
            self.bad.add(i)
            report(self.chosen, len(self.bad), f"{name}: {wrong}", self.plans, request, got, self.wanted[i])

    def all_modes(self, deadlines, look):
        first = None
        for mode in ("inline", "offload", "fused", "auto"):
            lines = self.run(mode, self.requests, ["--cpu", mode])
            first = first or lines
            for i, (line, want) in enumerate(zip(lines, self.wanted)):
                got = json.loads(line)
                wrong = what_is_wrong(got, want) or (look(got, want) if mode == "inline" else None)
                if wrong is None and "candidates" in want and "trace" not in got and line != first[i]:
                    wrong = "other bytes than with --cpu inline"
                self.tell(i, f"--cpu {mode}", wrong, self.requests[i], got)
        if deadlines:
            self.with_deadlines()
        return self.bad

    def with_deadlines(self):
        hurried = [{**r, "deadline_ms": 1 + i % 9} for i, r in enumerate(self.requests)]
        for i, line in enumerate(self.run("deadlines", hurried, [])):
            got = json.loads(line)
            if got.get("error", {}).get("code") != "deadline_exceeded":
                self.tell(i, "with a deadline", what_is_wrong(got, self.wanted[i]), hurried[i], got)


def related(plans, name):
    """A plan and those it calls, its own name first."""
    found, waiting = [], [name]
    while waiting:
        name = waiting.pop()
        if name in plans and name not in found:
            found.append(name)
            waiting += [other for other in plans if f'"plan": "{other}"' in json.dumps(plans[name])]
    return found


def report(chosen, count, wrong, plans, request, got, want):
    shown = {k: sorted(v) if isinstance(v, frozenset) else v for k, v in want.items()}
    names = related(plans, request["plan"])
    if count <= SHOWN:
        print(f"FAIL {request['plan']}: {wrong}")
        for name in names:
            print(f"     plan {json.dumps(plans[name], ensure_ascii=False)}")
        print(f"     request {json.dumps(request)}")
        print(f"     got  {json.dumps(got, ensure_ascii=False)[:1500]}")
        print(f"     want {json.dumps(shown, ensure_ascii=False)[:1500]}")
    if chosen.keep:
        os.makedirs(chosen.keep, exist_ok=True)
        for name in names:
            with open(os.path.join(chosen.keep, f"{name}.plan.json"), "w", encoding="utf-8") as out:
                json.dump(plans[name], out, ensure_ascii=False, indent=1)
