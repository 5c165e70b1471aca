#!/usr/bin/env python3
"""rankd and a string of 64 MB in a redis-server.   usage: redis_large_test.py RANKD [--slow]"""
import json
import os
import sys
import time
import unittest

from harness import plan
from peers import FaultCase, code_of, endpoint, request

TEXT = {"text": plan("text", [{"node_id": "v", "op": "viewer", "params": {"endpoint": "store", "fields": ["title"]}}])}


class Large(FaultCase):
    SIZE = 64 << 20

    def setUp(self):
        self.redis = self.server()
        self.redis.send(("HSET", "user:2000", "n", 1, "title", b"\x01" + b"x" * (self.SIZE - 1)),
                        ("HSET", "user:2001", "title", "small"))

    def large_answer(self, stream):
        line = stream.process.stdout.readline()
        self.assertTrue(line.endswith(b'"}}]}\n'), line[-100:])
        self.assertEqual(len(line), self.SIZE - 1 + len(
            b'{"request_id":2000,"candidates":[{"id":2000,"fields":{"title":"\\u0001"}}]}\n'))

    def test_a_string_of_64_mb(self):
        stream = self.start([endpoint(self.redis.port, request_timeout_ms=20000)], plan_name="text", plans=TEXT)
        for _ in range(2):
            stream.send(request(2001) + request(2000) + request(2001))
            self.assertEqual(stream.answer()["candidates"][0]["fields"], {"title": "small"})
            self.large_answer(stream)
            self.assertEqual(stream.answer()["candidates"][0]["fields"], {"title": "small"})
        self.assertEqual(stream.finish(), 0)

    def test_a_string_of_64_mb_that_is_late_is_dropped_as_it_comes(self):
        stream = self.start([endpoint(self.redis.port, request_timeout_ms=20000)], plan_name="text", plans=TEXT)
        stream.ask(2001)
        for _ in range(8):
            stream.send(request(2000, deadline_ms=5))
            self.assertEqual(code_of(stream.answer()), "deadline_exceeded")
            self.assertEqual(stream.ask(2001)["candidates"][0]["fields"], {"title": "small"})
        if not self.slow:
            self.assertLess(stream.status("VmHWM"), 160 << 10)
        self.assertEqual(stream.finish(), 1)

    def test_memory_that_runs_out_fails_the_request_and_not_the_process(self):
        if self.slow:
            return  # AddressSanitizer needs terabytes of addresses
        stream = self.start([endpoint(self.redis.port)], plan_name="text", plans=TEXT)
        self.assertIn("candidates", stream.ask(2001))
        base = stream.status("VmSize")
        stream.kill()
        # So little that the reply, the rows or the answer does not fit, each once.
        outcomes = set()
        for megabytes in (20, 80, 140, 200, 300, 700):
            limit = (base + (megabytes << 10)) << 10
            stream = self.start([endpoint(self.redis.port, request_timeout_ms=20000, connect_timeout_ms=2000)],
                                plan_name="text", plans=TEXT, before=["prlimit", f"--as={limit}", "--"])
            self.assertIn("candidates", stream.ask(2001))
            for _ in range(2):
                stream.send(request(2000))
                line = stream.process.stdout.readline()
                self.assertTrue(line.endswith(b"\n"), (megabytes, line[-100:], stream.process.poll(), stream.err))
                if len(line) < self.SIZE:
                    answer = json.loads(line)
                    self.assert_failed(answer, 2000, "limit_exceeded")
                outcomes.add(len(line) < self.SIZE)
                give_up = time.monotonic() + 10
                while code_of(small := stream.ask(2001)) == "redis_unavailable":
                    self.assertLess(time.monotonic(), give_up)
                    time.sleep(0.01)
                self.assertEqual(small["candidates"][0]["fields"], {"title": "small"})
            self.assertIn(stream.finish(), (0, 1))
        self.assertEqual(outcomes, {True, False})


LISTS = {
    "ids": plan("ids", [{"node_id": "v", "op": "viewer", "params": {"endpoint": "store", "fields": []}},
                        {"node_id": "f", "op": "follow", "inputs": ["v"], "params": {"endpoint": "store", "fields": []}},
                        {"node_id": "t", "op": "take", "inputs": ["f"], "params": {"count": 2}}]),
    "rows": plan("rows", [{"node_id": "v", "op": "viewer", "params": {"endpoint": "store", "fields": []}},
                          {"node_id": "f", "op": "follow", "inputs": ["v"],
                           "params": {"endpoint": "store", "fields": ["title", "n"]}},
                          {"node_id": "s", "op": "sort", "inputs": ["f"], "params": {"key": "n", "order": "desc"}},
                          {"node_id": "t", "op": "take", "inputs": ["s"], "params": {"count": 3}}]),
    "nap": plan("nap", [{"node_id": "s", "op": "sleep", "inputs": ["r"], "params": {"duration_ms": 60000}},
                        {"node_id": "r", "op": "fixed_source", "params": {"rows": [{"id": 1}]}}], outputs=["s"]),
}


class Lists(FaultCase):
    COUNT = 300_000

    def setUp(self):
        if self.slow:
            self.COUNT = 40_000
        self.redis = self.server()
        ids = [1_000_000 + i for i in range(self.COUNT)]
        self.redis.send(("DEL", "follow:1"), *[("RPUSH", "follow:1", *ids[i:i + 10_000])
                                               for i in range(0, self.COUNT, 10_000)])
        self.redis.send(*[("HSET", f"user:{i}", "title", f"t{i}", "n", i % 200_003) for i in ids[::50]])

    def begin(self, *arguments):
        return self.start([endpoint(self.redis.port, request_timeout_ms=60000)], *arguments, plan_name="nap",
                          plans=LISTS)

    def test_rows_of_a_long_list_are_right_and_asked_for_in_parts(self):
        log = os.path.join(self.redis.dir, "log")
        stream = self.begin("--log", log)
        answer = stream.ask(1, plan="rows")
        known = sorted(((i % 200_003, -i) for i in range(1_000_000, 1_000_000 + self.COUNT, 50)), reverse=True)[:3]
        self.assertEqual([(c["id"], c["fields"]) for c in answer["candidates"]],
                         [(-i, {"title": f"t{-i}", "n": n}) for n, i in known])
        self.assertEqual(stream.finish(), 0)
        with open(log, encoding="utf-8") as file:
            self.assertEqual(json.loads(file.readline())["redis_commands"], 2 + self.COUNT)

    def test_a_long_list_lets_the_deadlines_of_others_be_kept(self):
        log = os.path.join(self.redis.dir, "log")
        stream = self.begin("--log", log, "--unordered", "--concurrency", "1000")
        stream.ask(2, plan="ids")
        stream.send(request(1, plan="rows"))
        for number in range(100):
            stream.send(request(1, plan="nap", request_id=f"nap {number}", deadline_ms=20))
            time.sleep(0.005)
        for _ in range(101):
            stream.answer()
        stream.finish()
        with open(log, encoding="utf-8") as file:
            entries = [json.loads(line) for line in file]
        late = sorted(e["latency_us"] / 1000 - 20 for e in entries if str(e["request_id"]).startswith("nap"))
        self.assertEqual(len(late), 100)
        self.assertGreaterEqual(late[0], 0)
        if not self.slow:
            # It was 50 to 100 ms. What is left is the machine's own noise.
            self.assertLess(late[-1], 20)
            self.assertLess(late[90], 5)

    def test_a_deadline_ends_it_in_the_middle(self):
        stream = self.begin()
        stream.ask(2, plan="ids")
        for deadline in (10, 40, 80, 160):
            start = time.monotonic()
            answer = stream.ask(1, plan="rows", deadline_ms=deadline)
            if code_of(answer) == "deadline_exceeded" and not self.slow:
                self.assertLess((time.monotonic() - start) * 1000, deadline + 25)
        self.assertIn("candidates", stream.ask(1, plan="ids"))
        stream.finish()


if __name__ == "__main__":
    FaultCase.rankd = os.path.abspath(sys.argv[1])
    FaultCase.slow = "--slow" in sys.argv
    unittest.main(argv=[sys.argv[0], *[a for a in sys.argv[2:] if a != "--slow"]])
