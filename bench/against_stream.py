#!/usr/bin/env python3
"""rankd --bench against a load from outside, on the same plan and at the same concurrency.

usage: against_stream.py RANKD LOAD_GENERATOR [--plans DIR] [--plan NAME] [--env NAME] [--redis]
                         [--requests N] [--rounds N] [--json]

For each concurrency it takes turns between three ways to the same work and prints the median
throughput of each, and how far `--bench` is from the others: the median over the rounds of the
ratio within a round, and its quartiles, since a shared machine may be twice as fast a minute later.
  bench   rankd --bench N --bench_concurrency C
  flood   requests poured into stdin, rankd --concurrency C: rankd keeps C in flight
  closed  C requests outstanding in the generator: one is sent for each answer that comes back
`closed` costs two more changes of thread for each batch of answers, from the pipe to the generator
and from the generator to rankd's reader, and the generator's own time on the same cores.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

from measure import Redis, demo_data

FLOOD = 2048


def last_line(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with status {done.returncode}")
    return json.loads(done.stdout)["throughput_rps"]


def measure(options, base, concurrency):
    n, warmup = options.requests, options.requests // 10
    outside = [*base, "--concurrency", str(concurrency)]

    def generated(outstanding):
        return [options.load_generator, str(outstanding), str(n), str(warmup), "--", *outside]

    ways = {
        "bench": [*base, "--bench", str(n), "--bench_concurrency", str(concurrency)],
        "flood": generated(FLOOD),
        "closed": generated(concurrency),
    }
    taken = {name: [] for name in ways}
    for number in range(options.rounds):
        # Every other round the other way round, so that a machine getting slower favours nobody.
        for name in list(ways) if number % 2 == 0 else reversed(ways):
            taken[name].append(last_line(ways[name]))
    row = {"concurrency": concurrency}
    row.update({name: round(statistics.median(values)) for name, values in taken.items()})
    for name in ("flood", "closed"):
        percents = [(bench / other - 1) * 100 for bench, other in zip(taken["bench"], taken[name])]
        quartiles = statistics.quantiles(percents, n=4, method="inclusive")
        row[f"from_{name}_percent"] = [round(value, 1) for value in quartiles]
    return row


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("rankd")
    parser.add_argument("load_generator")
    parser.add_argument("--plans", default=os.path.join(here, "..", "plans"))
    parser.add_argument("--plan", default="mixed_pipeline")
    parser.add_argument("--env", default="demo")
    parser.add_argument("--redis", action="store_true", help="against a redis-server started here")
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--concurrency", type=int, nargs="*", default=[1, 16, 64])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for name in [n for n in os.environ if n.startswith("RANKD_") or n == "REDIS_URL"]:
        del os.environ[name]

    base = [options.rankd, "--plan_dir", options.plans, "--plan_name", options.plan,
            "--env", options.env, "--quiet"]
    redis = Redis(demo_data(options.rankd, options.plans)) if options.redis else None
    try:
        if redis:
            base += ["--redis", f"redis://127.0.0.1:{redis.port}"]
        rows = [measure(options, base, c) for c in options.concurrency]
    finally:
        if redis:
            redis.stop()
    if options.json:
        json.dump(rows, sys.stdout, indent=2)
        print()
        return
    print(f"{'in flight':>10}{'bench/s':>10}{'flood/s':>10}{'closed/s':>10}"
          f"{'from flood':>26}{'from closed':>26}")
    for row in rows:
        apart = [f"{middle:+.1f}% ({low:+.1f}…{high:+.1f})"
                 for low, middle, high in (row["from_flood_percent"], row["from_closed_percent"])]
        print(f"{row['concurrency']:>10}{row['bench']:>10}{row['flood']:>10}{row['closed']:>10}"
              f"{apart[0]:>26}{apart[1]:>26}")


if __name__ == "__main__":
    main()
