#!/usr/bin/env python3
"""Whether cores help: --loops 1 and --loops 2 on a plan of inline nodes, with --bench.

Beside them two processes with a loop each: what the two processors give, which on a shared machine,
or where they are one core's threads, is less than twice what one does.

usage: loops.py RANKD [--requests N] [--concurrency C] [--rounds N] [--json]

inline_chain of bench/plans has no IO: all of its work is the loops'. Whether this build has --loops
is seen from `rankd --help`.
"""
import json
import subprocess

import measure


def main():
    options = measure.options_of(__doc__, ("--requests", {"type": int, "default": 200_000}),
                                 ("--concurrency", {"type": int, "default": 64}),
                                 ("--rounds", {"type": int, "default": 9}))
    reach = "1.6 times on 2 cores"
    if "--loops" not in measure.output_of([options.rankd, "--help"]):
        measure.finish(options, [], [], {"measured": "this build has no --loops", "reach": reach,
                                         "ok": None})
        return
    base = [options.rankd, "--plan_dir", measure.BENCH_PLANS, "--plan_name", "inline_chain",
            "--quiet", "--bench", str(options.requests), "--bench_concurrency",
            str(options.concurrency)]

    def throughput(processes, loops):
        running = [subprocess.Popen([*base, "--loops", loops], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, text=True) for _ in range(processes)]
        done = [process.communicate()[0] for process in running]
        if any(process.returncode for process in running):
            measure.fail("rankd failed")
        return sum(json.loads(text)["throughput_rps"] for text in done)

    taken = measure.alternate(options.rounds, {
        "1": lambda: throughput(1, "1"), "2": lambda: throughput(1, "2"),
        "1, twice": lambda: throughput(2, "1")})
    rows = [{"loops": loops, **measure.spread(values, 0)} for loops, values in taken.items()]
    ratio = measure.ratio(taken, "2", "1")
    ceiling = measure.ratio(taken, "1, twice", "1")
    measure.finish(options, rows, [
        ("loops", "loops", 10), ("req/s", "median", 10), ("least", "least", 10),
        ("most", "most", 10)], {
        "measured": f"{ratio:.2f} times with two loops, {ceiling:.2f} with two processes",
            "reach": reach, "ok": ratio >= 1.6})


if __name__ == "__main__":
    main()
