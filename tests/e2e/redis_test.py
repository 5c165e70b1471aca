#!/usr/bin/env python3
"""rankd against a redis-server of its own.   usage: redis_test.py RANKD PLANS [--slow]"""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from harness import PlanDir, Redis, environment, plan, run

RANKD = ""
PLANS = ""
SLOW = False

VIEW = {"view": plan("view", [{"node_id": "v", "op": "viewer", "params": {"endpoint": "store", "fields": ["n"]}}])}
READ = {"node_id": "v", "op": "viewer", "params": {"endpoint": "store", "fields": ["n"]}}
SPARE = {"body": {"nodes": [{"node_id": "spare", "op": "fixed_source", "params": {"row_count": 2}}], "outputs": ["spare"]}}
CATCHING = {
    "beside": plan("beside", [{"node_id": "t", "op": "try", "params": {"catch": [SPARE], "body": {"outputs": ["v", "x"], "nodes": [
        READ, {"node_id": "x", "op": "sleep", "params": {"duration_ms": 20, "fail_after_sleep": True}}]}}}]),
    "late": plan("late", [{"node_id": "t", "op": "try", "params": {"catch": [{"codes": ["redis_timeout"], **SPARE}], "body": {
        "outputs": ["v"], "nodes": [READ]}}}]),
    "bounded": plan("bounded", [{"node_id": "t", "op": "try", "timeout_ms": 50, "params": {
        "catch": [{"codes": ["node_timeout"], **SPARE}], "body": {"outputs": ["v"], "nodes": [READ]}}}])}
DATA = {f"user:{i}": {"n": i * 10} for i in range(1, 51)}


def requests(users, **fields):
    return "".join(json.dumps({"request_id": u, "user_id": u, **fields}) + "\n" for u in users)


def endpoint(redis, **fields):
    policy = fields.pop("policy", {})
    return [{"name": "store", "kind": "redis", "resolver": {"type": "static", "host": "127.0.0.1", "port": redis.port},
             "policy": policy, **fields}]


class WithRedis(unittest.TestCase):
    options = ()

    def setUp(self):
        self.redis = Redis(*self.options)
        self.addCleanup(self.redis.stop)

    def view(self, users, *args, endpoints=None, env=None, **fields):
        with PlanDir(VIEW, endpoints=endpoints) as folder:
            return run(RANKD, ["--plan_name", "view", "--plan_dir", folder.path, *args], requests(users, **fields), env)

    def assert_served(self, outcome, users):
        got = [(r["request_id"], r.get("candidates")) for r in outcome.responses]
        self.assertEqual(got, [(u, [{"id": u, "fields": {"n": u * 10}}]) for u in users], outcome.err)

    def codes(self, outcome):
        return [r.get("error", {}).get("code") for r in outcome.responses]


class Reaching(WithRedis):
    def setUp(self):
        super().setUp()
        self.redis.load(DATA)

    def test_by_url_and_by_variable_and_by_socket(self):
        users = [1, 2, 3]
        self.assert_served(self.view(users, "--redis", self.redis.url), users)
        self.assert_served(self.view(users, env={"REDIS_URL": self.redis.url}), users)
        self.assert_served(self.view(users, "--redis", f"unix://{self.redis.socket}"), users)
        self.assert_served(self.view(users, "--redis", f"redis://localhost:{self.redis.port}"), users)

    def test_the_flag_wins_over_the_variable(self):
        outcome = self.view([1], "--redis", self.redis.url, env={"REDIS_URL": "redis://127.0.0.1:1"})
        self.assert_served(outcome, [1])

    def test_an_endpoint_of_kind_redis(self):
        self.assert_served(self.view([4, 5], endpoints=endpoint(self.redis)), [4, 5])
        by_socket = [{"name": "store", "kind": "redis", "unix_socket": self.redis.socket}]
        self.assert_served(self.view([4, 5], endpoints=by_socket), [4, 5])

    def test_another_database(self):
        self.redis.send(("SELECT", "3"), ("HSET", "user:1", "n", "777"))
        outcome = self.view([1], "--redis", self.redis.url + "/3")
        self.assertEqual(outcome.responses[0]["candidates"], [{"id": 1, "fields": {"n": 777}}])
        outcome = self.view([1], endpoints=endpoint(self.redis, db=3))
        self.assertEqual(outcome.responses[0]["candidates"], [{"id": 1, "fields": {"n": 777}}])

    def test_fifty_requests_through_one_place_in_flight(self):
        users = list(range(1, 51))
        self.assert_served(self.view(users, endpoints=endpoint(self.redis, policy={"max_inflight": 1})), users)

    def test_a_value_of_many_megabytes(self):
        self.redis.send(("HSET", "user:60", "title", "x" * (8 << 20)))
        plans = {"t": plan("t", [{"node_id": "v", "op": "viewer", "params": {"endpoint": "store", "fields": ["title"]}}])}
        with PlanDir(plans) as folder:
            outcome = run(RANKD, ["--plan_name", "t", "--plan_dir", folder.path, "--redis", self.redis.url], requests([60]))
        self.assertEqual(len(outcome.responses[0]["candidates"][0]["fields"]["title"]), 8 << 20)

    def test_bytes_that_are_no_utf8_are_bad_data(self):
        self.redis.send(("HSET", "user:61", "title", b"\xff\xfe"))
        plans = {"t": plan("t", [{"node_id": "v", "op": "viewer", "params": {"endpoint": "store", "fields": ["title"]}}])}
        with PlanDir(plans) as folder:
            outcome = run(RANKD, ["--plan_name", "t", "--plan_dir", folder.path, "--redis", self.redis.url], requests([61]))
        self.assertEqual(self.codes(outcome), ["bad_data"])
        self.assertIn("user:61", outcome.responses[0]["error"]["message"])

    def test_the_shipped_plans_answer_as_on_the_memory_store(self):
        demo = subprocess.run([RANKD, "demo-data", "--plan_dir", PLANS], capture_output=True, env=environment(), check=True)
        pipe = subprocess.run(["redis-cli", "-p", str(self.redis.port), "--pipe"], input=demo.stdout, capture_output=True)
        self.assertEqual(pipe.returncode, 0, pipe.stdout)
        self.assertIn(b"errors: 0", pipe.stdout)
        stdin = requests(range(1, 41))
        for name in ("simple_plan", "viewer_filter", "parallel_fanout", "mixed_pipeline", "diamond", "complex_plan",
                     "rollout_branch", "country_diversify", "backfill_loop", "two_shelves"):
            memory = run(RANKD, ["--plan_name", name, "--plan_dir", PLANS], stdin)
            server = run(RANKD, ["--plan_name", name, "--plan_dir", PLANS, "--redis", self.redis.url], stdin)
            self.assertEqual(server.text, memory.text, name)
            self.assertEqual((server.exit, server.err), (0, ""))


class Passwords(WithRedis):
    options = ("--requirepass", "s3cret:@/")

    def test_with_and_without(self):
        self.redis.send(("AUTH", "s3cret:@/"), *[("HSET", k, "n", str(v["n"])) for k, v in DATA.items()])
        url = f"redis://:s3cret%3A%40%2F@127.0.0.1:{self.redis.port}"
        self.assert_served(self.view([1, 2], "--redis", url), [1, 2])
        by_variable = endpoint(self.redis, password_env="STORE_PASSWORD")
        self.assert_served(self.view([1, 2], endpoints=by_variable, env={"STORE_PASSWORD": "s3cret:@/"}), [1, 2])
        for outcome in (self.view([1], "--redis", self.redis.url),
                        self.view([1], "--redis", f"redis://:wrong@127.0.0.1:{self.redis.port}"),
                        self.view([1], endpoints=by_variable, env={"STORE_PASSWORD": "wrong"})):
            self.assertIn(self.codes(outcome)[0], ("redis_error", "redis_unavailable"))
            self.assertNotIn("s3cret", outcome.text + outcome.err)
            self.assertEqual(outcome.exit, 1)


class Faults(WithRedis):
    def setUp(self):
        super().setUp()
        self.redis.load(DATA)
        self.folder = PlanDir({**VIEW, **CATCHING}, endpoints=endpoint(self.redis, policy={"request_timeout_ms": 200}))
        self.addCleanup(self.folder.__exit__)

    def start(self, *args):
        process = subprocess.Popen([RANKD, "--plan_name", "view", "--plan_dir", self.folder.path, *args], bufsize=0,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment())
        self.addCleanup(self.end, process)
        self.lines = os.fdopen(os.dup(process.stdout.fileno()), "rb")
        self.addCleanup(self.lines.close)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()

    def ask(self, process, user, **fields):
        process.stdin.write(requests([user], **fields).encode())
        return json.loads(self.lines.readline())

    def assert_answer(self, answer, user):
        self.assertEqual(answer.get("candidates"), [{"id": user, "fields": {"n": user * 10}}], answer)

    def test_a_server_that_stops_answering_times_out_and_late_replies_reach_nobody(self):
        process = self.start()
        self.assert_answer(self.ask(process, 1), 1)
        self.redis.process.send_signal(signal.SIGSTOP)
        try:
            start = time.monotonic()
            answer = self.ask(process, 2)
            seconds = time.monotonic() - start
        finally:
            self.redis.process.send_signal(signal.SIGCONT)
        self.assertEqual(answer["error"]["code"], "redis_timeout")
        self.assertGreaterEqual(seconds, 0.2)
        if not SLOW:
            self.assertLess(seconds, 0.5)
        for user in range(3, 20):  # the reply to 2 comes first
            self.assert_answer(self.ask(process, user), user)

    def test_a_catch_runs_at_once_and_the_late_reply_reaches_nobody(self):
        process = self.start()
        self.assert_answer(self.ask(process, 1), 1)
        for name, low, high in (("beside", 0.02, 0.19), ("bounded", 0.05, 0.19), ("late", 0.2, 0.5)):
            self.redis.process.send_signal(signal.SIGSTOP)
            try:
                start = time.monotonic()
                answer = self.ask(process, 2, plan=name)
                seconds = time.monotonic() - start
            finally:
                self.redis.process.send_signal(signal.SIGCONT)
            self.assertEqual([c["id"] for c in answer.get("candidates", [])], [1, 2], answer)
            self.assertGreaterEqual(seconds, low, name)
            if not SLOW:
                self.assertLess(seconds, high, name)
            for user in range(3, 20):  # the reply to 2 comes first
                self.assert_answer(self.ask(process, user), user)

    def test_a_server_that_is_killed_and_comes_back(self):
        process = self.start()
        self.assert_answer(self.ask(process, 1), 1)
        self.redis.process.kill()
        self.redis.process.wait()
        answer = self.ask(process, 2)
        self.assertEqual(answer["error"]["code"], "redis_unavailable")
        self.redis.process = subprocess.Popen(
            ["redis-server", "--port", str(self.redis.port), "--bind", "127.0.0.1", "--save", "", "--dir", self.redis.dir],
            stdout=subprocess.DEVNULL)
        self.assertTrue(self.redis._listening())
        self.redis.load(DATA)
        deadline = time.monotonic() + 30
        while "error" in (answer := self.ask(process, 3)) and time.monotonic() < deadline:
            self.assertEqual(answer["error"]["code"], "redis_unavailable")
            time.sleep(0.05)
        self.assert_answer(answer, 3)
        for user in range(4, 10):
            self.assert_answer(self.ask(process, user), user)

    def test_a_stream_over_a_kill_answers_every_request_once_and_rightly(self):
        process = self.start()
        users = [u % 50 + 1 for u in range(20000)]
        writer = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdout.write(sys.stdin.read())"],
                                  stdin=subprocess.PIPE, stdout=process.stdin)
        process.stdin.close()
        process.stdin = open(os.devnull, "wb")
        writer.stdin.write(requests(users).encode())
        writer.stdin.close()
        first = [json.loads(self.lines.readline()) for _ in range(100)]
        self.redis.process.kill()
        answers = first + [json.loads(text) for text in self.lines]
        writer.wait()
        self.assertEqual([a["request_id"] for a in answers], users)
        for answer, user in zip(answers, users):
            if "error" in answer:
                self.assertEqual(answer["error"]["code"], "redis_unavailable")
            else:
                self.assert_answer(answer, user)


if __name__ == "__main__":
    RANKD, PLANS = map(os.path.abspath, sys.argv[1:3])
    SLOW = "--slow" in sys.argv
    unittest.main(argv=[sys.argv[0], *[a for a in sys.argv[3:] if a != "--slow"]])
