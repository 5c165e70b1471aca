#!/usr/bin/env python3
"""rankd as a process: pipes, signals, limits, sizes.   usage: process_test.py RANKD [--slow]"""
import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from harness import PlanDir, environment, plan, run

RANKD = ""
SLOW = False  # under sanitizers: no upper bounds on time and memory

SOURCE = {"node_id": "s", "op": "fixed_source", "params": {"rows": [{"id": 5, "n": 1}]}}
PLANS = {
    "quick": plan("quick", [SOURCE]),
    "nap": plan("nap", [SOURCE, {"node_id": "z", "op": "sleep", "inputs": ["s"],
                                 "params": {"duration_ms": {"expr": "P.limit"}}}]),
    "spin": plan("spin", [SOURCE, {"node_id": "b", "op": "busy_cpu", "inputs": ["s"],
                                   "params": {"busy_wait_ms": 60000}}]),
    "sorts": plan("sorts", [{"node_id": "n0", "op": "fixed_source", "params": {"row_count": 400000}}]
                  + [{"node_id": f"n{i}", "op": "sort", "inputs": [f"n{i - 1}"],
                      "params": {"key": "id", "order": "desc" if i % 2 else "asc"}}
                     for i in range(1, 21)], ["n20"]),
    "steps": plan("steps", [{"node_id": "n0", "op": "fixed_source", "params": {"row_count": 100}}]
                  + [{"node_id": f"n{i}", "op": "vm", "inputs": [f"n{i - 1}"],
                      "params": {"out_key": "n", "expr": "id + 1"}} for i in range(1, 20001)],
                  ["n20000"]),
    "big": plan("big", [{"node_id": "s", "op": "fixed_source", "params": {"row_count": 20000}}]),
}


def line(**fields):
    return (json.dumps(fields) + "\n").encode()


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = PlanDir(PLANS)

    @classmethod
    def tearDownClass(cls):
        cls.folder.__exit__()

    def args(self, *more):
        return ["--plan_name", "quick", "--plan_dir", self.folder.path, *more]

    def start(self, *more, **streams):
        streams.setdefault("stdin", subprocess.PIPE)
        streams.setdefault("stdout", subprocess.PIPE)
        process = subprocess.Popen([RANKD, *self.args(*more)], stderr=subprocess.PIPE, bufsize=0,
                                   env=environment(), **streams)
        self.addCleanup(self.finish, process)
        return process

    @staticmethod
    def finish(process):
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()

    def wait(self, process, seconds=30):
        return process.wait(timeout=seconds)

    @staticmethod
    def read_line(process):
        out = b""
        while not out.endswith(b"\n"):
            byte = process.stdout.read(1)
            if not byte:
                break
            out += byte
        return json.loads(out)


class Pipes(Case):
    def test_a_closed_stdout_ends_the_process_as_sigpipe_would_and_quietly(self):
        process = self.start()
        process.stdin.write(line(request_id="first"))
        self.assertEqual(self.read_line(process)["request_id"], "first")
        process.stdout.close()
        try:
            for _ in range(200):
                process.stdin.write(line() * 100)
                time.sleep(0.005)
        except BrokenPipeError:
            pass
        self.assertEqual(self.wait(process), -signal.SIGPIPE)
        self.assertEqual(process.stderr.read(), b"")

    def test_head_takes_one_line_and_the_shell_sees_sigpipe(self):
        with tempfile.NamedTemporaryFile() as requests:
            requests.write(line() * 50000)
            requests.flush()
            done = subprocess.run(
                ["bash", "-c", '"$0" "${@:2}" < "$1" | head -1; echo "${PIPESTATUS[0]}"', RANKD,
                 requests.name, *self.args()], capture_output=True, env=environment(), timeout=60)
        first, status = done.stdout.decode().splitlines()
        self.assertEqual(json.loads(first)["request_id"], "line:1")
        self.assertEqual(status, "141")
        self.assertEqual(done.stderr, b"")

    def test_a_response_does_not_wait_for_the_end_of_stdin(self):
        process = self.start()
        for i in range(3):
            process.stdin.write(line(request_id=i))
            self.assertEqual(self.read_line(process)["request_id"], i)
        process.stdin.close()
        self.assertEqual(self.wait(process), 0)

    def test_stdin_that_trickles_byte_by_byte(self):
        process = self.start()
        text = '\ufeff{\n "request_id": "é",\n "params": {}\n}\r\n\n{"request_id":"b"}\n'.encode()
        for i in range(len(text)):
            process.stdin.write(text[i:i + 1])
            time.sleep(0.001)
        self.assertEqual([self.read_line(process)["request_id"] for _ in range(2)], ["é", "b"])
        process.stdin.close()
        self.assertEqual(self.wait(process), 0)

    def test_the_modes_of_stdin_and_stdout_stay_as_the_shell_gave_them(self):
        request_read, request_write = os.pipe()
        response_read, response_write = os.pipe()
        flags = [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in (request_read, response_write)]
        process = self.start(stdin=request_read, stdout=response_write)
        os.write(request_write, line())
        os.read(response_read, 1000)
        during = [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in (request_read, response_write)]
        os.close(request_write)
        self.assertEqual(self.wait(process), 0)
        after = [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in (request_read, response_write)]
        self.assertEqual(during, flags)
        self.assertEqual(after, flags)
        for fd in (request_read, response_read, response_write):
            os.close(fd)

    def test_files_and_dev_null_as_stdin_and_stdout(self):
        with tempfile.NamedTemporaryFile() as requests, tempfile.NamedTemporaryFile() as responses:
            requests.write(line(request_id="a") * 1000)
            requests.flush()
            with open(requests.name, "rb") as stdin, open(responses.name, "wb") as stdout:
                process = self.start(stdin=stdin, stdout=stdout)
                self.assertEqual(self.wait(process), 0)
            with open(responses.name, "rb") as written:
                self.assertEqual(len(written.readlines()), 1000)
        process = self.start(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.assertEqual(self.wait(process), 0)

    def test_a_stdout_that_is_full_is_exit_3(self):
        with open("/dev/full", "wb") as full:
            process = self.start(stdout=full)
            process.stdin.write(line())
            process.stdin.close()
            self.assertEqual(self.wait(process), 3)
        self.assertTrue(process.stderr.read().startswith(b"rankd: "))

    def test_a_stdin_that_cannot_be_read_is_exit_3(self):
        folder = os.open("/", os.O_RDONLY)
        process = self.start(stdin=folder)
        os.close(folder)
        self.assertEqual(self.wait(process), 3)
        self.assertTrue(process.stderr.read().startswith(b"rankd: "))

    def test_too_few_descriptors_to_start_are_exit_3_with_a_message(self):
        for limit in (5, 6, 7, 8):
            done = subprocess.run(["sh", "-c", f"ulimit -n {limit}; exec {' '.join([RANKD, *self.args()])}"],
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                                  env=environment())
            self.assertIn(done.returncode, (2, 3), (limit, done.stderr))
            self.assertTrue(done.stderr.startswith(b"rankd: "), (limit, done.stderr))

    def test_closed_standard_descriptors_are_failed_io_not_a_hang(self):
        command = " ".join(["exec", RANKD, *self.args()])
        for closing, status in (("<&-", 3), (">&- </dev/null", 0), ("2>&- </dev/null", 0)):
            done = subprocess.run(["sh", "-c", f"{command} {closing}"], capture_output=True,
                                  timeout=60, env=environment())
            self.assertEqual((closing, done.returncode), (closing, status))
        done = subprocess.run(["sh", "-c", f"echo '{{}}' | {{ {command} >&-; }}"],
                              capture_output=True, timeout=60, env=environment())
        self.assertEqual(done.returncode, 3)

    def test_nothing_is_coloured_where_stderr_is_no_terminal(self):
        outcome = run(RANKD, self.args(), line(plan="nosuch"))
        self.assertNotIn("\x1b", outcome.err + outcome.text)

    def test_a_reader_that_stops_does_not_make_memory_grow(self):
        with tempfile.NamedTemporaryFile() as requests:
            count = 400  # about half a megabyte each
            requests.write(line(request_id="r") * count)
            requests.flush()
            with open(requests.name, "rb") as stdin:
                process = subprocess.Popen(
                    [RANKD, "--plan_name", "big", "--plan_dir", self.folder.path, "--concurrency", "4"],
                    stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
                self.addCleanup(self.finish, process)
                time.sleep(1.5)  # nobody reads
                with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                    peak = next(int(s.split()[1]) for s in status if s.startswith("VmHWM"))
                lines = sum(1 for _ in process.stdout)
        self.assertEqual(lines, count)
        self.assertEqual(self.wait(process), 0)
        if not SLOW:
            self.assertLess(peak, 80 * 1024, "kB")


class Signals(Case):
    def check_signal(self, number, status, name, count=5, **fields):
        process = self.start("--param", "limit=60000")
        process.stdin.write(line(request_id="first"))
        self.read_line(process)
        process.stdin.write(b"".join(line(request_id=i, plan=name, **fields) for i in range(count)))
        time.sleep(0.3)
        start = time.monotonic()
        process.send_signal(number)
        out = process.stdout.read()
        self.assertEqual(self.wait(process), status)
        seconds = time.monotonic() - start
        answers = [json.loads(text) for text in out.splitlines()]
        self.assertEqual([a["request_id"] for a in answers], list(range(count)))
        self.assertEqual({a["error"]["code"] for a in answers}, {"cancelled"})
        if not SLOW:
            self.assertLess(seconds, 1.0)

    def test_sigint_answers_what_is_in_flight(self):
        self.check_signal(signal.SIGINT, 130, "nap")

    def test_sigterm_answers_what_is_in_flight(self):
        self.check_signal(signal.SIGTERM, 143, "nap")

    def test_a_second_signal_right_after_the_first_loses_no_answer(self):
        for first, second in ((signal.SIGINT, signal.SIGTERM), (signal.SIGINT, signal.SIGINT)) * 5:
            process = self.start()
            process.stdin.write(line(plan="spin"))
            time.sleep(0.2)
            process.send_signal(first)
            process.send_signal(second)
            self.assertIn(self.wait(process), (128 + first, 128 + second))
            answers = process.stdout.read().splitlines()
            self.assertEqual([json.loads(a)["error"]["code"] for a in answers], ["cancelled"])

    def test_sigterm_stops_what_spins(self):
        self.check_signal(signal.SIGTERM, 143, "spin", count=3)

    def test_a_signal_does_not_wait_for_all_that_works_on_the_loop(self):
        for loops in "1", "2":
            process = self.start("--cpu", "inline", "--loops", loops)
            process.stdin.write(line(plan="sorts") * 40)
            time.sleep(0.3)
            start = time.monotonic()
            process.send_signal(signal.SIGTERM)
            out = process.stdout.read()
            self.assertEqual(self.wait(process), 143)
            if not SLOW:
                self.assertLess(time.monotonic() - start, 1.0)
            self.assertIn("cancelled", {json.loads(text).get("error", {}).get("code")
                                        for text in out.splitlines()})

    def test_a_signal_while_idle(self):
        process = self.start()
        process.stdin.write(line())
        self.read_line(process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.wait(process, 5), 130)

    def test_a_signal_while_the_reader_is_stuck_leaves_no_partial_line(self):
        process = subprocess.Popen([RANKD, "--plan_name", "big", "--plan_dir", self.folder.path],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment())
        self.addCleanup(self.finish, process)
        process.stdin.write(line() * 20)
        process.stdin.flush()
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        out = process.stdout.read()
        self.assertEqual(self.wait(process), 143)
        self.assertTrue(out.endswith(b"\n"), out[-200:])


class Flow(Case):
    def test_a_thousand_requests_are_answered_in_order(self):
        requests = b"".join(line(request_id=i, plan="nap", params={"limit": (i * 7) % 20}) for i in range(1000))
        outcome = run(RANKD, self.args(), requests)
        self.assertEqual(outcome.exit, 0)
        self.assertEqual([r["request_id"] for r in outcome.responses], list(range(1000)))

    def test_unordered_answers_every_request_once_as_it_finishes(self):
        requests = b"".join(line(request_id=i, plan="nap", params={"limit": 400 - i * 40}) for i in range(10))
        outcome = run(RANKD, self.args("--unordered"), requests)
        ids = [r["request_id"] for r in outcome.responses]
        self.assertEqual(sorted(ids), list(range(10)))
        if not SLOW:
            self.assertEqual(ids, list(range(9, -1, -1)))

    def test_concurrency_bounds_what_is_in_flight(self):
        requests = line(plan="nap", params={"limit": 100}) * 10
        two = run(RANKD, self.args("--concurrency", "2"), requests)
        self.assertGreaterEqual(two.ms, 500)
        ten = run(RANKD, self.args("--concurrency", "10"), requests)
        self.assertGreaterEqual(ten.ms, 100)
        if not SLOW:
            self.assertLess(ten.ms, 400)

    def test_deadlines_do_not_wait_for_the_turns_of_all_requests(self):
        for loops in "1", "2":
            requests = line(plan="steps", deadline_ms=10, trace=True) * 40
            process = self.start("--loops", loops)
            out, _ = process.communicate(requests)
            late = sorted(json.loads(text)["error"]["elapsed_ms"] - 10 for text in out.splitlines())
            self.assertEqual(len(late), 40)
            if not SLOW:
                self.assertLess(late[20], 3, late)

    def test_stdin_is_read_no_further_ahead_than_concurrency(self):
        process = self.start("--concurrency", "1", "--param", "limit=60000")
        os.set_blocking(process.stdin.fileno(), False)
        process.stdin.write(line(plan="nap"))
        taken, blocked = 0, 0
        chunk = line(request_id="x" * 1000)
        while blocked < 20 and taken < 16 << 20:
            written = process.stdin.write(chunk)
            if written is None:
                blocked += 1
                time.sleep(0.02)
            else:
                taken += written
                blocked = 0
        self.assertLess(taken, 2 << 20)

    def test_a_huge_request_is_refused_and_the_next_is_served(self):
        huge = b'{"request_id":"a","x":"' + b"y" * (17 << 20) + b'"}\n'
        fine = b'{"request_id":"' + b"z" * (15 << 20) + b'"}\n'
        outcome = run(RANKD, self.args(), line(request_id=1) + huge + line(request_id=2) + fine)
        answers = outcome.responses
        self.assertEqual([answers[0]["request_id"], answers[2]["request_id"]], [1, 2])
        self.assertEqual(answers[1]["error"]["code"], "request_too_large")
        self.assertEqual(len(answers[3]["request_id"]), 15 << 20)
        self.assertEqual(outcome.exit, 1)

    def test_an_endless_request_is_refused_within_bounded_memory(self):
        process = self.start("--max_request_bytes", "1000")
        process.stdin.write(b'{"x":[')
        for _ in range(500):
            process.stdin.write(b"1," * 50000)
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            peak = next(int(s.split()[1]) for s in status if s.startswith("VmHWM"))
        process.stdin.write(b"\n" + line(request_id="after"))
        process.stdin.close()
        answers = [json.loads(text) for text in process.stdout.read().splitlines()]
        self.assertEqual(answers[0]["error"]["code"], "request_too_large")
        self.assertEqual(answers[-1]["request_id"], "after")
        if not SLOW:
            self.assertLess(peak, 40 * 1024, "kB")

    def test_it_works_with_few_file_descriptors(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
        done = subprocess.run([RANKD, *self.args()], input=line() * 10, capture_output=True,
                              env=environment(), preexec_fn=limit, timeout=30)
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 10))


class Sizes(unittest.TestCase):
    def test_a_chain_of_100000_nodes(self):
        nodes = [SOURCE] + [{"node_id": f"t{i}", "op": "take", "inputs": [f"t{i - 1}" if i else "s"],
                             "params": {"count": 1}} for i in range(100000)]
        with PlanDir({"chain": plan("chain", nodes)}) as folder:
            check = run(RANKD, ["check", "chain", "--plan_dir", folder.path], timeout=120)
            self.assertEqual(check.exit, 0, check.err)
            for mode in ("inline", "offload", "fused"):
                outcome = run(RANKD, ["--plan_name", "chain", "--plan_dir", folder.path, "--cpu", mode],
                              line() * 2, timeout=120)
                self.assertEqual([r["candidates"][0]["id"] for r in outcome.responses], [5, 5], outcome.err)

    def test_a_chain_of_sleeps_that_end_at_once(self):
        nodes = [SOURCE] + [{"node_id": f"t{i}", "op": "sleep", "inputs": [f"t{i - 1}" if i else "s"],
                             "params": {"duration_ms": 0}} for i in range(20000)]
        with PlanDir({"chain": plan("chain", nodes)}) as folder:
            outcome = run(RANKD, ["--plan_name", "chain", "--plan_dir", folder.path], line(), timeout=120)
            self.assertEqual(outcome.responses[0].get("candidates", [{}])[0].get("id"), 5, outcome.text[:300])

    def test_a_node_with_50000_inputs(self):
        nodes = [SOURCE] + [{"node_id": f"t{i}", "op": "take", "inputs": ["s"], "params": {"count": 1}}
                            for i in range(50000)]
        nodes += [{"node_id": "c", "op": "concat", "inputs": [f"t{i}" for i in range(50000)]},
                  {"node_id": "g", "op": "aggregate", "inputs": ["c"], "params": {"out": {"n": "count()"}}}]
        with PlanDir({"wide": plan("wide", nodes)}) as folder:
            outcome = run(RANKD, ["--plan_name", "wide", "--plan_dir", folder.path], line(), timeout=120)
            self.assertEqual(outcome.responses[0]["candidates"], [{"id": 0, "fields": {"n": 50000}}])

    def test_a_cycle_of_100000_nodes_is_named_not_walked_by_recursion(self):
        nodes = [{"node_id": f"t{i}", "op": "take", "inputs": [f"t{(i + 1) % 100000}"], "params": {"count": 1}}
                 for i in range(100000)]
        with PlanDir({"ring": plan("ring", nodes)}) as folder:
            outcome = run(RANKD, ["check", "ring", "--plan_dir", folder.path], timeout=120)
            self.assertEqual(outcome.exit, 2)
            self.assertIn("cycle", outcome.err)

    def test_a_million_rows(self):
        nodes = [{"node_id": "s", "op": "fixed_source", "params": {"row_count": 1000000}},
                 {"node_id": "m", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "(id * 7919) % 1000003 / 2"}},
                 {"node_id": "o", "op": "sort", "inputs": ["m"], "params": {"key": "score", "order": "desc"}},
                 {"node_id": "t", "op": "take", "inputs": ["o"], "params": {"count": 3}}]
        best = sorted(range(1, 1000001), key=lambda i: -(i * 7919 % 1000003))[:3]
        with PlanDir({"many": plan("many", nodes)}) as folder:
            outcome = run(RANKD, ["--plan_name", "many", "--plan_dir", folder.path], line(), timeout=120)
            self.assertEqual([c["id"] for c in outcome.responses[0]["candidates"]], best)


if __name__ == "__main__":
    RANKD = os.path.abspath(sys.argv[1])
    SLOW = "--slow" in sys.argv
    unittest.main(argv=[sys.argv[0], *[a for a in sys.argv[2:] if a != "--slow"]])
