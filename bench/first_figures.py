#!/usr/bin/env python3
"""First figures of rankd: start-up, throughput on the memory store and on a local Redis.

usage: first_figures.py RANKD [--plans DIR] [--requests N] [--rounds N] [--json]

Prints, medians of a few rounds of whole processes:
  one request        one request of mixed_pipeline on the memory store, from start to exit
  N requests, memory the same plan streamed through one process
  N requests, redis  the same against a redis-server started here, filled with `rankd demo-data`
Everything stays on this machine. Figures of shared machines are noisy: compare within one run.
"""
import json
import os
import statistics
import sys
import tempfile

import measure


def stream(name, command, requests, rounds, directory):
    stdin_path = os.path.join(directory, f"requests_{requests}.ndjson")
    if not os.path.exists(stdin_path):
        with open(stdin_path, "w") as file:
            file.writelines('{"user_id":%d}\n' % (i % 20 + 1) for i in range(requests))
    stdout_path = os.path.join(directory, "answers")
    taken = [measure.run(command, stdin_path, stdout_path) for _ in range(rounds)]
    with open(stdout_path, "rb") as answers:
        lines = sum(1 for _ in answers)
    if lines != requests:
        sys.exit(f"{name}: {lines} answers to {requests} requests")
    seconds = [t[0] for t in taken]
    median = statistics.median(seconds)
    return {
        "name": name,
        "requests": requests,
        "rounds": rounds,
        "median_ms": round(median * 1000, 2),
        "min_ms": round(min(seconds) * 1000, 2),
        "max_ms": round(max(seconds) * 1000, 2),
        "requests_per_second": round(requests / median),
        "cpu_us_per_request": round(statistics.median(t[1] for t in taken) / requests * 1e6, 2),
    }


def main():
    options = measure.options_of(__doc__, ("--plans", {"default": measure.PLANS}),
                                 ("--requests", {"type": int, "default": 100_000}),
                                 ("--rounds", {"type": int, "default": 5}))
    base = [options.rankd, "--plan_dir", options.plans, "--plan_name", "mixed_pipeline"]
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        rows.append(stream("one request, memory", base, 1, options.rounds * 4, directory))
        rows.append(stream("stream, memory", base, options.requests, options.rounds, directory))
        with measure.Redis(measure.demo_data(options.rankd, options.plans)) as redis:
            rows.append(stream("stream, redis", [*base, "--redis", redis.url], options.requests,
                               options.rounds, directory))

    if options.json:
        json.dump(rows, sys.stdout, indent=2)
        print()
        return
    print(f"{'':22}{'requests':>10}{'median ms':>12}{'min':>10}{'max':>10}{'req/s':>10}"
          f"{'CPU us/req':>12}")
    for row in rows:
        print(f"{row['name']:22}{row['requests']:>10}{row['median_ms']:>12}{row['min_ms']:>10}"
              f"{row['max_ms']:>10}{row['requests_per_second']:>10}{row['cpu_us_per_request']:>12}")


if __name__ == "__main__":
    main()
