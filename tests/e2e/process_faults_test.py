#!/usr/bin/env python3
"""rankd as a process whose reader, disk or Redis is no good.   usage: process_faults_test.py RANKD [--slow]"""
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time

from harness import PlanDir, environment, plan
from peers import FaultCase, Later, Stream, VIEW, code_of, endpoint, n_of, request, run_side_by_side, serve


def source(rows):
    return [{"node_id": "s", "op": "fixed_source", "params": {"row_count": rows}}]


PLANS = {"small": plan("small", source(1)), "line": plan("line", source(600)), "big": plan("big", source(20000)),
         "huge": plan("huge", source(200000)), "wide": plan("wide", source(3400)),
         "nap": plan("nap", [{"node_id": "z", "op": "sleep", "params": {"duration_ms": 60000}}]),
         "view": VIEW}


def read_slowly(stream, rate, into):
    """Reads a pipe at so many bytes a second until its end."""
    fd = stream.fileno()
    start, taken = time.monotonic(), 0
    try:
        while chunk := os.read(fd, min(4096, rate // 50)):
            into.append(chunk)
            taken += len(chunk)
            time.sleep(max(0.0, start + taken / rate - time.monotonic()))
    except OSError:
        pass  # the test is over


class ProcessCase(FaultCase):
    def run_plan(self, name, *args, endpoints=(), before=()):
        endpoints = list(endpoints) or [{"name": "store", "kind": "memory", "data": "data.json"}]
        return self.start(endpoints, *args, plan_name=name, plans=PLANS, before=before)

    def assert_whole_lines(self, data):
        """The answers in it; the last line is a whole one."""
        self.assertTrue(data == b"" or data.endswith(b"\n"), data[-100:])
        return [json.loads(line) for line in data.splitlines()]

    def feed(self, stream, data):
        def write():
            try:
                stream.process.stdin.write(data)
                stream.process.stdin.close()
            except (BrokenPipeError, ValueError):
                pass

        thread = threading.Thread(target=write, daemon=True)
        thread.start()
        return thread


class SlowReaders(ProcessCase):
    def test_a_reader_of_200_kb_a_second_bounds_memory(self):
        stream = self.run_plan("big")  # about 500 KB an answer: 64 of them are 32 MB
        self.feed(stream, b"".join(map(request, range(1, 5000))))
        chunks = []
        reader = threading.Thread(target=read_slowly, args=(stream.process.stdout, 200_000, chunks), daemon=True)
        reader.start()
        peaks = []
        for _ in range(6):
            time.sleep(0.5)
            peaks.append(stream.status("VmHWM"))
        if not self.slow:
            self.assertLess(peaks[-1], 200 << 10)
            self.assertLess(peaks[-1] - peaks[2], 8 << 10, peaks)
        stream.process.kill()
        reader.join()

    def test_a_slow_reader_gets_every_answer_whole_and_in_order(self):
        stream = self.run_plan("line")  # about 15 KB an answer
        users = list(range(1, 41))
        self.feed(stream, b"".join(map(request, users)))
        chunks = []
        read_slowly(stream.process.stdout, 400_000, chunks)
        answers = self.assert_whole_lines(b"".join(chunks))
        self.assertEqual([(a["request_id"], len(a["candidates"])) for a in answers], [(u, 600) for u in users])
        self.assertEqual(stream.finish(), 0)

    def signal_under(self, name, number, rate, wait):
        stream = self.run_plan(name)
        self.feed(stream, b"".join(map(request, range(1, 3000))))
        chunks = []
        reader = threading.Thread(target=read_slowly, args=(stream.process.stdout, rate, chunks), daemon=True)
        reader.start()
        time.sleep(wait)
        start = time.monotonic()
        stream.process.send_signal(number)
        status = stream.process.wait(60)
        took = time.monotonic() - start
        reader.join()
        answers = self.assert_whole_lines(b"".join(chunks))
        self.assertEqual([a["request_id"] for a in answers], list(range(1, len(answers) + 1)))
        return status, took, answers

    def test_a_signal_leaves_a_slow_reader_no_partial_line(self):
        for name, rate in (("line", 200_000), ("big", 200_000), ("small", 20_000)):
            with self.subTest(name):
                status, took, answers = self.signal_under(name, signal.SIGTERM, rate, 0.7)
                self.assertEqual(status, 143)
                self.assertTrue(answers)
                line = {"line": 15_000, "big": 500_000, "small": 60}[name]
                self.assert_took(took, 0, 1.5 + line / rate)

    def test_a_signal_leaves_a_reader_of_little_pieces_no_partial_line(self):
        # More than the 64 KiB of a pipe: of these the reader takes what the process then writes.
        for size, pause in ((1000, 0.05), (4096, 0.2), (1000, 0.2)):
            with self.subTest(size=size, pause=pause):
                stream = self.run_plan("wide")
                self.feed(stream, request(1))
                data = b""
                begun = time.monotonic()
                signalled = False
                while chunk := os.read(stream.process.stdout.fileno(), size):
                    data += chunk
                    time.sleep(pause)
                    if not signalled and time.monotonic() > begun + 0.3:
                        stream.process.send_signal(signal.SIGTERM)
                        signalled = True
                    if len(data) > 32 << 10:
                        pause = 0  # the process has written all, or gone
                self.assertGreater(len(data), 70_000)
                self.assert_whole_lines(data)
                self.assertEqual(stream.process.wait(30), 143)

    def test_sigint_with_a_slow_reader(self):
        status, took, _ = self.signal_under("line", signal.SIGINT, 300_000, 0.4)
        self.assertEqual(status, 130)
        self.assert_took(took, 0, 1.5)

    def test_a_signal_with_a_reader_that_is_stuck_ends_the_process_all_the_same(self):
        stream = self.run_plan("big")
        self.feed(stream, b"".join(map(request, range(1, 100))))
        time.sleep(0.5)
        start = time.monotonic()
        stream.process.send_signal(signal.SIGTERM)
        self.assertEqual(stream.process.wait(30), 143)
        self.assert_took(time.monotonic() - start, 0, 1.2)

    def test_a_signal_with_a_reader_that_is_stuck_leaves_short_lines_whole(self):
        for wait in (0.3, 0.31, 0.32, 0.35):
            stream = self.run_plan("small", "--concurrency", "3000")
            self.feed(stream, b"".join(map(request, range(1, 5000))))
            time.sleep(wait)
            stream.process.send_signal(signal.SIGTERM)
            self.assertEqual(stream.process.wait(30), 143)
            answers = self.assert_whole_lines(stream.process.stdout.read())
            self.assertGreater(len(answers), 500)
            self.assertEqual([a["request_id"] for a in answers], list(range(1, len(answers) + 1)))

    def test_a_second_signal_ends_the_wait_for_a_slow_reader(self):
        stream = self.run_plan("huge")  # 5 MB, for which it needs a minute
        self.feed(stream, request(1))
        chunks = []
        reader = threading.Thread(target=read_slowly, args=(stream.process.stdout, 100_000, chunks), daemon=True)
        reader.start()
        time.sleep(0.5)
        stream.process.send_signal(signal.SIGINT)
        time.sleep(1.5)
        self.assertIsNone(stream.process.poll())
        start = time.monotonic()
        # More than once: on a slow machine the first may still be in its grace period.
        while stream.process.poll() is None and time.monotonic() < start + 20:
            stream.process.send_signal(signal.SIGINT)
            time.sleep(0.2)
        self.assertEqual(stream.process.wait(1), 130)
        self.assert_took(time.monotonic() - start, 0, 0.7)
        reader.join()


class Signals(ProcessCase):
    def signalled(self, endpoints, number, status, users=range(1, 100), wait=0.3):
        stream = self.run_plan("view", endpoints=endpoints)
        stream.send(b"".join(map(request, users)))
        time.sleep(wait)
        start = time.monotonic()
        stream.process.send_signal(number)
        answers = stream.rest_of_output()
        self.assertEqual(stream.process.wait(30), status)
        self.assert_took(time.monotonic() - start, 0, 1)
        self.assertEqual([a["request_id"] for a in answers], list(users)[:len(answers)])
        return answers

    def test_what_waits_for_a_store_is_cancelled(self):
        silent = self.peer(lambda connection: connection.wait_for_close())
        hung = endpoint(silent.port, request_timeout_ms=60000)
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            answers = self.signalled([hung], number, status)
            self.assertEqual(len(answers), 64)
            self.assertEqual({code_of(a) for a in answers}, {"cancelled"})

    def test_what_has_been_answered_stays_answered(self):
        answers = self.signalled([endpoint(self.peer(Later(0.2)).port, max_inflight=3)], signal.SIGTERM, 143, wait=0.5)
        for answer in answers:
            if "error" in answer:
                self.assertEqual(code_of(answer), "cancelled")
            else:
                self.assert_right(answer, answer["request_id"])
        self.assertEqual({"error" in a for a in answers}, {True, False})

    def test_in_the_middle_of_a_stream_at_full_speed(self):
        peer = self.peer(serve)
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for wait in (0.05, 0.11, 0.2):
                stream = self.run_plan("view", endpoints=[endpoint(peer.port)])
                self.feed(stream, b"".join(map(request, range(1, 100000))))
                time.sleep(wait)
                stream.process.send_signal(number)
                answers = stream.rest_of_output()
                self.assertEqual(stream.process.wait(30), status)
                self.assertEqual([a["request_id"] for a in answers], list(range(1, len(answers) + 1)))
                codes = [code_of(a) for a in answers]
                self.assertLessEqual(set(codes), {None, "cancelled"})
                self.assertEqual(sorted(codes, key=bool), codes)  # those that were cancelled are the last
                stream.kill()


class FullDisks(ProcessCase):
    def test_a_file_that_may_grow_no_further_ends_with_a_whole_line(self):
        with tempfile.TemporaryDirectory() as folder, PlanDir(PLANS) as plans:
            requests = os.path.join(folder, "requests")
            with open(requests, "wb") as out:
                out.write(b"".join(map(request, range(1, 20001))))
            for name, blocks, mode in (("small", 64, ">"), ("line", 100, ">"), ("line", 100, ">>"), ("big", 100, ">")):
                path = os.path.join(folder, f"{name}{blocks}{len(mode)}")
                done = subprocess.run(
                    ["bash", "-c", f'ulimit -f {blocks}; exec "$@" {mode} "$0"', path, self.rankd, "--plan_name", name,
                     "--plan_dir", plans.path], stdin=open(requests, "rb"), stderr=subprocess.PIPE, env=environment(),
                    timeout=60)
                self.assertEqual(done.returncode, 3, (name, done.stderr))
                self.assertIn(b"rankd: cannot write to stdout: ", done.stderr)
                with open(path, "rb") as written:
                    answers = self.assert_whole_lines(written.read())
                self.assertEqual([a["request_id"] for a in answers], list(range(1, len(answers) + 1)))
                if name != "big":
                    self.assertTrue(answers)


class Inputs(ProcessCase):
    def test_requests_that_trickle_byte_by_byte_from_redis(self):
        stream = self.run_plan("view", endpoints=[endpoint(self.peer(Later(0.01)).port)])
        text = b"".join(map(request, range(1, 9)))
        answers = []
        for i in range(len(text)):
            stream.send(text[i:i + 1])
            time.sleep(0.001)
            # A request that is complete is answered though more may come.
            if text[i:i + 1] == b"\n":
                self.assertTrue(select.select([stream.process.stdout], [], [], 10)[0])
                answers.append(stream.answer())
        for user, answer in zip(range(1, 9), answers):
            self.assert_right(answer, user)
        self.assertEqual(stream.finish(), 0)

    def test_stdout_closed_early_while_redis_is_asked(self):
        peer = self.peer(serve)
        for count in (1, 2, 77):
            stream = self.run_plan("view", endpoints=[endpoint(peer.port)])
            self.feed(stream, b"".join(map(request, range(1, 50000))))
            for user in range(1, count + 1):
                self.assert_right(stream.answer(), user)
            stream.process.stdout.close()
            self.assertEqual(stream.process.wait(30), -signal.SIGPIPE)
            stream.err_reader.join()
            self.assertEqual(stream.err, [b""])


if __name__ == "__main__":
    FaultCase.rankd = os.path.abspath(sys.argv[1])
    FaultCase.slow = "--slow" in sys.argv
    run_side_by_side(sys.modules["__main__"])
