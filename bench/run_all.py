#!/usr/bin/env python3
"""Runs the programs of bench/, one for each question, and prints one table.

usage: run_all.py RANKD [--quick] [--results FILE]

BENCH_ONLY="columns start" in the environment runs only those. What stands beside rankd is measured
where it is installed, and missed aloud where it is not; DuckDB is fetched with npm into the folder of
FILE (build/bench/results.json). --quick asks less of each: to see that all is in order, not for
figures. The exit status is 1 when a program failed, not when something was not reached.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time

import measure


def lines_of(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def judge_node_cost(text):
    """What node_cost.cc gives, in words."""
    ns = {}
    for line in lines_of(text):
        ns.setdefault((line["shape"], line["nodes"]), {})[line["who"]] = line["ns_each"]
    ours = [case["rankd"] for case in ns.values()]
    peers = [min(value for who, value in case.items() if who.startswith("tbb")) / case["rankd"]
             for case in ns.values() if any(who.startswith("tbb") for who in case)]
    counted = [case["rankd, counters"] for case in ns.values()]
    measured = (f"{min(ours):.0f} to {max(ours):.0f} ns ({min(counted):.0f} to {max(counted):.0f} "
                "where some node may wait)")
    if peers:
        measured += f"; oneTBB takes {min(peers):.2f} to {max(peers):.2f} times as long"
    fast = max(ours) < 40
    return {"measured": measured, "reach": "under 40 ns; faster than oneTBB everywhere",
            "ok": fast and min(peers) > 1 if peers else (None if fast else False),
            "rows": lines_of(text)}


def judge_offload(text):
    """What offload.cc gives, in words."""
    lines = lines_of(text)
    trip = next(line for line in lines if line["what"] == "round trip")
    threshold = next(line for line in lines if line["what"] == "threshold")
    behind = {line["rows"]: line["auto_over_best"] for line in lines if line["what"] == "chain"}
    worst = max(behind, key=behind.get)
    return {"measured": f"round trip {trip['us']:.1f} us, ten are {threshold['us']:.0f} us (the engine "
                        f"hands over above {threshold['engine_us']:.0f}); auto at most "
                        f"{behind[worst]:.2f} times the best, at {worst} rows",
            "reach": "auto within 1.1 times the best of inline, pool and fused",
            "ok": behind[worst] <= 1.1, "rows": lines}


# Name, question, what makes it quick, and who judges the output of a C++ program.
PROGRAMS = [
    ("node_cost", "1 a node", ["--nodes", "1000"], judge_node_cost),
    ("stream", "2 a request", ["--requests", "40000", "--rounds", "3"], None),
    ("redis_limit", "3 Redis' limit", ["--requests", "20000", "--rounds", "3"], None),
    ("latency", "4 latency", ["--requests", "2000", "--rounds", "5"], None),
    ("columns", "5 columns", ["--rounds", "1"], None),
    ("offload", "6 offloads", ["--rounds", "3"], judge_offload),
    ("deadlines", "7 deadlines", ["--requests", "2000", "--rounds", "1"], None),
    ("start", "8 starting", ["--rounds", "40"], None),
    ("memory", "9 memory", ["--requests", "300000"], None),
    ("loops", "10 cores", ["--requests", "50000", "--rounds", "3"], None),
]


def fetch_duckdb(folder):
    """With npm, unless it is there; a failure leaves DuckDB out."""
    if os.path.isdir(os.path.join(folder, "node_modules", "@duckdb", "node-api")):
        return
    if not shutil.which("npm"):
        return
    print("fetching DuckDB with npm", file=sys.stderr)
    done = subprocess.run(["npm", "install", "--prefix", folder, "--no-audit", "--no-fund",
                           "--no-save", "--silent", "@duckdb/node-api@1"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        measure.say("npm could not fetch @duckdb/node-api")


def run_program(options, name, quick, judge):
    """What it measured; None when it failed."""
    if judge:
        command = [measure.in_build(options, name), "--json"]
    else:
        command = [sys.executable, "-B", os.path.join(measure.HERE, f"{name}.py"), options.rankd,
                   "--json"]
    if name == "columns":
        command += ["--modules", os.path.dirname(os.path.abspath(options.results))]
    if options.quick:
        command += quick
    done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        if done.returncode == 0:
            return judge(done.stdout) if judge else json.loads(done.stdout)
    except (ValueError, KeyError, StopIteration) as error:
        measure.say(f"{name}: {error!r}")
    measure.say(f"{name} failed with status {done.returncode}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rankd")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--results", default=os.path.join(measure.HERE, "..", "build", "bench",
                                                          "results.json"))
    options = parser.parse_args()
    only = os.environ.get("BENCH_ONLY", "").split()
    unknown = set(only) - {name for name, *_ in PROGRAMS}
    if unknown:
        parser.error(f"BENCH_ONLY names no program: {', '.join(sorted(unknown))}")
    folder = os.path.dirname(os.path.abspath(options.results))
    os.makedirs(folder, exist_ok=True)
    if not only or "columns" in only:
        fetch_duckdb(folder)

    results = []
    for name, question, quick, judge in PROGRAMS:
        if only and name not in only:
            continue
        print(f"{name} …", file=sys.stderr, flush=True)
        start = time.monotonic()
        measured = run_program(options, name, quick, judge)
        results.append({"program": name, "question": question,
                        **(measured or {"measured": "failed", "reach": "", "ok": None}),
                        "failed": measured is None,
                        "seconds": round(time.monotonic() - start, 1)})
    with open(options.results, "w") as file:
        json.dump({"quick": options.quick, "processors": os.cpu_count(), "load": os.getloadavg(),
                   "results": results}, file, indent=2)
        file.write("\n")

    print("question | measured | reach | ok?\n---|---|---|---")
    for result in results:
        ok = {True: "yes", False: "no", None: "not judged"}[result["ok"]]
        print(f"{result['question']} | {result['measured']} | {result['reach']} | {ok}")
    print(f"\nmore in {os.path.relpath(options.results)}")
    if any(result["failed"] for result in results):
        sys.exit(1)


if __name__ == "__main__":
    main()
