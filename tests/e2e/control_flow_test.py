#!/usr/bin/env python3
"""What control flow does to a process: memory, time, signals, traces.   usage: control_flow_test.py RANKD [--slow]"""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from harness import PlanDir, environment, plan, run, wait_until_serving

RANKD = ""
SLOW = False


def node(name, op, inputs=(), params=None, **fields):
    return {"node_id": name, "op": op, "inputs": list(inputs), "params": params or {}, **fields}


def body(nodes, *outputs):
    return {"nodes": nodes, "outputs": list(outputs) or [nodes[-1]["node_id"]]}


SOURCE = node("s", "fixed_source", (), {"row_count": 3})
NESTED = plan("p", [
    SOURCE,
    node("e", "for_each", ["s"], {"over": "rows", "on_item_error": "skip", "body": body([
        node("l", "loop", ["$in"], {"times": 1000, "body": body([
            node("t", "try", ["$in"], {
                "body": body([node("z", "sleep", ["$in"], {"duration_ms": 10}),
                              node("w", "busy_cpu", ["z"], {"busy_wait_ms": 1})]),
                "catch": [{"body": body([], "$in")}]})])})])}, on_error="pass")])


def peak_kib(document, request="{}\n"):
    """The largest size of a process that runs one request, which must succeed."""
    with PlanDir({"p": document}) as folder:
        process = subprocess.Popen([RANKD, "--plan_name", "p", "--plan_dir", folder.path], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, env=environment())
        process.stdin.write(request.encode())
        process.stdin.close()
        answer = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        assert process.returncode == 0 and "candidates" in answer, answer
        return usage.ru_maxrss


class ControlFlow(unittest.TestCase):
    def answer(self, document, **fields):
        with PlanDir({"p": document}) as folder:
            outcome = run(RANKD, ["--plan_name", "p", "--plan_dir", folder.path], json.dumps(fields) + "\n")
        return outcome.responses[0]

    def looping(self, times, *nodes):
        return plan("p", [SOURCE, node("l", "loop", ["s"], {"times": times, "body": body(list(nodes))})])

    def test_the_memory_of_a_loop_is_that_of_one_iteration(self):
        kinds = {
            "cheap work": [node("m", "vm", ["$in"], {"out_key": "n", "expr": "L.i"})],
            "failures": [node("t", "try", ["$in"], {
                "body": body([node("x", "take", ["$in"], {"count": {"expr": "0 - 1"}})]), "catch": [{"body": body([], "$in")}]})],
            "captures": [node("c", "take", ["$in"], {"count": 2}),
                         node("b", "branch", ["$in"], {"cases": [{"when": "true", "body": body([], "c")}]})],
            "waiting": [node("z", "sleep", ["$in"], {"duration_ms": 0})],
        }
        for name, nodes in kinds.items():
            few, many = peak_kib(self.looping(100, *nodes)), peak_kib(self.looping(20_000 if SLOW else 100_000, *nodes))
            if not SLOW:  # sanitizers keep what is freed for a while
                self.assertLess(many - few, 4096, name)

    def test_a_fan_out_keeps_its_outputs_and_what_is_under_way(self):
        def fan_out(items):
            return plan("p", [
                node("x", "fixed_source", (), {"row_count": items}),
                node("e", "for_each", ["x"], {"over": "rows", "max_parallel": 8, "body": body([
                    node("t", "take", ["$in"], {"count": 0}), node("z", "sleep", ["t"], {"duration_ms": 0})])})])
        few, many = peak_kib(fan_out(100)), peak_kib(fan_out(100_000))
        if not SLOW:
            self.assertLess(many - few, 64 << 10)

    def spans(self, trace, name):
        return [(n["start_us"], n["end_us"]) for n in trace["nodes"] if n["node"] == name]

    def test_rows_stand_in_item_order_however_many_and_whenever_their_items_end(self):
        # Items end in another order than they began, some are left out, some carry another key, some
        # have no row: what is joined on the way must be what joining all at the end gives.
        rows = 3000
        document = plan("p", [
            node("s", "fixed_source", (), {"row_count": rows}),
            node("e", "for_each", ["s"], {"over": "rows", "on_item_error": "skip", "body": body([
                node("z", "sleep", ["$in"], {"duration_ms": {"expr": "L.i % 4"}}),
                node("f", "filter", ["z"], {"pred": "L.i % 7 != 0"}),
                # Some fail: there is no such count.
                node("t", "take", ["f"], {"count": {"expr": "if(L.i % 91 == 90, -1, 5)"}}),
                node("b", "branch", ["t"], {"cases": [
                    {"when": "L.i % 5 == 0", "body": body([node("v", "vm", ["$in"], {
                        "out_key": "score", "expr": "id * 2"})])}],
                    "else": body([], "$in")})])})])
        answer = self.answer(document)
        got = [(row["id"], row["fields"].get("score")) for row in answer["candidates"]]
        wanted = [(i + 1, 2.0 * (i + 1) if i % 5 == 0 else None) for i in range(rows) if i % 7 and i % 91 != 90]
        self.assertEqual(got, wanted)

    def test_no_more_items_are_under_way_than_max_parallel_says(self):
        for most in (1, 8):
            document = plan("p", [
                node("x", "fixed_source", (), {"row_count": 100}),
                node("e", "for_each", ["x"], {"over": "rows", "max_parallel": most, "body": body([
                    node("z", "sleep", ["$in"], {"duration_ms": {"expr": "L.i % 3"}})])})])
            spans = self.spans(self.answer(document, trace=True)["trace"], "z")
            self.assertEqual(len(spans), 100)
            changes = sorted([(start, 1) for start, _ in spans] + [(end, -1) for _, end in spans])
            under_way = peak = 0
            for _, change in changes:
                under_way += change
                peak = max(peak, under_way)
            self.assertEqual(peak, most)

    def test_a_trace_tells_activations_apart(self):
        document = plan("p", [SOURCE, node("l", "loop", ["s"], {"times": 3, "body": body([
            node("e", "for_each", ["$in"], {"over": "rows", "body": body([node("m", "vm", ["$in"], {"out_key": "n", "expr": "L.i"})])})])})])
        trace = self.answer(document, trace=True)["trace"]
        places = [(n.get("activation"), n["node"]) for n in trace["nodes"]]
        self.assertEqual(len(places), len(set(places)))
        self.assertEqual(sorted(n for _, n in places), ["e"] * 3 + ["l"] + ["m"] * 9 + ["s"])
        outside = [n["node"] for n in trace["nodes"] if "activation" not in n]
        self.assertEqual(sorted(outside), ["l", "s"])
        self.assertTrue(trace["critical_path"])

    def test_a_deadline_in_nested_activations_is_one_answer_in_time(self):
        with PlanDir({"p": NESTED}) as folder:
            stdin = "".join(json.dumps({"deadline_ms": ms}) + "\n" for ms in (1, 5, 40, 41, 42, 90))
            outcome = run(RANKD, ["--plan_name", "p", "--plan_dir", folder.path], stdin)
        self.assertEqual([r["error"]["code"] for r in outcome.responses], ["deadline_exceeded"] * 6)
        self.assertGreaterEqual(outcome.ms, 90)
        if not SLOW:
            self.assertLess(outcome.ms, 900)

    def test_a_signal_ends_nested_activations(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with PlanDir({"p": NESTED}) as folder:
                process = subprocess.Popen([RANKD, "--plan_name", "p", "--plan_dir", folder.path], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment())
                process.stdin.write(b"{}\n{}\n")
                process.stdin.flush()
                wait_until_serving(process)
                time.sleep(0.1)
                start = time.monotonic()
                process.send_signal(number)
                out, _ = process.communicate(timeout=60)
            self.assertEqual([json.loads(line)["error"]["code"] for line in out.splitlines()], ["cancelled"] * 2)
            self.assertEqual(process.returncode, status)
            if not SLOW:
                self.assertLess(time.monotonic() - start, 1)

    def test_files_of_traces_and_logs_take_nested_activations(self):
        with PlanDir({"p": NESTED}) as folder:
            trace, log = (os.path.join(folder.path, name) for name in ("trace.json", "log.json"))
            outcome = run(RANKD, ["--plan_name", "p", "--plan_dir", folder.path, "--trace", trace, "--log", log],
                          '{"deadline_ms": 60}\n{"deadline_ms": 30}\n')
            self.assertEqual(outcome.exit, 1)
            with open(trace, encoding="utf-8") as file:
                events = json.load(file)
            events = events if isinstance(events, list) else events["traceEvents"]
            self.assertGreaterEqual(sum(e.get("name") == "z" for e in events), 6)
            with open(log, encoding="utf-8") as file:
                self.assertEqual([json.loads(line)["code"] for line in file], ["deadline_exceeded"] * 2)

    def test_a_bench_of_control_flow(self):
        document = self.looping(5, node("z", "sleep", ["$in"], {"duration_ms": 0}),
                                node("m", "vm", ["z"], {"out_key": "n", "expr": "L.i"}))
        with PlanDir({"p": document}) as folder:
            outcome = run(RANKD, ["--plan_name", "p", "--plan_dir", folder.path, "--bench", "500", "--bench_concurrency", "8"])
        self.assertEqual(outcome.exit, 0, outcome.err)
        self.assertEqual(outcome.responses[0]["errors"], 0)


if __name__ == "__main__":
    RANKD = os.path.abspath(sys.argv[1])
    SLOW = "--slow" in sys.argv
    unittest.main(argv=[sys.argv[0], *[a for a in sys.argv[2:] if a != "--slow"]])
