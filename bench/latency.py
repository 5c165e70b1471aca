#!/usr/bin/env python3
"""What latency looks like on a local Redis, beside the bare round trips that the plan needs.

usage: latency.py RANKD [--requests N] [--rounds N] [--json]

follow_ten of bench/plans (viewer, follow 10 with fields, vm, filter, vm, take: three round trips)
with `--bench` at concurrency 1, and round_trips.cc, take turns on a redis-server started here.
"""
import measure


def main():
    options = measure.options_of(__doc__, ("--requests", {"type": int, "default": 5000}),
                                 ("--rounds", {"type": int, "default": 9}))
    count = options.requests
    with measure.Redis(measure.follow_data()) as redis, \
            measure.requests_file(measure.users(measure.FOLLOW_USERS,
                                                measure.FOLLOW_USERS)) as requests:
        rankd = [options.rankd, "--plan_dir", measure.BENCH_PLANS, "--plan_name", "follow_ten",
                 "--redis", redis.url, "--quiet", "--bench", str(count), "--bench_concurrency", "1",
                 "--bench_requests", requests]
        bare = [measure.in_build(options, "round_trips"), str(redis.port),
                str(measure.FOLLOW_USERS), str(count)]
        taken = measure.alternate(options.rounds, {
            "rankd --bench": lambda: measure.json_lines(rankd)[0],
            "bare round trips": lambda: measure.json_lines(bare)[0]})
    p50 = {name: [line["p50_us"] for line in lines] for name, lines in taken.items()}
    rows = [{"who": name, **measure.spread(p50[name]),
             "p99_us": round(measure.median([line["p99_us"] for line in lines]), 1)}
            for name, lines in taken.items()]
    ratio = measure.ratio(p50, "rankd --bench", "bare round trips")
    measure.finish(options, rows, [
        ("", "who", 18), ("p50 us", "median", 10), ("least", "least", 10), ("most", "most", 10),
        ("p99 us", "p99_us", 10)], {
            "measured": f"p50 {rows[0]['median']:.0f} us, {ratio:.2f} times the bare round trips",
            "reach": "under 1.3 times", "ok": ratio < 1.3})


if __name__ == "__main__":
    main()
