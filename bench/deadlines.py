#!/usr/bin/env python3
"""Whether deadlines hit: how long after its deadline a request was answered.

usage: deadlines.py RANKD [--requests N] [--rounds N] [--json]

Requests with deadlines of 5 to 50 ms, 64 in flight, on plans that take a second: `sleeping` waits
on a timer, `spinning` keeps the pool's threads busy, `mixed` takes turns between the two. Lateness
is the latency that `--log` tells, from admission to the answer, less the deadline. Beside it
timer_floor.cc: as many bare libuv timers of the same lengths, alone or beside threads that spin; and
the same with a millisecond more each, without which libuv calls half of them too early.
"""
import json
import os
import tempfile

import measure

IN_FLIGHT = 64


def rankd_lateness(options, threads, plans):
    """Microseconds, sorted."""
    def lines():
        state = 1
        for i in range(options.requests):
            state = (state * 1103515245 + 12345) % 2**31
            yield (f'{{"plan":"{plans[i % len(plans)]}","deadline_ms":{5 + (state >> 8) % 46},'
                   f'"request_id":"{5 + (state >> 8) % 46}"}}\n')

    with tempfile.TemporaryDirectory() as directory, measure.requests_file(lines()) as requests:
        log = os.path.join(directory, "log")
        command = [options.rankd, "--plan_dir", measure.BENCH_PLANS, "--quiet", "--concurrency",
                   str(IN_FLIGHT), "--cpu_threads", str(threads), "--log", log]
        measure.run(command, requests, allowed=(1,))
        with open(log) as file:
            records = [json.loads(line) for line in file]
    if len(records) != options.requests or {r["code"] for r in records} != {"deadline_exceeded"}:
        measure.fail(f"of {options.requests} requests, {len(records)} were answered, with "
                     f"{sorted({str(r['code']) for r in records})}")
    return sorted(r["latency_us"] - int(r["request_id"]) * 1000 for r in records)


def percentiles(late):
    return {f"p{str(p).replace('.', '')}_us": measure.percentile(late, p) for p in (50, 90, 99, 99.9)}


def main():
    options = measure.options_of(__doc__, ("--requests", {"type": int, "default": 10_000}),
                                 ("--rounds", {"type": int, "default": 3}))
    floor = [measure.in_build(options, "timer_floor"), "--timers", str(options.requests), "--armed",
             str(IN_FLIGHT), "--spin"]
    threads = os.cpu_count()
    loads = {"sleeping": (["sleeping"], 0), "spinning": (["spinning"], threads),
             "mixed": (["sleeping", "spinning"], threads)}
    rows = []
    for name, (plans, spinning) in loads.items():
        taken = measure.alternate(options.rounds, {
            "rankd": lambda plans=plans: percentiles(rankd_lateness(options, threads, plans)),
            "bare timer": lambda spinning=spinning: measure.json_lines([*floor, str(spinning)])[0],
            "never early": lambda spinning=spinning: measure.json_lines(
                [*floor, str(spinning), "--round_up", "1"])[0]})
        for who, figures in taken.items():
            rows.append({"load": name, "who": who,
                         "least": min(f["p99_us"] for f in figures),
                         "most": max(f["p99_us"] for f in figures),
                         **{key: round(measure.median([f[key] for f in figures]))
                            for key in ("p50_us", "p90_us", "p99_us", "p999_us")}})
    p99 = [(ours["p99_us"], ours["p99_us"] / max(1, bare["p99_us"]))
           for ours, bare in zip(rows[::3], rows[1::3])]
    measure.finish(options, rows, [
        ("load", "load", 10), ("", "who", 12), ("p50 us late", "p50_us", 13), ("p90", "p90_us", 9),
        ("p99", "p99_us", 9), ("least", "least", 9), ("most", "most", 9), ("p99.9", "p999_us", 9)], {
            "measured": "p99 " + ", ".join(f"{late / 1e3:.1f} ms {name} ({ratio:.2f} times a timer)"
                                           for name, (late, ratio) in zip(loads, p99)),
            "reach": "p99 under 2 ms, under 1.5 times a bare timer's",
            "ok": all(late < 2000 and ratio < 1.5 for late, ratio in p99)})


if __name__ == "__main__":
    main()
