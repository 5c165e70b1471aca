#!/usr/bin/env python3
"""Traces and logs: the `trace` of a response, --trace FILE, --log FILE.   usage: records_test.py RANKD [--slow]"""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from harness import PlanDir, environment, plan, run, wait_until_serving

RANKD = ""
SLOW = False

SOURCE = {"node_id": "s", "op": "fixed_source", "params": {"rows": [{"id": 5, "n": 1}, {"id": 6}]}}


def nap(name, inputs, milliseconds):
    return {"node_id": name, "op": "sleep", "inputs": inputs, "params": {"duration_ms": milliseconds}}


PLANS = {
    "quick": plan("quick", [SOURCE]),
    # b is the long way; c and b overlap.
    "fork": plan("fork", [SOURCE, nap("a", ["s"], 10), nap("b", ["a"], 30), nap("c", ["a"], 5),
                          {"node_id": "m", "op": "concat", "inputs": ["b", "c"]}]),
    "long": plan("long", [SOURCE, nap("a", ["s"], 10), nap("b", ["a"], 60000)]),
    "spin": plan("spin", [SOURCE, {"node_id": "p", "op": "busy_cpu", "inputs": ["s"],
                                   "params": {"busy_wait_ms": {"expr": "P.limit"}}}]),
    "store": plan("store", [{"node_id": "v", "op": "viewer", "params": {"endpoint": "ep_0001"}},
                            {"node_id": "f", "op": "follow", "inputs": ["v"],
                             "params": {"endpoint": "ep_0001", "fields": ["country"]}}]),
}
PLANS["bodies"] = plan("bodies", [SOURCE, {
    "node_id": "each", "op": "for_each", "inputs": ["s"], "params": {"over": "rows", "max_parallel": 2, "body": {
        "nodes": [nap("wait", ["$in"], 5),
                  {"node_id": "t", "op": "take", "inputs": ["wait"], "params": {"count": 1}}],
        "outputs": ["t"]}}}, {
    "node_id": "again", "op": "loop", "inputs": ["each"], "params": {"times": 2, "body": {
        "nodes": [{"node_id": "u", "op": "take", "inputs": ["$in"], "params": {"count": 1}}],
        "outputs": ["u"]}}}])
PLANS["many"] = plan("many", [SOURCE, {
    "node_id": "again", "op": "loop", "inputs": ["s"], "params": {"times": {"expr": "P.limit"}, "body": {
        "nodes": [{"node_id": "u", "op": "take", "inputs": ["$in"], "params": {"count": 1}}],
        "outputs": ["u"]}}}])
DATA = {"user:1": {"country": "US"}, "user:2": {"country": "DE"}, "user:3": {"country": "%s\r\n"},
        "follow:1": [2, 3]}


def lines(*requests):
    return "".join(json.dumps(request) + "\n" for request in requests).encode()


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = PlanDir(PLANS, data=DATA)
        cls.files = tempfile.mkdtemp(prefix="rankd-records-", dir=cls.folder.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.__exit__()

    def file(self, name):
        path = os.path.join(self.files, f"{self.id()}.{name}")
        self.addCleanup(lambda: os.path.exists(path) and os.unlink(path))
        return path

    def run_it(self, args, *requests):
        return run(RANKD, ["--plan_dir", self.folder.path, *args], lines(*requests))


def spans_of(events):
    """Checks that async spans nest, each id by itself, and are all closed; (id, name, args, parents)."""
    stacks, spans, last = {}, [], {}
    for event in events:
        if event["ph"] not in "be":
            continue
        key = event["cat"], event["id"]
        assert last.get(key, 0) <= event["ts"], "time goes back"
        last[key] = event["ts"]
        stack = stacks.setdefault(key, [])
        if event["ph"] == "b":
            spans.append((event["id"], event["name"], event["args"], [e["name"] for e in stack]))
            stack.append(event)
        else:
            begin = stack.pop()
            assert begin["name"] == event["name"], (begin, event)
    assert not any(stacks.values()), "spans left open"
    return spans


class Responses(Case):
    def trace(self, *args, **request):
        out = self.run_it(args, {"trace": True, **request})
        return out.responses[0]

    def test_a_trace_has_every_node_and_the_critical_path(self):
        answer = self.trace(plan="fork")
        self.assertEqual([c["id"] for c in answer["candidates"]], [5, 6, 5, 6])
        trace = answer["trace"]
        self.assertEqual(set(trace), {"nodes", "critical_path", "total_us"})
        nodes = {n["node"]: n for n in trace["nodes"]}
        self.assertEqual(set(nodes), {"s", "a", "b", "c", "m"})
        for node in nodes.values():
            self.assertEqual(set(node), {"node", "op", "ready_us", "start_us", "end_us", "ran_on",
                                         "rows_in", "rows_out"})
            self.assertLessEqual(node["ready_us"], node["start_us"])
            self.assertLessEqual(node["start_us"], node["end_us"])
            self.assertLessEqual(node["end_us"], trace["total_us"])
        self.assertEqual(trace["critical_path"], ["s", "a", "b", "m"])
        self.assertGreaterEqual(nodes["b"]["end_us"] - nodes["b"]["start_us"], 30000)
        self.assertGreaterEqual(trace["total_us"], 40000)
        self.assertEqual((nodes["m"]["rows_in"], nodes["m"]["rows_out"]), (4, 4))
        self.assertEqual((nodes["s"]["rows_in"], nodes["s"]["rows_out"]), (0, 2))

    def test_untraced_responses_carry_none(self):
        out = self.run_it(["--plan_name", "quick"], {}, {"trace": False}, {"trace": None})
        self.assertEqual([set(r) for r in out.responses], [{"request_id", "candidates"}] * 3)

    def test_pool_and_loop_are_told_apart(self):
        for mode, where in (("inline", "loop"), ("offload", "pool"), ("fused", "pool")):
            trace = self.trace("--cpu", mode, plan="fork")["trace"]
            ran_on = {n["node"]: n["ran_on"] for n in trace["nodes"]}
            self.assertEqual((ran_on["a"], ran_on["m"]), ("loop", where))

    def test_a_failed_response_tells_how_far_it_came(self):
        answer = self.trace("--deadline_ms", "20", plan="fork")
        self.assertEqual(answer["error"]["code"], "deadline_exceeded")
        self.assertGreaterEqual(answer["error"]["elapsed_ms"], 20)
        self.assertEqual([n["node"] for n in answer["trace"]["nodes"]], ["s", "a", "b", "c"])
        self.assertEqual(answer["trace"]["critical_path"], ["s", "a", "b"])
        self.assertEqual(answer["trace"]["nodes"][2]["rows_out"], 0)

    def test_a_request_that_never_ran_has_no_trace(self):
        answer = self.trace(plan="nowhere")
        self.assertEqual(answer["error"]["code"], "unknown_plan")
        self.assertNotIn("trace", answer)
        self.assertNotIn("elapsed_ms", answer["error"])


class TraceFiles(Case):
    def events(self, path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def test_requests_nodes_and_pipelines_nest(self):
        path = self.file("json")
        out = self.run_it(["--trace", path, "--plan_name", "store"], {"user_id": 1, "request_id": 'q"'})
        self.assertEqual(out.exit, 0)
        events = self.events(path)
        spans = spans_of(events)
        request = spans[0]
        self.assertEqual(request[1], "store")
        self.assertEqual(request[2], {"request_id": 'q"', "outcome": "ok"})
        pipelines = [s for s in spans if "commands" in s[2]]
        self.assertEqual([s[1] for s in pipelines], ["HGETALL user:1", "LRANGE follow:1", "HMGET user:2 + 1 more"])
        self.assertEqual([s[3] for s in pipelines], [["store", "v"], ["store", "f"], ["store", "f"]])
        self.assertEqual(pipelines[2][2]["commands"], "HMGET user:2, HMGET user:3")
        self.assertTrue(all(s[2]["answered"] for s in pipelines))
        names = {e["args"]["name"] for e in events if e["ph"] == "M"}
        self.assertEqual(names, {"rankd", "loop"})

    def test_a_pipeline_that_is_not_waited_for_ends_with_its_node(self):
        self.folder.write("endpoints.slow.json", {"endpoints": [
            {"endpoint_id": "ep_0001", "name": "store", "kind": "memory", "data": "data.json",
             "latency_ms": {"HGETALL": 60000}}]})
        path = self.file("json")
        out = self.run_it(["--env", "slow", "--node_timeout_ms", "4", "--trace", path, "--plan_name", "store"],
                          *[{"user_id": 1}] * 20)
        self.assertEqual([r["error"]["code"] for r in out.responses], ["node_timeout"] * 20)
        pipelines = [s for s in spans_of(self.events(path)) if "commands" in s[2]]
        self.assertEqual([(s[1], s[2]["answered"]) for s in pipelines], [("HGETALL user:1", False)] * 20)

    def test_nodes_side_by_side_have_ids_of_their_own(self):
        path = self.file("json")
        self.run_it(["--trace", path], {"plan": "fork"}, {"plan": "fork"})
        spans = spans_of(self.events(path))
        by_id = {}
        for span in spans:
            by_id.setdefault(span[0], []).append(span[1])
        self.assertEqual(list(by_id.values()), [["fork", "s", "a", "b", "m"], ["fork +1", "c"]] * 2)

    def test_what_a_body_runs_stands_in_the_node_that_holds_it(self):
        path = self.file("json")
        out = self.run_it(["--trace", path], {"plan": "bodies"})
        self.assertEqual(out.exit, 0, out.err + out.text)
        spans = spans_of(self.events(path))
        found = sorted((s[1], s[2].get("activation", ""), tuple(s[3])) for s in spans)
        # Of two naps at the same time one stands in the node, the other beside it.
        beside = [f for f in found if f[2][:1] == ("bodies +1",)]
        self.assertEqual(sorted(f[0] for f in beside), ["wait"])
        inside = [f for f in found if f[2] == ("bodies", "each")]
        self.assertEqual(sorted(f[0] for f in inside), ["t", "t", "wait"])
        self.assertEqual({f[1] for f in inside} | {f[1] for f in beside}, {"each[0]/", "each[1]/"})
        self.assertEqual([f for f in found if f[0] == "u"],
                         [("u", f"again[{i}]/", ("bodies", "again")) for i in range(2)])

    def test_pool_threads_are_tracks(self):
        path = self.file("json")
        self.run_it(["--trace", path, "--cpu_threads", "2"],
                    *[{"plan": "spin", "params": {"limit": 30}}] * 2)
        events = self.events(path)
        work = [e for e in events if e["ph"] == "X" and e["name"] == "p"]
        self.assertEqual(len(work), 2)
        self.assertTrue(all(29000 <= e["dur"] for e in work))
        tracks = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        self.assertEqual({tracks[e["tid"]] for e in work}, {"pool 0", "pool 1"})
        inline = [e for e in events if e["ph"] == "X" and e["name"] == "s"]
        self.assertEqual({tracks[e["tid"]] for e in inline}, {"loop"})

    def test_a_signal_leaves_a_whole_file(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            path = self.file("json")
            process = subprocess.Popen([RANKD, "--plan_dir", self.folder.path, "--trace", path],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=environment())
            process.stdin.write(lines({"plan": "quick"}, {"plan": "spin", "params": {"limit": 60000}},
                                      {"plan": "long"}))
            process.stdin.flush()
            process.stdout.readline()
            time.sleep(0.1)
            process.send_signal(number)
            out, _ = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 128 + number)
            self.assertEqual(len(out.splitlines()), 2)
            spans = spans_of(self.events(path))
            self.assertEqual([s[2]["outcome"] for s in spans if "request_id" in s[2]],
                             ["ok", "cancelled", "cancelled"])

    def test_a_request_that_comes_after_a_signal_does_not_cut_what_is_still_written(self):
        if SLOW:
            return  # the file is given 90 ms
        path = self.file("fifo")
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        process = subprocess.Popen([RANKD, "--plan_dir", self.folder.path, "--plan_name", "quick", "--trace", path],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   env=environment())
        try:
            process.stdin.write(lines({}) * 500)  # more than the pipe holds
            process.stdin.flush()
            for _ in range(500):
                process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            time.sleep(0.015)
            process.stdin.write(lines({}))
            process.stdin.flush()
            time.sleep(0.015)
            os.set_blocking(reader, True)
            text = b"".join(iter(lambda: os.read(reader, 1 << 16), b""))
            self.assertEqual(process.wait(timeout=30), 143)
            self.assertEqual(sum(e["name"] == "quick" and e["ph"] == "b" for e in json.loads(text)), 500)
        finally:
            os.close(reader)
            process.kill()
            process.communicate()

    def test_a_run_of_many_nodes_has_all_of_them(self):
        for count in (255, 256, 2_000 if SLOW else 20_000):
            path = self.file("json")
            out = self.run_it(["--trace", path], {"plan": "many", "params": {"limit": count}})
            self.assertEqual(out.exit, 0, out.err)
            spans = spans_of(self.events(path))
            self.assertEqual(sum(s[1] == "u" for s in spans), count)

    def test_a_signal_amid_runs_of_many_nodes_leaves_a_whole_file_in_time(self):
        path = self.file("json")
        for wait in (0.05, 0.3):
            process = subprocess.Popen([RANKD, "--plan_dir", self.folder.path, "--trace", path, "--plan_name", "many",
                                        "--param", "limit=3000000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, env=environment())
            wait_until_serving(process)
            process.stdin.write(lines({}) * 2)
            process.stdin.flush()
            time.sleep(wait)
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130)
            if not SLOW:
                self.assertLess(time.monotonic() - start, 1.3)
                self.assertEqual(len(out.splitlines()), 2)
            spans_of(self.events(path))

    def test_ten_thousand_requests_at_once_are_all_there(self):
        path = self.file("json")
        out = run(RANKD, ["--plan_dir", self.folder.path, "--trace", path, "--plan_name", "store"],
                  lines(*[{"user_id": 1}]) * 10000)
        self.assertEqual(out.exit, 0)
        spans = spans_of(self.events(path))
        self.assertEqual(sum(s[1] == "store" for s in spans), 10000)

    def test_a_file_that_cannot_be_opened_stops_the_start(self):
        for flag in ("--trace", "--log"):
            out = self.run_it([flag, "/nowhere/file", "--plan_name", "quick"], {})
            self.assertEqual((out.exit, out.text), (2, ""))
            self.assertIn(f'cannot open the {flag} file "/nowhere/file": No such file or directory', out.err)


class Logs(Case):
    def entries(self, path):
        with open(path, encoding="utf-8") as file:
            return [json.loads(text) for text in file]

    def test_one_line_for_each_request_however_it_ended(self):
        path = self.file("log")
        out = run(RANKD, ["--plan_dir", self.folder.path, "--log", path, "--plan_name", "quick"],
                  lines({"request_id": "a"}, {"plan": "store", "user_id": 1}) + b"{nonsense}\n" +
                  lines({"plan": "fork", "deadline_ms": 5}, {"plan": "nowhere"}))
        self.assertEqual(out.exit, 1)
        entries = {e["request_id"]: e for e in self.entries(path)}
        self.assertEqual(set(entries), {"a", "line:2", "line:3", "line:4", "line:5"})
        self.assertEqual({k: entries["a"][k] for k in ("plan", "status", "code", "rows", "redis_commands")},
                         {"plan": "quick", "status": "ok", "code": None, "rows": 2, "redis_commands": 0})
        store = entries["line:2"]
        self.assertEqual((store["plan"], store["rows"], store["redis_commands"]), ("store", 2, 4))
        # HGETALL user:1; LRANGE follow:1 0 -1; HMGET user:2 country, HMGET user:3 country
        self.assertEqual(store["redis_bytes_sent"], 29 + 45 + 2 * 40)
        self.assertEqual(store["redis_bytes_received"], 4 + 13 + 8 + 4 + 7 + 7 + 4 + 8 + 4 + 10)
        self.assertEqual([(entries[i]["status"], entries[i]["code"], entries[i]["plan"]) for i in
                          ("line:3", "line:4", "line:5")],
                         [("error", "invalid_json", None), ("error", "deadline_exceeded", "fork"),
                          ("error", "unknown_plan", None)])
        self.assertGreaterEqual(entries["line:4"]["latency_us"], 5000)

    def test_a_log_is_appended_to(self):
        path = self.file("log")
        for name in "ab":
            self.run_it(["--log", path, "--plan_name", "quick"], {"request_id": name})
        self.assertEqual([e["request_id"] for e in self.entries(path)], ["a", "b"])

    def test_a_line_is_there_within_seconds_while_the_stream_goes_on(self):
        path = self.file("log")
        process = subprocess.Popen([RANKD, "--plan_dir", self.folder.path, "--log", path, "--plan_name", "quick"],
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment())
        process.stdin.write(lines({"request_id": "now"}))
        process.stdin.flush()
        end = time.monotonic() + 20
        while not (os.path.exists(path) and os.path.getsize(path)) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual([e["request_id"] for e in self.entries(path)], ["now"])
        process.stdin.close()
        self.assertEqual(process.wait(timeout=30), 0)


class Disks(Case):
    def test_a_full_disk_fails_neither_requests_nor_their_order(self):
        for flag in ("--trace", "--log"):
            out = run(RANKD, ["--plan_dir", self.folder.path, flag, "/dev/full", "--plan_name", "quick"],
                      lines({}) * 5000)
            self.assertEqual(out.exit, 3)
            self.assertEqual([r["request_id"] for r in out.responses], [f"line:{i + 1}" for i in range(5000)])
            self.assertEqual(out.err, f'rankd: cannot write the {flag} file "/dev/full": No space left on device; '
                                      "it ends here, the requests go on\n")

    def test_what_is_on_a_disk_that_filled_up_is_whole(self):
        # A limit on file sizes is a full disk that a test can have. One of less than a first write is
        # one that is full before it.
        for kib in (4, 20, 63, 200):
            for flag, read in (("--trace", json.load), ("--log", lambda file: [json.loads(t) for t in file])):
                path = self.file(f"limited{flag}")
                done = subprocess.run(
                    ["bash", "-c", f'trap "" XFSZ; ulimit -f {kib}; exec "$@"', "-", RANKD, "--plan_dir",
                     self.folder.path, flag, path, "--plan_name", "quick"],
                    input=lines({}) * 5000, capture_output=True, env=environment(), timeout=60)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual(len(done.stdout.splitlines()), 5000)
                self.assertIn(b"File too large", done.stderr)
                with open(path, encoding="utf-8") as file:
                    records = len(read(file))
                size = os.path.getsize(path)
                # All that have room, but for a few: a request is several events of a trace.
                self.assertGreater(size, kib * 1024 - 10 * size / records - 100)

    def test_a_disk_without_room_for_one_record_leaves_nothing_half_written(self):
        for limit in (1, 3, 40, 100):
            path = self.file("tiny")
            done = subprocess.run([RANKD, "--plan_dir", self.folder.path, "--trace", path, "--plan_name", "quick"],
                                  input=lines({}), capture_output=True, env=environment(), timeout=60,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertEqual((done.returncode, len(done.stdout.splitlines())), (3, 1), done.stderr)
            self.assertEqual(os.path.getsize(path), 0)

    def test_a_file_that_nobody_drains_bounds_memory_and_a_signal_ends_it(self):
        path = self.file("fifo")
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            process = subprocess.Popen([RANKD, "--plan_dir", self.folder.path, "--trace", path, "--plan_name",
                                        "quick"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env=environment())

            def feed():
                try:
                    for _ in range(2000):
                        process.stdin.write(lines({}) * 100)
                except BrokenPipeError:
                    pass

            feeder = threading.Thread(target=feed)
            feeder.start()
            time.sleep(1)
            if not SLOW:
                with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                    peak = next(int(text.split()[1]) for text in status if text.startswith("VmHWM"))
                self.assertLess(peak, 100 << 10)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=5), 143)
            feeder.join()
            try:
                process.stdin.close()
            except BrokenPipeError:
                pass
        finally:
            os.close(reader)

    def serve_with_a_log_that_nobody_drains(self, path):
        """A process that has answered all, and still has lines of its log that the pipe at `path` does not hold."""
        process = subprocess.Popen([RANKD, "--plan_dir", self.folder.path, "--log", path, "--plan_name", "quick"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   env=environment())
        process.stdin.write(lines({}) * self.LINES)
        process.stdin.close()
        with process.stdout:
            for _ in range(self.LINES):
                self.assertTrue(process.stdout.readline())
        time.sleep(0.2)
        self.assertIsNone(process.poll())
        return process

    LINES = 2000

    def test_a_signal_after_the_answers_leaves_time_for_what_is_still_written(self):
        path = self.file("fifo")
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            process = self.serve_with_a_log_that_nobody_drains(path)
            process.send_signal(signal.SIGTERM)
            os.set_blocking(reader, True)
            log = b""
            while block := os.read(reader, 1 << 20):
                log += block
            self.assertEqual(process.wait(timeout=5), 143)
            self.assertEqual(log.count(b"\n"), self.LINES)
        finally:
            os.close(reader)

    def test_signals_without_end_do_not_put_the_end_off(self):
        path = self.file("fifo")
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            process = self.serve_with_a_log_that_nobody_drains(path)
            start = time.monotonic()
            while process.poll() is None and time.monotonic() < start + 3:
                process.send_signal(signal.SIGTERM)
                time.sleep(0.01)
            if process.poll() is None:
                process.kill()
            self.assertEqual(process.wait(timeout=5), 143)
        finally:
            os.close(reader)


if __name__ == "__main__":
    RANKD = os.path.abspath(sys.argv.pop(1))
    if "--slow" in sys.argv:
        sys.argv.remove("--slow")
        SLOW = True
    unittest.main()
