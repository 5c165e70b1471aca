#!/usr/bin/env python3
"""Bench mode, --bench and its flags.   usage: bench_test.py RANKD [--slow]"""
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from harness import TIMEOUT_S, PlanDir, environment, plan

RANKD = ""
SLOW = False

SOURCE = {"node_id": "s", "op": "fixed_source", "params": {"rows": [{"id": 5, "n": 1}, {"id": 6}]}}
STORE = {"endpoint": "ep_0001"}


def nap(milliseconds):
    return {"node_id": "nap", "op": "sleep", "inputs": ["s"], "params": {"duration_ms": milliseconds}}


PLANS = {
    "quick": plan("quick", [SOURCE]),
    "nap": plan("nap", [SOURCE, nap({"expr": "P.limit"})]),
    "fail": plan("fail", [SOURCE, {**nap(1), "params": {"duration_ms": 1, "fail_after_sleep": True}}]),
    "spin": plan("spin", [SOURCE, {"node_id": "p", "op": "busy_cpu", "inputs": ["s"],
                                   "params": {"busy_wait_ms": 60000}}]),
    "store": plan("store", [{"node_id": "v", "op": "viewer", "params": STORE}]),
}
FIELDS = ["plan", "iterations", "errors", "concurrency", "total_ms", "throughput_rps", "avg_us", "min_us",
          "p50_us", "p90_us", "p99_us", "p999_us", "max_us", "max_rss_bytes"]
OPEN_FIELDS = ["rate_rps", "late", "peak_in_flight"]
LATENCIES = ["avg_us", "min_us", "p50_us", "p90_us", "p99_us", "p999_us", "max_us"]


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = PlanDir(PLANS, data={"user:1": {"country": "US"}})
        cls.files = tempfile.mkdtemp(prefix="rankd-bench-", dir=cls.folder.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.__exit__()

    def file(self, name, text=None):
        path = os.path.join(self.files, f"{self.id()}.{name}")
        self.addCleanup(lambda: os.path.exists(path) and os.unlink(path))
        if text is not None:
            with open(path, "w", encoding="utf-8") as out:
                out.write(text if isinstance(text, str) else json.dumps(text))
        return path

    def bench(self, plan_name, *args, n=20, env=None):
        """stdin is a pipe that nobody writes to and nobody closes."""
        reader, writer = os.pipe()
        try:
            start = time.monotonic()
            done = subprocess.run([RANKD, "--plan_dir", self.folder.path, "--plan_name", plan_name,
                                   "--bench", str(n), *args], stdin=reader, capture_output=True,
                                  timeout=TIMEOUT_S, env=environment(env), check=False)
            done.seconds = time.monotonic() - start
        finally:
            os.close(writer)
            os.close(reader)
        done.err = done.stderr.decode()
        return done

    def result(self, done, status=0, fields=None):
        self.assertEqual(done.returncode, status, done.err)
        self.assertEqual(done.stdout.count(b"\n"), 1)
        result = json.loads(done.stdout, parse_constant=self.fail)
        self.assertEqual(list(result), fields or FIELDS)
        return result

    def refused(self, done, words):
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, b"")
        self.assertIn(words, done.err)
        self.assertRegex(done.err, r"\Arankd: [^\n]*\n\Z")


class Closed(Case):
    def test_the_result_is_one_line_of_json_and_stdin_is_left_alone(self):
        done = self.bench("quick", n=500)
        result = self.result(done)
        self.assertEqual(done.err, "")
        self.assertEqual((result["plan"], result["iterations"], result["errors"], result["concurrency"]),
                         ("quick", 500, 0, 1))
        self.assertAlmostEqual(result["throughput_rps"], 500 / result["total_ms"] * 1000,
                               delta=result["throughput_rps"] * 0.01)
        ordered = [result[name] for name in LATENCIES[1:]]
        self.assertEqual(ordered, sorted(ordered))
        self.assertGreater(result["min_us"], 0)
        self.assertLessEqual(result["min_us"], result["avg_us"])
        self.assertLessEqual(result["avg_us"], result["max_us"])
        self.assertGreater(result["max_rss_bytes"], 1 << 20)

    def test_bytes_on_stdin_are_not_read(self):
        done = subprocess.run([RANKD, "--plan_dir", self.folder.path, "--plan_name", "quick", "--bench",
                               "3"], input=b"{ not even json", capture_output=True, timeout=TIMEOUT_S,
                              env=environment(), check=False)
        done.err = done.stderr.decode()
        self.result(done)

    def test_concurrency_is_kept_full(self):
        done = self.bench("nap", "--param", "limit=20", "--bench_concurrency", "10", "--bench_warmup", "0",
                          n=100)
        result = self.result(done)
        self.assertEqual(result["concurrency"], 10)
        self.assertGreaterEqual(result["total_ms"], 200)
        self.assertGreaterEqual(result["min_us"], 20000)
        if not SLOW:
            self.assertLess(result["total_ms"], 400)

    def test_warm_up_runs_before(self):
        log = self.file("log")
        self.result(self.bench("quick", "--bench_warmup", "7", "--log", log, n=5))
        with open(log, encoding="utf-8") as lines:
            self.assertEqual(len(lines.readlines()), 12)

    def test_a_trace_holds_the_runs(self):
        trace = self.file("trace")
        self.result(self.bench("quick", "--bench_warmup", "0", "--trace", trace, n=5))
        with open(trace, encoding="utf-8") as text:
            self.assertGreater(len(json.load(text)), 5)

    def test_limits_of_the_flags_hold(self):
        done = self.bench("nap", "--param", "limit=500", "--deadline_ms", "5", n=2)
        self.assertEqual(self.result(done, 1)["errors"], 2)
        self.assertEqual(done.err, "rankd: 2 of 2 requests failed: deadline_exceeded 2\n")

    def test_all_failing_gives_no_latencies(self):
        result = self.result(self.bench("fail", n=10), 1)
        self.assertEqual((result["iterations"], result["errors"], result["throughput_rps"]), (10, 10, 0))
        self.assertEqual([result[name] for name in LATENCIES], [None] * 7)

    def test_some_failing_are_counted_and_not_measured(self):
        requests = self.file("requests", '{"plan":"fail"}\n{"plan":"nap","params":{"limit":30}}\n')
        done = self.bench("quick", "--bench_requests", requests, "--bench_warmup", "0", n=6)
        result = self.result(done, 1)
        self.assertEqual((result["plan"], result["errors"], result["iterations"]), ("fail,nap", 3, 6))
        self.assertGreaterEqual(result["min_us"], 30000)
        self.assertEqual(done.err, "rankd: 3 of 6 requests failed: task_failed 3\n")

    def test_concurrency_of_streams_is_noted(self):
        done = self.bench("quick", "--concurrency", "4")
        self.assertEqual(self.result(done)["concurrency"], 1)
        self.assertIn("--bench_concurrency", done.err)

    def test_a_store_that_is_not_there(self):
        done = self.bench("store", "--redis", "unix:///nowhere/redis.sock", n=3)
        self.assertEqual(self.result(done, 1)["errors"], 3)
        self.assertIn("redis_unavailable 3", done.err)

    def test_timers_fire_under_inline_work(self):
        # The deadline of requests that wait fires on time beside thousands that run inline.
        requests = self.file("requests", '{"plan":"nap","params":{"limit":9999},"deadline_ms":20}\n'
                             + '{"plan":"quick"}\n' * 2000)
        done = self.bench("quick", "--bench_requests", requests, "--bench_warmup", "0",
                          "--bench_concurrency", "2", "--log", log := self.file("log"), n=2001)
        self.result(done, 1)
        with open(log, encoding="utf-8") as lines:
            late = [entry for entry in map(json.loads, lines) if entry.get("code") == "deadline_exceeded"]
        self.assertEqual(len(late), 1)
        if not SLOW:
            self.assertLess(late[0]["latency_us"], 60000)


class Open(Case):
    # Every hundredth request takes 200 ms, the others none.
    STALL = '{"plan":"nap","params":{"limit":200}}\n' + '{"plan":"quick"}\n' * 99

    def test_a_stall_that_a_closed_loop_hides_is_shown(self):
        requests = self.file("requests", self.STALL)
        args = ("--bench_requests", requests, "--bench_warmup", "0", "--bench_concurrency", "1")
        hidden = self.result(self.bench("quick", *args, n=100))
        shown = self.result(self.bench("quick", *args, "--bench_rate", "1000", n=100), 0,
                            FIELDS + OPEN_FIELDS)
        if not SLOW:
            self.assertLess(hidden["p90_us"], 50000)
        # Those due within the 200 ms were held up, the last of the hundred by 100 ms.
        self.assertGreater(shown["p50_us"], 100000)
        self.assertGreater(shown["late"], 50)
        self.assertEqual(shown["peak_in_flight"], 1)

    def test_without_a_bound_nothing_is_late(self):
        requests = self.file("requests", self.STALL)
        result = self.result(self.bench("quick", "--bench_requests", requests, "--bench_warmup", "0",
                                        "--bench_rate", "1000", n=200), 0, FIELDS + OPEN_FIELDS)
        self.assertEqual((result["late"], result["rate_rps"]), (0, 1000))
        self.assertGreater(result["peak_in_flight"], 0)
        self.assertGreaterEqual(result["total_ms"], 199)
        if not SLOW:
            self.assertLess(result["p50_us"], 20000)

    def test_the_rate_is_kept(self):
        result = self.result(self.bench("quick", "--bench_rate", "2000", "--bench_warmup", "0", n=1000), 0,
                             FIELDS + OPEN_FIELDS)
        self.assertGreaterEqual(result["total_ms"], 499.5)
        if not SLOW:
            self.assertLess(result["total_ms"], 700)


class Usage(Case):
    def test_values_are_checked(self):
        for flag, value in (("--bench_concurrency", "0"), ("--bench_warmup", "x"), ("--bench_rate", "0"),
                            ("--bench_rate", "-5"), ("--bench_rate", "fast"), ("--bench_requests", ""),
                            ("--bench_compare", "")):
            with self.subTest(flag=flag, value=value):
                self.refused(self.bench("quick", flag, value), flag + " must ")
        for n in ("0", "-1", "many"):
            self.refused(self.bench("quick", n=n), "--bench must be a whole number")
        self.refused(self.bench("quick", "--bench_fail_over", "5"), "needs --bench_compare FILE")
        self.refused(self.as_done(["--plan_name", "quick", "--bench_rate", "5"]), "needs --bench N")

    def as_done(self, args):
        done = subprocess.run([RANKD, *args], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT_S, env=environment(), check=False)
        done.err = done.stderr.decode()
        return done

    def test_requests_files_are_checked_before_anything_runs(self):
        log = self.file("log")
        args = ("--bench_warmup", "0", "--log", log, "--bench_requests")
        broken = self.file("requests", '{"user_id":1}\n\n{\n "user_id": x\n}\n')
        self.refused(self.bench("quick", *args, broken), f"{broken}:3: ")
        unknown = self.file("unknown", '{"user_id":1}\n{"plan":"quik"}\n')
        done = self.bench("quick", *args, unknown)
        self.refused(done, f"{unknown}:2: ")
        self.assertIn("did you mean", done.err)
        self.refused(self.bench("quick", *args, self.file("empty", "\n")), "no request")
        self.refused(self.bench("quick", *args, "/nowhere/requests"), "/nowhere/requests: ")
        self.refused(self.bench("quick", *args, self.folder.path), self.folder.path + ": ")
        self.assertFalse(os.path.exists(log))

    def test_a_plan_is_needed(self):
        self.refused(self.as_done(["--plan_dir", self.folder.path, "--bench", "5"]), "no plan is named")
        self.refused(self.bench("nope"), "nope")


class Compare(Case):
    def test_a_former_result_is_the_gate(self):
        former = self.result(self.bench("nap", "--param", "limit=5"))
        same = self.file("same", {**former, "throughput_rps": former["throughput_rps"] / 100,
                                  "p99_us": former["p99_us"] * 100})
        done = self.bench("nap", "--param", "limit=5", "--bench_compare", same)
        self.result(done)
        self.assertRegex(done.err, r"throughput [\d.]+ -> [\d.]+ requests/s \(\+[\d.]+ %\)")
        self.assertRegex(done.err, r"p99 [\d.]+ -> [\d.]+ us \(-[\d.]+ %\)")

        faster = self.file("faster", {**former, "throughput_rps": former["throughput_rps"] * 100})
        done = self.bench("nap", "--param", "limit=5", "--bench_compare", faster)
        self.result(done, 1)
        self.assertRegex(done.err, r"rankd: throughput is [\d.]+ % worse than in ")
        self.result(self.bench("nap", "--param", "limit=5", "--bench_compare", faster, "--bench_fail_over",
                               "100"))

        shorter = self.file("shorter", {**former, "throughput_rps": 1, "p99_us": 1})
        done = self.bench("nap", "--param", "limit=5", "--bench_compare", shorter, "--quiet")
        self.result(done, 1)
        self.assertRegex(done.err, r"\Arankd: p99 is [\d.]+ % worse than in [^\n]*\n\Z")

    def test_files_that_cannot_be_compared_with_are_refused_before_anything_runs(self):
        log = self.file("log")
        sound = {"plan": "quick", "throughput_rps": 1, "p50_us": 1, "p99_us": 1}
        for name, text, words in (
                ("no_json", "{", "is no JSON"), ("empty", "", "is no JSON"),
                ("array", "[]", "must be an object"), ("lacking", {"plan": "quick"}, "it lacks"),
                ("other_plan", {**sound, "plan": "nap"}, "is of another plan"),
                ("zero", {**sound, "throughput_rps": 0}, "must be a number over 0"),
                ("null", {**sound, "p99_us": None}, "must be a number over 0"),
                ("text", {**sound, "p50_us": "7"}, "must be a number over 0")):
            with self.subTest(name=name):
                path = self.file(name, text)
                self.refused(self.bench("quick", "--log", log, "--bench_compare", path), words)
        self.refused(self.bench("quick", "--log", log, "--bench_compare", "/nowhere/x"), "/nowhere/x: ")
        self.assertFalse(os.path.exists(log))


class Process(Case):
    def start(self, *args, **kwargs):
        return subprocess.Popen([RANKD, "--plan_dir", self.folder.path, *args], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), **kwargs)

    def test_a_signal_ends_it_with_what_was_measured(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for args in (["--plan_name", "nap"], ["--plan_name", "quick"], ["--plan_name", "spin"],
                         ["--plan_name", "nap", "--bench_rate", "100"]):
                with self.subTest(number=number, args=args):
                    process = self.start("--bench", "1000000000", "--bench_warmup", "2", *args)
                    time.sleep(0.5)
                    begun = time.monotonic()
                    process.send_signal(number)
                    out, err = process.communicate(timeout=10)
                    if not SLOW:
                        self.assertLess(time.monotonic() - begun, 1.2)
                    self.assertEqual(process.returncode, status)
                    result = json.loads(out)
                    self.assertEqual(result["errors"], 0)
                    self.assertEqual(err, b"")
                    if "spin" in args:
                        self.assertEqual(result["iterations"], 0)
                        self.assertIsNone(result["p50_us"])
                    else:
                        self.assertGreater(result["iterations"], 0)

    def test_a_closed_stdout_ends_it_quietly(self):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = subprocess.run([RANKD, "--plan_dir", self.folder.path, "--plan_name", "quick", "--bench",
                                   "5"], stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE,
                                  timeout=TIMEOUT_S, env=environment(), check=False)
        finally:
            os.close(writer)
        self.assertEqual(done.returncode, -signal.SIGPIPE)
        self.assertEqual(done.stderr, b"")

    def on_terminal(self, *args, env=None):
        """Stderr of a bench that runs a little on a terminal, and its stdout."""
        try:
            leader, terminal = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal to be had here: {error}")
        process = subprocess.Popen([RANKD, "--plan_dir", self.folder.path, "--plan_name", "nap", "--param",
                                    "limit=20", "--bench", "50", *args], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=terminal,
                                   env=environment({"TERM": "xterm", **(env or {})}))
        os.close(terminal)
        shown = b""
        try:
            while chunk := os.read(leader, 65536):
                shown += chunk
        except OSError:  # the other end is closed
            pass
        out, _ = process.communicate(timeout=TIMEOUT_S)
        os.close(leader)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(json.loads(out)["iterations"], 50)
        return shown.decode()

    def test_a_terminal_has_a_bar_and_a_table(self):
        shown = self.on_terminal()
        self.assertRegex(shown, r"\rbench \[#*-*\] +\d+ %  \d+/50")
        self.assertRegex(shown, r"\r +\r[^\r]*nap")  # the bar is gone when the table comes
        self.assertIn("throughput", shown)
        self.assertIn("p99.9", shown)
        self.assertIn("\x1b[", shown)

    def test_a_plain_terminal_has_a_plain_table(self):
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            shown = self.on_terminal(env=env)
            self.assertNotIn("\x1b", shown)
            self.assertNotIn("[", shown)
            self.assertIn("p99.9", shown)

    def test_quiet_has_neither(self):
        self.assertEqual(self.on_terminal("--quiet"), "")

    def test_the_shipped_command_line_works(self):
        plans = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "plans")
        done = subprocess.run([RANKD, "--async_scheduler", "--bench", "100", "--plan_name",
                               "mixed_pipeline", "--plan_dir", plans], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT_S, env=environment(), check=False)
        done.err = done.stderr.decode()
        self.assertEqual(self.result(done)["iterations"], 100)


if __name__ == "__main__":
    RANKD = os.path.abspath(sys.argv.pop(1))
    if "--slow" in sys.argv:
        sys.argv.remove("--slow")
        SLOW = True
    unittest.main()
