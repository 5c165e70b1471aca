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


class Explain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = PlanDir({
            "chain": chain(100_000), "fan": fan(10_000), "layers": layers(10, 200),
            "outputs": plan("outputs", [SOURCE, *[take(f"n{i}", "s") for i in range(10_000)]],
                            [f"n{i}" for i in range(10_000)]),
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

    def explain(self, *args, env=None, timeout=300):
        return run(RANKD, ["explain", *args, "--plan_dir", self.folder.path], env=env, timeout=timeout)

    def test_large_plans_are_explained_in_time_and_in_little_space(self):
        for name, edges in (("chain", 99_999), ("fan", 20_000), ("outputs", 10_000)):
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
        plans = [("odd", 3, 4), ("layers", 2002, 2200)]
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
