#!/usr/bin/env python3
"""What a request costs without IO: mixed_pipeline on the memory store, stdin to stdout, whole process.

usage: stream.py RANKD [--plans DIR] [--requests N] [--rounds N] [--json]

Beside it `jq -c .`, which reprints the same requests.
"""
import measure


def main():
    options = measure.options_of(__doc__, ("--plans", {"default": measure.PLANS}),
                                 ("--requests", {"type": int, "default": 240_000}),
                                 ("--rounds", {"type": int, "default": 5}))
    count = options.requests
    rankd = [options.rankd, "--plan_dir", options.plans, "--plan_name", "mixed_pipeline"]
    with measure.requests_file(measure.users(count)) as requests, \
            measure.requests_file([]) as answers:
        candidates = {"rankd": lambda: measure.run(rankd, requests, answers)}
        measure.run(rankd, requests, answers)
        with open(answers, "rb") as file:
            lines = sum(1 for line in file if b'"candidates"' in line)
        if lines != count:
            measure.fail(f"{lines} answers to {count} requests")
        if not measure.missing("jq"):
            candidates["jq -c ."] = lambda: measure.run(["jq", "-c", "."], requests, answers)
        taken = measure.alternate(options.rounds, candidates)
    seconds = {name: [t[0] for t in times] for name, times in taken.items()}
    rows = []
    for name, times in taken.items():
        row = {"who": name, **measure.spread(seconds[name], 3)}
        row["requests_per_second"] = round(count / row["median"])
        row["cpu_us"] = round(measure.median([t[1] for t in times]) / count * 1e6, 2)
        rows.append(row)
    measured = f"{rows[0]['requests_per_second']} requests/s, {rows[0]['cpu_us']} us of CPU each"
    if len(rows) > 1:
        times_jq = measure.ratio(seconds, rows[0]["who"], rows[1]["who"])
        measured += f"; {times_jq:.2f} times as long as jq"
    measure.finish(options, rows, [
        ("", "who", 10), ("seconds", "median", 10), ("least", "least", 10), ("most", "most", 10),
        ("req/s", "requests_per_second", 10), ("CPU us/req", "cpu_us", 12)], {
            "measured": measured, "reach": "100000 requests/s, under 10 us of CPU each",
            "ok": rows[0]["requests_per_second"] >= 100_000 and rows[0]["cpu_us"] < 10})


if __name__ == "__main__":
    main()
