#!/usr/bin/env python3
"""bench/sweep.py on recorded numbers, and once with the binary.   usage: sweep_test.py RANKD [--slow]"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

RANKD = ""
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SWEEP = os.path.join(ROOT, "bench", "sweep.py")
sys.path.insert(0, os.path.dirname(SWEEP))
import sweep  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
CONCURRENCIES = [1, 2, 4, 8, 16, 32, 64, 128]


def recorded(throughputs, knee=None):
    points = [{"concurrency": c, "throughput_rps": t, "p50_us": c / t * 1e6, "p99_us": c / t * 2.5e6,
               "errors": 0} for c, t in zip(CONCURRENCIES, throughputs)]
    return {"plan": "a<b", "knee": knee, "points": points}


# mixed_pipeline with a store that takes 2 ms: the pool of connections is full at 16.
SATURATED = [480, 955, 1890, 3700, 7100, 7400, 7500, 7450]


class Knee(unittest.TestCase):
    def knee(self, throughputs):
        return sweep.find_knee(recorded(throughputs)["points"])

    def test_where_throughput_stops_growing(self):
        self.assertEqual(self.knee(SATURATED), 16)
        self.assertEqual(self.knee([100, 190, 195, 200, 199, 200, 201, 200]), 2)
        self.assertEqual(self.knee([100, 200, 400, 800, 1600, 3200, 6400, 6500]), 64)
        # Falling behind the peak does not move it.
        self.assertEqual(self.knee([100, 200, 390, 400, 380, 350, 300, 250]), 4)

    def test_curves_without_one(self):
        self.assertIsNone(self.knee([100 * c for c in CONCURRENCIES]))  # grows to the end
        self.assertIsNone(self.knee([100, 101, 102, 101, 100, 102, 101, 100]))  # never grows
        self.assertIsNone(self.knee([100, 100, 100, 100, 100, 100, 100, 100]))
        self.assertIsNone(sweep.find_knee(recorded([100, 200])["points"]))

    def test_concurrencies_are_powers_of_two(self):
        self.assertEqual(sweep.concurrencies(128), CONCURRENCIES)
        self.assertEqual(sweep.concurrencies(100), CONCURRENCIES[:-1])
        self.assertEqual(sweep.concurrencies(1), [1])


class Drawing(unittest.TestCase):
    def parse(self, document):
        root = ElementTree.fromstring(sweep.draw(document))
        return root, [node.text for node in root.iter(SVG + "text")]

    def test_the_drawing_has_axes_curves_and_the_knee(self):
        root, texts = self.parse(recorded(SATURATED, 16))
        self.assertIn("a<b: throughput and latency by concurrency", texts)
        for label in ("throughput (requests/s)", "latency (logarithmic)", "p50", "p99", "throughput",
                      "concurrency: requests in flight (logarithmic)", *map(str, CONCURRENCIES)):
            self.assertIn(label, texts)
        self.assertIn("knee: 16 in flight, 7.1k/s, p99 5.63 ms", texts)
        lines = list(root.iter(SVG + "polyline"))
        self.assertEqual(len(lines), 3)
        for curve in lines:
            xs, ys = zip(*(map(float, place.split(",")) for place in curve.get("points").split()))
            # The axis is logarithmic: powers of two are equally far apart.
            steps = [b - a for a, b in zip(xs, xs[1:])]
            self.assertLess(max(steps) - min(steps), 0.3)
            view = [float(part) for part in root.get("viewBox").split()]
            self.assertTrue(all(0 < y < view[3] for y in ys))
        throughput = lines[0].get("points").split()
        self.assertGreater(float(throughput[0].split(",")[1]), float(throughput[-1].split(",")[1]))

    def test_without_a_knee_it_says_so(self):
        _, texts = self.parse(recorded([100 * c for c in CONCURRENCIES]))
        self.assertIn("no knee", texts)

    def test_one_point_and_failed_points(self):
        document = recorded(SATURATED)
        for point in document["points"][1:]:
            point.update({"p50_us": None, "p99_us": None, "throughput_rps": 0})
        root, _ = self.parse(document)
        self.assertEqual(len(root.findall(f"{SVG}polyline")), 3)
        document["points"][0]["p50_us"] = None
        with self.assertRaises(ValueError):
            sweep.draw(document)

    def test_ticks_are_round_and_enclose_what_is_drawn(self):
        for highest in (0.7, 1, 9, 7500, 35_400, 99_999, 1e6):
            ticks = sweep.linear_ticks(highest)
            self.assertEqual(ticks[0], 0)
            self.assertGreaterEqual(ticks[-1], highest * (1 - 1e-9))
            self.assertTrue(4 <= len(ticks) <= 8, ticks)
        for low, high in ((20, 30), (1, 1), (28, 5600), (5, 5e6)):
            ticks = sweep.decade_ticks(low, high)
            self.assertTrue(ticks[0] <= low and ticks[-1] >= high, ticks)
            self.assertEqual(ticks, sorted(set(ticks)))


class Script(unittest.TestCase):
    def run_script(self, *args):
        return subprocess.run([sys.executable, "-B", SWEEP, *args], capture_output=True, text=True,
                              timeout=120, check=False)

    def test_a_sweep_writes_its_files_and_draws_them_again(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {kind: os.path.join(folder, f"out.{kind}") for kind in ("json", "csv", "svg")}
            flags = [part for kind, path in files.items() for part in (f"--{kind}", path)]
            done = self.run_script(RANKD, "--plan_name", "mixed_pipeline", "--plan_dir",
                                   os.path.join(ROOT, "plans"), "--requests", "20", "--rounds", "1", "--max",
                                   "4", *flags, "--", "--quiet", "--env", "slow")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(files["json"], encoding="utf-8") as file:
                document = json.load(file)
            self.assertEqual([point["concurrency"] for point in document["points"]], [1, 2, 4])
            with open(files["csv"], encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual([row["concurrency"] for row in rows], ["1", "2", "4"])
            self.assertEqual(list(rows[0]), sweep.COLUMNS)
            with open(files["svg"], encoding="utf-8") as file:
                drawn = file.read()
            again = os.path.join(folder, "again.svg")
            self.assertEqual(self.run_script("--from", files["json"], "--svg", again).returncode, 0)
            with open(again, encoding="utf-8") as file:
                self.assertEqual(file.read(), drawn)

    def test_usage(self):
        self.assertEqual(self.run_script().returncode, 2)
        self.assertEqual(self.run_script(RANKD, "--plan_name", "x", "--max", "0").returncode, 2)
        done = self.run_script(RANKD, "--plan_name", "no_such_plan", "--plan_dir",
                               os.path.join(ROOT, "plans"))
        self.assertNotEqual(done.returncode, 0)
        self.assertTrue(re.search("ended with status 2", done.stderr))


if __name__ == "__main__":
    RANKD = os.path.abspath(sys.argv.pop(1))
    if "--slow" in sys.argv:
        sys.argv.remove("--slow")
    unittest.main()
