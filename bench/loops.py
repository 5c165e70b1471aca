#!/usr/bin/env python3
"""Whether cores help: --loops 1 and --loops 2 on a plan of inline nodes, with --bench.

usage: loops.py RANKD [--requests N] [--concurrency C] [--rounds N] [--json]

inline_chain of bench/plans has no IO: all of its work is the loops'. Whether this build has --loops
is seen from `rankd --help`.
"""
import measure


def main():
    options = measure.options_of(__doc__, ("--requests", {"type": int, "default": 200_000}),
                                 ("--concurrency", {"type": int, "default": 64}),
                                 ("--rounds", {"type": int, "default": 5}))
    reach = "1.6 times on 2 cores"
    if "--loops" not in measure.output_of([options.rankd, "--help"]):
        measure.finish(options, [], [], {"measured": "this build has no --loops", "reach": reach,
                                         "ok": None})
        return
    base = [options.rankd, "--plan_dir", measure.BENCH_PLANS, "--plan_name", "inline_chain",
            "--quiet", "--bench", str(options.requests), "--bench_concurrency",
            str(options.concurrency)]
    taken = measure.alternate(options.rounds, {
        loops: lambda loops=loops: measure.json_lines([*base, "--loops", loops])[0]["throughput_rps"]
        for loops in ("1", "2")})
    rows = [{"loops": loops, **measure.spread(values, 0)} for loops, values in taken.items()]
    ratio = rows[1]["median"] / rows[0]["median"]
    measure.finish(options, rows, [("loops", "loops", 8), ("req/s", "median", 10),
                                   ("least", "least", 10), ("most", "most", 10)], {
        "measured": f"{ratio:.2f} times with two loops", "reach": reach, "ok": ratio >= 1.6})


if __name__ == "__main__":
    main()
