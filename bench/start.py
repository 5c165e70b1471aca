#!/usr/bin/env python3
"""What starting costs: one request, whole process, beside a program that only links the same libraries.

usage: start.py RANKD [--plans DIR] [--rounds N] [--json]

mixed_pipeline on the memory store; rankd, linked_only and true take turns. The first two are copies:
how Linux keeps a file in memory depends on how it came there, and moves a start by a twentieth.
"""
import contextlib
import os
import shutil
import tempfile

import measure


def libraries(program):
    return {line.split()[0] for line in measure.output_of(["ldd", program]).splitlines()
            if "=>" in line}


@contextlib.contextmanager
def copies(*programs):
    """Their paths. Each was written in one go, not by cp, which may copy what is there by pages."""
    with tempfile.TemporaryDirectory(prefix="rankd-bench-") as folder:
        paths = []
        for program in programs:
            paths.append(os.path.join(folder, os.path.basename(program)))
            with open(program, "rb") as source, open(paths[-1], "wb") as copy:
                copy.write(source.read())
            os.chmod(paths[-1], 0o755)
        yield paths


def main():
    options = measure.options_of(__doc__, ("--plans", {"default": measure.PLANS}),
                                 ("--rounds", {"type": int, "default": 200}))
    linked_only = measure.in_build(options, "linked_only")
    if libraries(linked_only) != libraries(options.rankd):
        measure.say("linked_only links other libraries than rankd: "
                    f"{sorted(libraries(linked_only) ^ libraries(options.rankd))}")
    plan = ["--plan_dir", options.plans, "--plan_name", "mixed_pipeline"]
    with (measure.requests_file(measure.users(1)) as request,
          copies(options.rankd, linked_only) as (rankd, linked)):
        candidates = {
            "rankd, one request": lambda: measure.run([rankd, *plan], request),
            "only linked": lambda: measure.run([linked]),
            "true": lambda: measure.run([shutil.which("true")]),
        }
        taken = measure.alternate(options.rounds, candidates)
    seconds = {name: [t[0] for t in times] for name, times in taken.items()}
    rows = [{"who": name, **measure.spread([s * 1e3 for s in seconds[name]]),
             "cpu_ms": round(measure.median([t[1] * 1e3 for t in times]), 2)}
            for name, times in taken.items()]
    ratio = measure.ratio(seconds, "rankd, one request", "only linked")
    measure.finish(options, rows, [
        ("", "who", 22), ("median ms", "median", 12), ("least", "least", 10), ("most", "most", 10),
        ("CPU ms", "cpu_ms", 10)], {
            "measured": f"{rows[0]['median']:.1f} ms, {ratio:.2f} times the linked program",
            "reach": "under 1.5 times", "ok": ratio < 1.5})


if __name__ == "__main__":
    main()
