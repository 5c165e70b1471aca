#!/usr/bin/env python3
"""Instruction counts of what is to be fast, under callgrind, against the committed baseline.

usage: instructions.py RANKD [--update] [--tolerance PERCENT] [--json]

Wall time is noise on shared machines; counts of instructions are not. Each count is the difference of
a long and a short run, by what the long one did more of, so that start and set-up drop out:
  node_cost   a node of chain, wide and layers
  stream      a request of mixed_pipeline on the memory store
  columns     a row of the plan of columns.cc
Exit 1 when one is more than 3 % away from instructions.json, in either direction: what got better is
written down too (--update). Another compiler, library or kind of processor counts differently:
where they are not those of the baseline nothing is compared, which is said, and is no failure.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

import measure

BASELINE = os.path.join(measure.HERE, "instructions.json")


def environment(options):
    """What counts depend on besides our sources."""
    build = os.path.dirname(os.path.dirname(os.path.realpath(options.rankd)))
    with open(os.path.join(build, "CMakeCache.txt")) as file:
        cache = dict(re.findall(r"^(CMAKE_CXX_COMPILER|CMAKE_BUILD_TYPE|CMAKE_CXX_FLAGS_RELEASE):"
                                r"\w+=(.*)$", file.read(), re.M))
    compiler = cache["CMAKE_CXX_COMPILER"]
    libraries = re.findall(r"=> (\S+)", measure.output_of(["ldd", options.rankd]))
    with open("/proc/cpuinfo") as file:
        flags = set(file.read().split())
    return {
        "compiler": measure.output_of([compiler, "--version"]).splitlines()[0],
        "flags": f"{cache['CMAKE_BUILD_TYPE']} {cache['CMAKE_CXX_FLAGS_RELEASE']}",
        "libraries": sorted(os.path.basename(os.path.realpath(path)) for path in libraries),
        "glibc": measure.output_of(["ldd", "--version"]).splitlines()[0],
        # What valgrind lets programs see.
        "processor": [flag for flag in ("sse4_2", "avx2") if flag in flags],
    }


def counted(command, stdin=os.devnull):
    """Instructions of one process, all threads."""
    with open(stdin, "rb") as file:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
            stdin=file, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=300)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        measure.fail(f"{' '.join(command)}: {done.stderr[-500:]}")
    return int(found.group(1))


def jobs(options, short_requests, long_requests):
    """By name: a short and a long run as (command, stdin), and how much more the long one does."""
    node_cost = [measure.in_build(options, "node_cost"), "--only", "rankd", "--nodes", "1000"]
    columns = [measure.in_build(options, "columns"), "--only", "rankd", "--rounds", "1"]
    stream = [options.rankd, "--plan_dir", measure.PLANS, "--plan_name", "mixed_pipeline"]
    planned = {}
    for shape in ("chain", "wide", "layers"):
        runs = [[*node_cost, "--shape", shape, "--runs", str(n)] for n in (2, 12)]
        planned[f"node, {shape}"] = (*((run, os.devnull) for run in runs), 10 * 1000 * 7)
    planned["request, mixed_pipeline"] = ((stream, short_requests[0]), (stream, long_requests[0]),
                                          long_requests[1] - short_requests[1])
    for rows, few, many in ((100, 100, 1100), (10_000, 4, 24)):
        runs = [[*columns, "--rows", str(rows), "--runs", str(n)] for n in (few, many)]
        planned[f"row of {rows}"] = (*((run, os.devnull) for run in runs), rows * (many - few))
    return planned


def count_all(options):
    with measure.requests_file(measure.users(500)) as short_requests, \
            measure.requests_file(measure.users(2000)) as long_requests, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        planned = jobs(options, (short_requests, 500), (long_requests, 2000))
        started = {name: [pool.submit(counted, *run) for run in (short, long)]
                   for name, (short, long, _) in planned.items()}
        return {name: round((long.result() - short.result()) / planned[name][2], 2)
                for name, (short, long) in started.items()}


def main():
    options = measure.options_of(__doc__, ("--update", {"action": "store_true"}),
                                 ("--tolerance", {"type": float, "default": 3}))
    if measure.missing("valgrind"):
        return
    here = environment(options)
    baseline = None
    if os.path.exists(BASELINE):
        with open(BASELINE) as file:
            baseline = json.load(file)
    if not options.update:
        if baseline is None:
            measure.fail("there is no baseline; --update makes one")
        differing = [name for name in here if here[name] != baseline["environment"].get(name)]
        if differing:
            measure.say(f"not compared: the baseline was taken with another {', '.join(differing)}")
            return
    counts = count_all(options)
    if options.update:
        with open(BASELINE, "w") as file:
            json.dump({"environment": here, "counts": counts}, file, indent=2)
            file.write("\n")
        baseline = {"counts": counts}
    rows = []
    for name, count in counts.items():
        known = baseline["counts"].get(name)
        change = (count / known - 1) * 100 if known else float("inf")
        rows.append({"what": name, "instructions": count, "baseline": known or "none",
                     "change": f"{change:+.1f} %", "ok": abs(change) <= options.tolerance})
    wrong = [row["what"] for row in rows if not row["ok"]]
    measure.finish(options, rows, [("instructions each", "what", 26), ("now", "instructions", 12),
                                   ("baseline", "baseline", 12), ("", "change", 10)], {
        "measured": f"{', '.join(wrong)} changed" if wrong else "as in the baseline",
        "reach": f"within {options.tolerance:g} %", "ok": not wrong})
    if wrong:
        measure.say("if it is meant, take the baseline again: make instructions INSTRUCTIONS_FLAGS=--update")
        sys.exit(1)


if __name__ == "__main__":
    main()
