#!/usr/bin/env python3
"""Minutes of mixed load on one rankd while its two Redis servers are killed, stopped, continued and
started again at random.

usage: soak.py RANKD [--minutes M] [--seed N] [--rate R] [--slow]

Every request must get exactly one answer, in order: the right one, by a reference in this script, or an
error that its plan and its time limits allow. The process's memory and descriptors must be flat. Prints a
line every ten seconds and a summary; exits with 1 if anything was wrong. --slow is for sanitizers: memory
is not compared then."""
import argparse
import collections
import json
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

from harness import PlanDir, plan  # noqa: E402
from peers import Server, Stream, code_of, endpoint  # noqa: E402

USERS = 2000
FOLLOWS = 12


def n_of(user):
    return user * 7919 % 100003


def country_of(user):
    return ("US", "CA", "é\n\"\\", "%s", "")[user % 5]


def follows_of(user):
    return [(user * 31 + i * 17) % USERS + 1 for i in range(user % FOLLOWS)]


def recommended_to(user):
    return [(user * 13 + i * 29) % USERS + 1 for i in range(user % 7)]


# ------------------------------------------------------------------------------------------ the plans

def io(node_id, op, endpoint_name, fields, *inputs, **params):
    return {"node_id": node_id, "op": op, "inputs": list(inputs),
            "params": {"endpoint": endpoint_name, "fields": fields, **params}}


def cpu(node_id, op, source, **params):
    return {"node_id": node_id, "op": op, "inputs": [source], "params": params}


def feed_nodes(store):
    return [io("v", "viewer", store, []), io("f", "follow", store, ["n"], "v"),
            cpu("s", "vm", "f", out_key="m", expr="n * 2 + id"), cpu("k", "filter", "s", pred="m % 3 != 0"),
            cpu("o", "sort", "k", key="m", order="desc"), cpu("t", "take", "o", count=5)]


PLANS = {
    "view": [io("v", "viewer", "first", ["n", "country"])],
    "feed": feed_nodes("first"),
    "embedded": feed_nodes("memory"),
    "both": [io("v", "viewer", "first", []), io("f", "follow", "first", [], "v"),
             io("r", "recommendation", "second", [], "v"),
             {"node_id": "c", "op": "concat", "inputs": ["f", "r"]},
             cpu("d", "dedupe", "c"), io("n", "features", "second", ["n"], "d"),
             cpu("k", "filter", "n", pred="n > 50000")],
    "nap": [io("v", "viewer", "memory", ["n"]), cpu("z", "sleep", "v", duration_ms={"expr": "first(n) % 20"})],
    "spin": [io("v", "viewer", "memory", ["n"]), cpu("b", "busy_cpu", "v", busy_wait_ms={"expr": "first(n) % 4"})],
}
ON_REDIS = {"view", "feed", "both"}


def candidates(ids, **fields):
    return [{"id": i, "fields": {name: f(i) for name, f in sorted(fields.items())}} for i in ids]


def feed(user):
    m = lambda i: n_of(i) * 2 + i
    return candidates(sorted((i for i in follows_of(user) if m(i) % 3 != 0), key=m, reverse=True)[:5], m=m, n=n_of)


REFERENCE = {
    "view": lambda user: candidates([user], n=n_of, country=country_of),
    "feed": feed,
    "embedded": feed,
    "both": lambda user: candidates(
        [i for i in dict.fromkeys(follows_of(user) + recommended_to(user)) if n_of(i) > 50000], n=n_of),
    "nap": lambda user: candidates([user], n=n_of),
    "spin": lambda user: candidates([user], n=n_of),
}


def data():
    store = {}
    for user in range(1, USERS + 1):
        store[f"user:{user}"] = {"n": n_of(user), "country": country_of(user)}
        store[f"follow:{user}"] = follows_of(user)
        store[f"recommendation:{user}"] = recommended_to(user)
    return store


# ----------------------------------------------------------------------------------------- the parts

class Requests:
    """What is asked, at random."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0

    def next(self, calm=False):
        pick = self.random
        self.count += 1
        asked = {"request_id": self.count, "user_id": pick.randint(1, USERS),
                 "plan": pick.choice(("view", "view", "feed", "feed", "both", "embedded", "nap", "spin"))}
        allowed = set()
        if not calm and pick.random() < 0.2:
            asked["deadline_ms"] = pick.choice((1, 3, 10, 50, 2000))
            allowed.add("deadline_exceeded")
        if not calm and pick.random() < 0.2:
            asked["node_timeout_ms"] = pick.choice((1, 3, 10, 50, 2000))
            allowed.add("node_timeout")
        if pick.random() < 0.3:
            asked["cpu"] = pick.choice(("inline", "offload", "fused"))
        if not calm and asked["plan"] in ON_REDIS:
            allowed |= {"redis_unavailable", "redis_timeout"}
        return asked, allowed


class Faults(threading.Thread):
    """Breaks the servers, one thing at a time for each."""

    def __init__(self, server, seed):
        super().__init__(daemon=True)
        self.server = server
        self.random = random.Random(seed)
        self.done = collections.Counter()
        self.over = threading.Event()
        self.error = None

    def run(self):
        try:
            while not self.over.wait(self.random.uniform(0.1, 2.5)):
                name = self.random.choice(("kill", "kill", "stop", "stop", "stop", "drop"))
                getattr(self, name)(self.random.choice((0.02, 0.1, 0.3, 1, 2.5)))
                self.done[name] += 1
        except Exception as error:  # pylint: disable=broad-except
            self.error = error

    def kill(self, seconds):
        self.server.kill()
        self.over.wait(seconds)
        self.server.restart()

    def stop(self, seconds):
        self.server.pause()
        self.over.wait(seconds)
        self.server.go_on()

    def drop(self, _):
        self.server.send(("CLIENT", "KILL", "TYPE", "normal"))


class Gauge(threading.Thread):
    """Memory and descriptors of the process, twice a second."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream = stream
        self.samples = []  # (kB resident, descriptors, threads)
        self.over = threading.Event()

    def now(self):
        return (self.stream.status("VmRSS"), len(os.listdir(f"/proc/{self.stream.process.pid}/fd")),
                self.stream.status("Threads"))

    def run(self):
        while not self.over.wait(0.5):
            try:
                self.samples.append(self.now())
            except OSError:
                return

    def part(self, begin, end, index):
        values = [s[index] for s in self.samples[int(len(self.samples) * begin):int(len(self.samples) * end)]]
        return max(values, default=0)


class Soak:
    def __init__(self, options):
        self.options = options
        self.requests = Requests(options.seed)
        self.outstanding = collections.deque()
        self.tally = collections.Counter()
        self.wrong = []
        self.servers = [Server(users=()) for _ in range(2)]
        for server in self.servers:
            server.load(data())
            server.save()
        endpoints = [endpoint(s.port, name=name, request_timeout_ms=200, max_inflight=inflight)
                     for s, name, inflight in zip(self.servers, ("first", "second"), (64, 5))]
        endpoints.append({"name": "memory", "kind": "memory", "data": "data.json",
                          "latency_ms": {"HGETALL": 1, "LRANGE": 2, "HMGET": 1}})
        self.folder = PlanDir({name: plan(name, nodes) for name, nodes in PLANS.items()}, endpoints=endpoints,
                              data=data())
        self.stream = Stream([options.rankd, "--plan_dir", self.folder.path, "--concurrency", "64"])
        self.gauge = Gauge(self.stream)
        self.faults = [Faults(s, options.seed + i + 1) for i, s in enumerate(self.servers)]
        self.sent_all = threading.Event()

    def say(self, text):
        print(text, flush=True)

    def complain(self, text):
        if len(self.wrong) < 20:
            self.say("WRONG: " + text)
        self.wrong.append(text)

    def send(self, calm=False):
        asked, allowed = self.requests.next(calm)
        self.outstanding.append((asked, allowed))
        self.stream.send((json.dumps(asked) + "\n").encode())

    def feed(self, seconds):
        """At the rate, with pauses and bursts."""
        pick = random.Random(self.options.seed + 99)
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            rate = self.options.rate * pick.choice((0.1, 0.5, 1, 1, 2))
            until = min(end, now + pick.uniform(0.2, 2))
            sent = 0
            while (now_too := time.monotonic()) < until:
                for _ in range(max(1, int((now_too - now) * rate) - sent)):
                    self.send()
                    sent += 1
                time.sleep(0.002)

    def check(self, answer):
        asked, allowed = self.outstanding.popleft()
        if answer.get("request_id") != asked["request_id"]:
            self.complain(f"asked {asked}, answered {json.dumps(answer)[:300]}")
            return
        code = code_of(answer)
        self.tally[code or "right"] += 1
        if code is None:
            expected = REFERENCE[asked["plan"]](asked["user_id"])
            if answer.get("candidates") != expected:
                self.complain(f"asked {asked}, answered {json.dumps(answer)[:300]}, not {expected}")
        elif code not in allowed:
            self.complain(f"asked {asked}, answered {json.dumps(answer)[:300]}")

    def read(self):
        for line in self.stream.process.stdout:
            if not line.endswith(b"\n"):
                self.complain(f"a partial line: {line[:300]!r}")
                return
            if not self.outstanding:
                self.complain(f"an answer to nothing: {line[:300]!r}")
                return
            try:
                self.check(json.loads(line))
            except ValueError:
                self.complain(f"no JSON: {line[:300]!r}")

    def wait_answered(self, seconds):
        end = time.monotonic() + seconds
        while self.outstanding and time.monotonic() < end:
            time.sleep(0.01)
        if self.outstanding:
            self.complain(f"{len(self.outstanding)} requests have no answer {seconds} s later")

    def report(self):
        start = time.monotonic()
        while not self.sent_all.wait(10):
            rss, descriptors, threads = self.gauge.now()
            self.say(f"{time.monotonic() - start:6.0f} s  {sum(self.tally.values())} answered, {self.tally['right']} "
                     f"right, {rss} kB, {descriptors} descriptors, {threads} threads")

    def run(self):
        seconds = self.options.minutes * 60
        self.say(f"soak: {self.options.minutes:g} minutes, seed {self.options.seed}")
        reader = threading.Thread(target=self.read, daemon=True)
        reader.start()
        for _ in range(200):  # every plan is loaded, every connection there
            self.send(calm=True)
        self.wait_answered(20)
        descriptors = self.gauge.now()[1]
        for thread in (self.gauge, *self.faults, reporter := threading.Thread(target=self.report, daemon=True)):
            thread.start()
        started = time.monotonic()
        self.feed(seconds)
        took = time.monotonic() - started
        self.sent_all.set()
        for faults in self.faults:
            faults.over.set()
        for faults in self.faults:
            faults.join()
            if faults.error:
                self.complain(f"the servers cannot be broken: {faults.error}")
        self.wait_answered(20)
        self.gauge.over.set()
        self.gauge.join()
        reporter.join()
        load = sum(self.tally.values()) - 200
        time.sleep(1.5)  # a backoff at most, and a connection that stood still is given up
        for _ in range(500):
            self.send(calm=True)
        self.wait_answered(20)
        self.check_flat(descriptors)
        status = self.stream.finish()
        reader.join(10)
        failed = sum(count for code, count in self.tally.items() if code != "right")
        self.check_end(status, failed)
        self.summary(load, took)
        return 1 if self.wrong else 0

    def check_flat(self, descriptors):
        early, late = self.gauge.part(0.2, 0.6, 0), self.gauge.part(0.6, 1, 0)
        if not self.options.slow and late > early * 1.1 + 4096:
            self.complain(f"memory grows: {early} kB, later {late} kB")
        if self.gauge.now()[1] > descriptors:
            self.complain(f"descriptors grow: {descriptors}, in the end {self.gauge.now()[1]}")
        if self.gauge.part(0, 1, 1) > descriptors + 4:
            self.complain(f"{self.gauge.part(0, 1, 1)} descriptors at once, {descriptors} when all was well")

    def check_end(self, status, failed):
        if status != (1 if failed else 0):
            self.complain(f"exit status {status} with {failed} failed")
        said = self.stream.err[0].decode("utf-8", "replace")
        counts = f"{failed} of {self.requests.count} requests failed:"
        if failed and counts not in said or said.count("\n") > 1:
            self.complain(f"stderr says {said[:500]!r}, not {counts!r}")
        if self.outstanding:
            self.complain(f"{len(self.outstanding)} requests were never answered")

    def summary(self, load, took):
        faults = sum((f.done for f in self.faults), collections.Counter())
        tally = ", ".join(f"{code} {count}" for code, count in self.tally.most_common())
        rss = [self.gauge.part(a, b, 0) for a, b in ((0, 0.2), (0.2, 0.6), (0.6, 1))]
        self.say(f"requests     {self.requests.count}, {load / took:.0f} a second under load")
        self.say(f"answers      {tally}")
        self.say("faults       " + ", ".join(f"{name} {count}" for name, count in faults.most_common()))
        self.say(f"memory       {rss[0]} kB at most in the first fifth, {rss[1]} kB then, {rss[2]} kB in the end")
        self.say(f"descriptors  {self.gauge.part(0, 1, 1)} at most, threads {self.gauge.part(0, 1, 2)}")
        self.say(f"soak: {len(self.wrong)} wrong" if self.wrong else "soak: all right")

    def clean_up(self):
        self.stream.kill()
        for server in self.servers:
            server.stop()
        self.folder.__exit__()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("rankd", type=os.path.abspath)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=int, default=2000, help="requests a second, about")
    parser.add_argument("--slow", action="store_true")
    soak = Soak(parser.parse_args())
    try:
        sys.exit(soak.run())
    finally:
        soak.clean_up()


if __name__ == "__main__":
    main()
