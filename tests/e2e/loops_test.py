#!/usr/bin/env python3
"""Several event loops, --loops N.   usage: loops_test.py RANKD [--slow]"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from harness import PlanDir, Redis, environment, plan, run, wait_until_serving

RANKD = ""
SLOW = False

SOURCE = {"node_id": "s", "op": "fixed_source", "params": {"rows": [
    {"id": i, "n": i * i, "country": "DE" if i % 3 else "US"} for i in range(40)]}}


def nap(milliseconds):
    return {"node_id": "nap", "op": "sleep", "inputs": ["s"], "params": {"duration_ms": milliseconds}}


STORE = [{"node_id": "v", "op": "viewer", "params": {"endpoint": "ep_0001"}},
         {"node_id": "f", "op": "follow", "inputs": ["v"], "params": {"endpoint": "ep_0001", "fields": ["country"]}}]
PLANS = {
    "rows": plan("rows", [SOURCE, {"node_id": "p", "op": "filter", "inputs": ["s"], "params": {
        "where": "country == 'DE' && n > P.limit"}}, {"node_id": "o", "op": "sort", "inputs": ["p"], "params": {
            "key": "n", "order": "desc"}}]),
    "quick": plan("quick", [{**SOURCE, "params": {"rows": [{"id": 5}]}}]),
    "nap": plan("nap", [SOURCE, nap({"expr": "P.limit"})]),
    "spin": plan("spin", [SOURCE, {"node_id": "p", "op": "busy_cpu", "inputs": ["s"],
                                   "params": {"busy_wait_ms": {"expr": "P.limit"}}}]),
    "store": plan("store", STORE),
}
# Rows doubled until sorting them takes a while, on the loop with --cpu inline.
DOUBLED = [{"node_id": f"d{i + 1}", "op": "concat", "inputs": [f"d{i}", f"d{i}"]} for i in range(13)]
PLANS["heavy"] = plan("heavy", [{**SOURCE, "node_id": "d0"}, *DOUBLED] + [
    {"node_id": f"o{i}", "op": "sort", "inputs": [f"o{i - 1}" if i else "d13"],
     "params": {"key": ("n", "country")[i % 2], "order": ("asc", "desc")[i % 2]}} for i in range(6)] + [
    {"node_id": "t", "op": "take", "inputs": ["o5"], "params": {"count": 1}}])
DATA = {f"user:{u}": {"country": f"C{u}"} for u in range(1, 50)} | {
    f"follow:{u}": [1 + (u * 7 + k) % 49 for k in range(5)] for u in range(1, 50)}


def lines(*requests):
    return "".join(json.dumps(request) + "\n" for request in requests).encode()


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = PlanDir(PLANS, data=DATA)
        cls.files = tempfile.mkdtemp(prefix="rankd-loops-", dir=cls.folder.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.__exit__()

    def file(self, name):
        return os.path.join(self.files, f"{self.id()}.{name}")

    def serve(self, loops, stdin, *args):
        return run(RANKD, ["--plan_dir", self.folder.path, "--loops", str(loops), *args], stdin)

    def start(self, loops, *args):
        process = subprocess.Popen([RANKD, "--plan_dir", self.folder.path, "--loops", str(loops), *args],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment())
        self.addCleanup(self.finish, process)
        wait_until_serving(process)
        return process

    def finish(self, process):
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass


def mixed_requests(count):
    """Of every kind: plans, params, failures, things that are no requests."""
    out = []
    for i in range(count):
        kind = i % 9
        if kind == 0:
            out.append("{nonsense}\n")
        elif kind == 1:
            out.append(json.dumps({"plan": "nowhere"}) + "\n")
        elif kind == 2:
            out.append(json.dumps({"plan": "rows", "params": {"limit": "x"}}) + "\n")
        elif kind in (3, 4):
            out.append(json.dumps({"plan": "store", "user_id": 1 + i % 49, "request_id": i}) + "\n")
        elif kind == 5:
            out.append(json.dumps({"plan": "store", "request_id": f"no user {i}"}) + "\n")
        elif kind == 6:
            out.append(json.dumps({"plan": "nap", "params": {"limit": i % 7}, "request_id": i}) + "\n")
        else:
            out.append(json.dumps({"plan": "rows", "params": {"limit": i % 900}}) + "\n")
    return "".join(out).encode()


class Streams(Case):
    def test_the_same_bytes_whatever_the_number_of_loops(self):
        requests = mixed_requests(1200)
        one = self.serve(1, requests)
        self.assertEqual((one.exit, len(one.lines)), (1, 1200))
        for loops in (2, 3, 8):
            for concurrency in ("1", "5", "500"):
                many = self.serve(loops, requests, "--concurrency", concurrency)
                self.assertEqual((many.exit, many.raw == one.raw, many.err), (1, True, one.err))

    def test_unordered_answers_are_the_same_lines(self):
        requests = mixed_requests(2000)
        one = self.serve(1, requests)
        many = self.serve(3, requests, "--unordered")
        self.assertEqual(sorted(many.lines), sorted(one.lines))

    def test_a_loop_that_is_busy_does_not_hold_up_the_others(self):
        # The first keeps its loop busy; the others find the free one, long before it is done.
        process = self.start(2, "--cpu", "inline", "--unordered", "--concurrency", "2")
        process.stdin.write(lines({"plan": "heavy", "request_id": "heavy"},
                                  *[{"plan": "quick", "request_id": i} for i in range(10)]))
        process.stdin.close()
        answers = [json.loads(text)["request_id"] for text in process.stdout.read().splitlines()]
        self.assertEqual(answers, [*range(10), "heavy"])
        self.assertEqual(process.wait(timeout=30), 0)

    def test_deadlines_and_limits_in_flight_hold(self):
        out = self.serve(3, lines(*[{"plan": "nap", "params": {"limit": 60000}, "deadline_ms": 50}] * 30),
                         "--concurrency", "10")
        self.assertEqual({r["error"]["code"] for r in out.responses}, {"deadline_exceeded"})
        self.assertGreaterEqual(out.ms, 150)
        if not SLOW:
            self.assertLess(out.ms, 600)

    def test_large_requests_and_answers(self):
        big = "x" * (2 << 20)
        requests = lines(*[{"plan": "quick", "request_id": big[: 1 + i * 200_000]} for i in range(10)])
        self.assertEqual(self.serve(2, requests).raw, self.serve(1, requests).raw)

    def test_notes_come_once(self):
        self.folder.write("endpoints.secret.json", {"endpoints": [
            {"endpoint_id": "ep_0001", "name": "store", "kind": "redis",
             "resolver": {"type": "static", "host": "127.0.0.1", "port": 1}, "password_env": "NOT_SET_ANYWHERE"}]})
        out = self.serve(4, lines({"plan": "quick"}), "--env", "secret")
        self.assertEqual(out.err.count("NOT_SET_ANYWHERE"), 1, out.err)

    def test_a_reader_that_leaves_ends_it(self):
        process = self.start(3)
        feeder = subprocess.Popen([sys.executable, "-c", "import sys\nwhile 1: sys.stdout.write('{\"plan\":\"rows\"}\\n' * 99)"],
                                  stdout=process.stdin, stderr=subprocess.DEVNULL)
        process.stdin.close()
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(timeout=30), -signal.SIGPIPE)
        feeder.wait(timeout=30)


class Signals(Case):
    def test_a_signal_answers_what_is_in_flight(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start(3)
            process.stdin.write(lines(*[{"plan": "nap", "params": {"limit": 60000}, "request_id": i}
                                        for i in range(20)]))
            process.stdin.flush()
            time.sleep(0.3)
            started = time.monotonic()
            process.send_signal(number)
            out = process.stdout.read()
            self.assertEqual(process.wait(timeout=30), 128 + number)
            answers = [json.loads(text) for text in out.splitlines()]
            self.assertEqual([a["request_id"] for a in answers], list(range(20)))
            self.assertEqual({a["error"]["code"] for a in answers}, {"cancelled"})
            if not SLOW:
                self.assertLess(time.monotonic() - started, 1.0)

    def test_a_signal_while_loops_are_busy_ends_in_time_with_whole_files(self):
        path = self.file("json")
        process = self.start(2, "--cpu", "inline", "--trace", path)
        process.stdin.write(lines({"plan": "quick"}, *[{"plan": "heavy"}] * 40))
        process.stdin.flush()
        process.stdout.readline()
        time.sleep(0.2)
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        out = process.stdout.read()
        self.assertEqual(process.wait(timeout=30), 143)
        if not SLOW:
            self.assertLess(time.monotonic() - started, 1.5)
        self.assertTrue(out == b"" or out.endswith(b"\n"))
        with open(path, encoding="utf-8") as file:
            json.load(file)


class Records(Case):
    def test_a_log_has_every_request_once(self):
        path = self.file("log")
        self.serve(4, mixed_requests(3000), "--log", path)
        with open(path, encoding="utf-8") as file:
            entries = [json.loads(text) for text in file]
        self.assertEqual(len(entries), 3000)
        self.assertEqual(len({json.dumps(e["request_id"]) for e in entries}), 3000)

    def test_a_trace_nests_and_has_a_track_for_each_loop(self):
        path = self.file("json")
        out = self.serve(3, lines(*[{"plan": "nap", "params": {"limit": 2}}] * 200), "--trace", path)
        self.assertEqual(out.exit, 0)
        with open(path, encoding="utf-8") as file:
            events = json.load(file)
        tracks = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        self.assertEqual(tracks, {1: "loop 0", 2: "loop 1", 3: "loop 2"})
        requests = [e for e in events if e["ph"] == "b" and "request_id" in e["args"]]
        self.assertEqual(len({e["id"] for e in requests}), 200)
        self.assertEqual({e["tid"] for e in requests}, {1, 2, 3})
        open_spans = {}
        for event in events:
            if event["ph"] == "b":
                open_spans.setdefault(event["id"], []).append(event["name"])
            elif event["ph"] == "e":
                self.assertEqual(open_spans[event["id"]].pop(), event["name"])
        self.assertFalse(any(open_spans.values()))


class Stores(Case):
    def test_each_loop_has_a_connection_of_its_own_and_answers_are_the_same(self):
        redis = Redis()
        try:
            redis.load(DATA)
            requests = lines(*[{"plan": "store", "user_id": 1 + i % 49} for i in range(3000)])
            one = self.serve(1, requests, "--redis", redis.url)
            self.assertEqual(one.exit, 0, one.err)
            process = self.start(3, "--redis", redis.url)
            out, _ = process.communicate(requests, timeout=60)
            self.assertEqual(out, one.raw)
            # Its own question is the last connection; those before it are of the two runs.
            total = next(line for line in redis.send(("INFO", "stats")).split(b"\r\n")
                         if line.startswith(b"total_connections_received"))
            asked = 3  # what load and this sent, and the look whether the server listens
            self.assertEqual(int(total.split(b":")[1]) - asked, 1 + 3)
        finally:
            redis.stop()


class Bench(Case):
    def bench(self, loops, count, *args, plan_name="quick"):
        done = run(RANKD, ["--plan_dir", self.folder.path, "--plan_name", plan_name, "--bench", str(count),
                           "--loops", str(loops), *args])
        return done, json.loads(done.text)

    def test_every_request_is_counted_once(self):
        for loops, count, concurrency in ((2, 1001, 64), (3, 10, 2), (8, 3, 64), (2, 1, 1)):
            done, result = self.bench(loops, count, "--bench_concurrency", str(concurrency))
            self.assertEqual((done.exit, result["iterations"], result["errors"], result["concurrency"],
                              result["loops"]), (0, count, 0, concurrency, loops))

    def test_requests_are_cycled_through_as_with_one_loop(self):
        path = self.file("ndjson")
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"plan":"quick"}\n{"plan":"nap","params":{"limit":60000},"deadline_ms":1}\n{"plan":"quick"}\n')
        for loops in (1, 2, 3):
            done, result = self.bench(loops, 300, "--bench_requests", path, "--bench_concurrency", "9")
            self.assertEqual((done.exit, result["iterations"], result["errors"]), (1, 300, 100))
            self.assertIn("100 of 300 requests failed: deadline_exceeded 100", done.err)

    def test_an_open_loop_keeps_its_rate(self):
        _, result = self.bench(2, 400, "--bench_rate", "1000", "--bench_warmup", "0", plan_name="nap")
        self.assertEqual((result["iterations"], result["rate_rps"]), (400, 1000))
        self.assertGreaterEqual(result["total_ms"], 395)
        if not SLOW:
            self.assertLess(result["total_ms"], 800)

    def test_a_signal_ends_it_with_what_was_measured(self):
        for extra in ((), ("--cpu", "inline")):
            process = self.start(2, "--plan_name", "spin", "--param", "limit=60000", "--bench", "100",
                                 "--bench_concurrency", "4", *extra)
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 130)
            self.assertEqual(json.loads(out)["iterations"], 0)

    def test_a_log_of_a_bench_has_every_request(self):
        path = self.file("log")
        self.bench(3, 2000, "--bench_concurrency", "30", "--bench_warmup", "7", "--log", path)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 2007)


class Flags(Case):
    def test_what_is_no_number_of_loops(self):
        for value in ("0", "65", "-1", "x", ""):
            out = run(RANKD, ["--plan_dir", self.folder.path, "--loops", value])
            self.assertEqual(out.exit, 2)
            self.assertTrue(out.err.startswith("rankd: --loops must be a whole number from 1 to 64, not \""), out.err)


if __name__ == "__main__":
    RANKD, SLOW = sys.argv[1], "--slow" in sys.argv[2:]
    unittest.main(argv=[sys.argv[0]])
