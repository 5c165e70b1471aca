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


if __name__ == "__main__":
    FaultCase.rankd = os.path.abspath(sys.argv[1])
    FaultCase.slow = "--slow" in sys.argv
    unittest.main(argv=[sys.argv[0], *[a for a in sys.argv[2:] if a != "--slow"]])
