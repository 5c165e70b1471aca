#!/usr/bin/env python3
"""rankd explain as a process: sizes, pipes, pictures.   usage: explain_test.py RANKD PLANS [--slow]"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from harness import PlanDir, environment, plan, run

RANKD = ""
PLANS = ""
SLOW = False  # under sanitizers: no upper bounds on time
BOUND_S = 30  # generous: these take about a second

SOURCE = {"node_id": "s", "op": "fixed_source", "params": {"row_count": 3}}


def take(name, source):
    return {"node_id": name, "op": "take", "inputs": [source], "params": {"count": 2}}


def chain(length):
    return plan("chain", [SOURCE] + [take(f"n{i}", f"n{i - 1}" if i else "s") for i in range(length - 1)])


def fan(width):
    names = [f"n{i}" for i in range(width)]
    return plan("fan", [SOURCE, *[take(n, "s") for n in names],
                        {"node_id": "all", "op": "concat", "inputs": names}])


def layers(count, width):
    nodes, above = [SOURCE], ["s"]
    for layer in range(count):
        names = [f"n{layer}_{i}" for i in range(width)]
        nodes += [take(n, above[i % len(above)]) for i, n in enumerate(names)]
        above = names
    return plan("layers", [*nodes, {"node_id": "all", "op": "concat", "inputs": above}])


def node(name, op, source, **params):
    return {"node_id": name, "op": op, "inputs": [source], "params": params}


def body(nodes, *outputs):
    return {"nodes": nodes, "outputs": list(outputs)}


PASS = body([], "$in")
X = body([take("x", "$in")], "x")
# By plan: the edges that are not FORWARD, and what is required where it is not the number of edges in.
CONTROL = {
    "branching": (node("c", "branch", "s", cases=[{"when": "count() > 1", "body": X}]),
                  ["c CONTINUE c[case0]/x", "c BREAK c[end]"]),
    "each": (node("c", "for_each", "s", over="rows", body=X), ["c CONTINUE c/x", "c BREAK c[end]"]),
    "looping": (node("c", "loop", "s", times=3, body=X),
                ["c/x BACK c", "c CONTINUE c/x", "c BREAK c[end]"]),
    "trying": (node("c", "try", "s", body=X, catch=[{"codes": ["node_timeout"], "body": PASS}]),
               ["c CONTINUE c[body]/x", "c CONTINUE c[catch0]/[out]"]),
    "calling": (node("c", "call", "s", plan="callee"), ["c CONTINUE c/x"]),
}


class Explain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = PlanDir({
            "chain": chain(cls.chain_length()), "fan": fan(10_000), "layers": layers(10, 200),
            "outputs": plan("outputs", [SOURCE, *[take(f"n{i}", "s") for i in range(10_000)]],
                            [f"n{i}" for i in range(10_000)]),
            "callee": plan("callee", [take("x", "$in")], ["x"]),
            **{name: plan(name, [SOURCE, held, take("t", "c")]) for name, (held, _) in CONTROL.items()},
            "careful": plan("careful", [SOURCE, {**take("t", "s"), "on_error": "pass", "retry": {
                "max_attempts": 3, "backoff_ms": 5}}]),
            "broken": plan("broken", [take("t", "nobody")]),
            "small": plan("small", [SOURCE, take("t", "s"), take("unused", "s")], ["t"]),
            "odd": plan("odd", [
                {"node_id": "a.b:c-d", "op": "core::fixed_source",
                 "params": {"row_count": 1, "trace": "\"q\" \\ <b>&amp; `x` #1;\n\x1b[31mü\\"}},
                {"node_id": "--", "op": "concat", "inputs": ["a.b:c-d"] * 3},
                {"node_id": "digraph", "op": "take", "inputs": ["--"], "params": {"count": 1}}])})

    @classmethod
    def tearDownClass(cls):
        cls.folder.__exit__()

    @staticmethod
    def chain_length():
        # Sanitizers find in a fifth of it what there is to be found.
        return 20_000 if SLOW else 100_000

    def explain(self, *args, env=None, timeout=300):
        return run(RANKD, ["explain", *args, "--plan_dir", self.folder.path], env=env, timeout=timeout)

    def test_large_plans_are_explained_in_time_and_in_little_space(self):
        for name, edges in (("chain", self.chain_length() - 1), ("fan", 20_000), ("outputs", 10_000)):
            for form in ("text", "dot", "mermaid", "json"):
                with self.subTest(name=name, form=form):
                    start = time.monotonic()
                    outcome = self.explain(name, "--format", form)
                    took = time.monotonic() - start
                    self.assertEqual((outcome.exit, outcome.err), (0, ""))
                    if not SLOW:
                        self.assertLess(took, BOUND_S)
                    self.assertLess(len(outcome.text), 600 * edges)
                    if form == "json":
                        self.assertEqual(len(json.loads(outcome.text)["edges"]), edges)

    def test_the_same_plan_gives_the_same_bytes(self):
        for form in ("text", "dot", "mermaid", "json"):
            first = self.explain("layers", "--format", form)
            self.assertEqual(first.text, self.explain("layers", "--format", form).text)

    def test_nodes_with_bodies_are_heads_bodies_and_joins(self):
        for name, (_, kinds) in CONTROL.items():
            with self.subTest(name=name):
                told = json.loads(self.explain(name, "--format", "json").text)
                edges = told["edges"]
                self.assertEqual([f"{e['from']} {e['kind']} {e['to']}" for e in edges if e["kind"] != "FORWARD"],
                                 kinds)
                for one in told["nodes"]:
                    into = [e for e in edges if e["to"] == one["node"] and e["kind"] != "BACK"]
                    self.assertEqual(one["required"], 1 if one["node"] == "c[end]" else len(into), one)
                    self.assertEqual(one["per_item"], one["node"] == "c[end]" and name == "each")
                    inside = [b["path"] for b in told["bodies"] if one["node"].startswith(b["path"])]
                    self.assertEqual(one["body"], inside[0] if inside else None)
                roles = {one["node"]: one["role"] for one in told["nodes"]}
                self.assertEqual((roles["c"], roles["c[end]"], roles["t"]), ("head", "join", "node"))
                self.assertEqual([b["plan"] for b in told["bodies"]][0], "callee" if name == "calling" else None)

    def test_every_format_tells_kinds_and_joins(self):
        for name, (_, kinds) in CONTROL.items():
            for form in ("text", "dot", "mermaid"):
                with self.subTest(name=name, form=form):
                    outcome = self.explain(name, "--format", form)
                    self.assertEqual((outcome.exit, outcome.err), (0, ""))
                    self.assertIn("c[end]", outcome.text)
                    for kind in {edge.split()[1] for edge in kinds}:
                        self.assertIn(kind, outcome.text)

    def test_a_plan_that_names_in_begins_with_it(self):
        for form in ("text", "dot", "mermaid", "json"):
            outcome = self.explain("callee", "--format", form)
            self.assertEqual((outcome.exit, outcome.err), (0, ""))
            self.assertIn("$in", outcome.text)
        told = json.loads(outcome.text)
        self.assertEqual(told["edges"], [{"from": "$in", "to": "x", "kind": "FORWARD"}])
        self.assertEqual([n["role"] for n in told["nodes"]], ["input", "node"])

    def test_retry_and_on_error_are_told(self):
        for form in ("text", "dot", "mermaid"):
            text = self.explain("careful", "--format", form).text
            self.assertIn("max_attempts 3, backoff 5 ms", text.replace("#95;", "_"))
            self.assertIn("on_error pass", text)
        told = json.loads(self.explain("careful", "--format", "json").text)["nodes"][1]
        self.assertEqual(told["on_error"], "pass")
        self.assertEqual(told["retry"], {
            "max_attempts": 3, "backoff_ms": 5, "multiplier": 2.0, "max_backoff_ms": 1000, "jitter": 0.5,
            "on": ["node_timeout", "redis_unavailable", "redis_timeout", "task_failed"]})

    def test_problems_are_status_2_and_names_are_suggested(self):
        outcome = self.explain("broken")
        self.assertEqual((outcome.exit, outcome.text), (2, ""))
        self.assertIn("/nodes/0/inputs/0", outcome.err)
        outcome = self.explain("smal")
        self.assertEqual((outcome.exit, outcome.text), (2, ""))
        self.assertIn('did you mean "small"?', outcome.err)

    def test_a_file_is_explained_with_what_stands_beside_it(self):
        file = os.path.join(self.folder.path, "small.plan.json")
        for args in (["explain", file], ["explain", "--plan", file]):
            outcome = run(RANKD, args)
            self.assertEqual(outcome.exit, 0, outcome.err)
            self.assertIn("unused", outcome.text)

    def test_a_reader_that_stops_ends_it_quietly_a_full_disk_with_status_3(self):
        command = [RANKD, "explain", "chain", "--plan_dir", self.folder.path]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        self.assertTrue(child.stdout.readline())
        child.stdout.close()
        self.assertEqual(child.stderr.read(), b"")
        self.assertEqual(child.wait(60), -signal.SIGPIPE)
        child.stderr.close()
        with open("/dev/full", "wb") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment(), timeout=60)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"cannot write to stdout", done.stderr)

    def test_control_characters_never_reach_a_terminal(self):
        self.assertNotIn("\x1b", self.explain("odd").text)
        self.assertNotIn("\x1b", self.explain("odd", "--format", "dot").text)

    def test_without_dot_the_package_is_named(self):
        with tempfile.TemporaryDirectory() as empty:
            outcome = self.explain("small", "--svg", f"{empty}/x.svg", env={"PATH": empty})
            self.assertEqual((outcome.exit, outcome.text), (3, ""))
            self.assertIn("apt-get install graphviz", outcome.err)
            self.assertEqual(os.listdir(empty), [])

    def fake_dot(self, folder, script):
        path = os.path.join(folder, "dot")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
        return {"PATH": folder + ":" + os.environ["PATH"]}

    def test_an_svg_is_what_dot_makes_of_the_graph(self):
        with tempfile.TemporaryDirectory() as folder:
            env = self.fake_dot(folder, "echo \"<svg $*>\"; cat\n")
            outcome = self.explain("small", "--svg", f"{folder}/x.svg", "--quiet", env=env)
            self.assertEqual((outcome.exit, outcome.text, outcome.err), (0, "", ""))
            with open(f"{folder}/x.svg", encoding="utf-8") as file:
                svg = file.read()
            self.assertEqual(svg, "<svg -Tsvg>\n" + self.explain("small", "--format", "dot").text)
            both = self.explain("small", "--svg", f"{folder}/y.svg", "--format", "text", env=env)
            self.assertEqual(both.text, self.explain("small").text)
            self.assertTrue(os.path.exists(f"{folder}/y.svg"))

    def test_what_dot_or_the_disk_refuse_leaves_the_old_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            old = f"{folder}/x.svg"
            with open(old, "w", encoding="utf-8") as file:
                file.write("old")
            env = self.fake_dot(folder, "echo '<svg'; echo 'Error: no' >&2; exit 1\n")
            outcome = self.explain("small", "--svg", old, env=env)
            self.assertEqual(outcome.exit, 3)
            self.assertIn("dot failed with status 1: Error: no", outcome.err)
            with open(old, encoding="utf-8") as file:
                self.assertEqual(file.read(), "old")
            env = self.fake_dot(folder, "echo '<svg/>'\n")
            outcome = self.explain("small", "--svg", f"{folder}/no/x.svg", env=env)
            self.assertEqual(outcome.exit, 3)
            self.assertIn(f"cannot write {folder}/no/x.svg: No such file or directory", outcome.err)

    def test_graphviz_draws_all_there_is(self):
        """Only where it is installed; that names are quoted right is tested without it."""
        if shutil.which("dot") is None:
            return
        plans = [("odd", 3, 4), ("layers", 2002, 2200), ("looping", 5, 5), ("trying", 6, 6)]
        for name, nodes, edges in plans:
            with tempfile.TemporaryDirectory() as folder:
                outcome = self.explain(name, "--svg", f"{folder}/x.svg")
                self.assertEqual((outcome.exit, outcome.err), (0, ""))
                with open(f"{folder}/x.svg", encoding="utf-8") as file:
                    svg = file.read()
            self.assertEqual(len(re.findall(r'class="node"', svg)), nodes)
            self.assertEqual(len(re.findall(r'class="edge"', svg)), edges)
        for name in os.listdir(PLANS):
            if not name.endswith(".plan.json"):
                continue
            graph = run(RANKD, ["explain", os.path.join(PLANS, name), "--format", "dot"])
            done = subprocess.run(["dot", "-Tsvg"], input=graph.text.encode(), capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b""))


if __name__ == "__main__":
    RANKD, PLANS = map(os.path.abspath, sys.argv[1:3])
    SLOW = "--slow" in sys.argv
    unittest.main(argv=[sys.argv[0], *[a for a in sys.argv[3:] if a != "--slow"]])
