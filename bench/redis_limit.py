#!/usr/bin/env python3
"""How close rankd comes to Redis' own limit, on one machine with it.

usage: redis_limit.py RANKD [--requests N] [--rounds N] [--concurrency C…] [--json]

follow_ten of bench/plans (12 commands in 3 pipelines) streamed through stdin against a redis-server
started here: requests per second, and the commands Redis counted per second. Beside it
redis-benchmark sending HGETALL (`-P`) at two depths: the mean number of commands of a node's
pipeline, and the mean number that Redis read at a time, which is what is judged: pipelines of one
turn leave in one write, so Redis sees them as one. Its 50 connections, and one as rankd has.
"""
import measure

PIPELINES = 3
SINGLE_ENGINE = 7400  # requests per second of the public engine on this plan


def benchmark(redis, depth, connections):
    """HGETALL commands per second."""
    count = 200_000 if depth < 8 else 600_000
    text = measure.output_of(
        ["redis-benchmark", "-p", str(redis.port), "-n", str(count), "-P", str(depth), "-c",
         str(connections), "--csv", "HGETALL", "user:1"])
    return float(text.splitlines()[-1].split(",")[1].strip('"'))


def stream(options, redis, requests, concurrency):
    command = [options.rankd, "--plan_dir", measure.BENCH_PLANS, "--plan_name", "follow_ten",
               "--redis", redis.url, "--quiet", "--concurrency", str(concurrency)]
    commands, reads = redis.counts()
    seconds, cpu = measure.run(command, requests)
    commands_after, reads_after = redis.counts()
    done = sum(commands_after.get(name, 0) - commands.get(name, 0)
               for name in ("hgetall", "lrange", "hmget"))
    return {"requests_per_second": options.requests / seconds, "commands_per_second": done / seconds,
            "a_pipeline": done / options.requests / PIPELINES,
            "a_read": done / max(1, reads_after - reads), "cpu_us": cpu / options.requests * 1e6}


def main():
    options = measure.options_of(
        __doc__, ("--requests", {"type": int, "default": 60_000}),
        ("--rounds", {"type": int, "default": 7}),
        ("--concurrency", {"type": int, "nargs": "*", "default": [32, 64]}))
    rows = []
    with measure.Redis(measure.follow_data()) as redis, \
            measure.requests_file(measure.users(options.requests,
                                                measure.FOLLOW_USERS)) as requests:
        peer = not measure.missing("redis-benchmark")
        for concurrency in options.concurrency:
            first = stream(options, redis, requests, concurrency)
            depth = max(1, round(first["a_pipeline"]))
            read_depth = max(1, round(first["a_read"]))
            candidates = {"rankd": lambda c=concurrency: stream(options, redis, requests, c)}
            if peer:
                candidates |= {
                    "limit": lambda d=depth: benchmark(redis, d, 50),
                    "limit_read": lambda d=read_depth: benchmark(redis, d, 50),
                    "limit_one": lambda d=read_depth: benchmark(redis, d, 1)}
            taken = measure.alternate(options.rounds, candidates)
            streams = taken["rankd"]
            row = {"concurrency": concurrency, "pipeline": depth, "read": read_depth}
            for name in ("requests_per_second", "commands_per_second", "cpu_us"):
                row[name] = round(measure.median([one[name] for one in streams]))
            row["least"] = round(min(one["requests_per_second"] for one in streams))
            row["most"] = round(max(one["requests_per_second"] for one in streams))
            taken["rankd"] = [one["commands_per_second"] for one in streams]
            for name in candidates.keys() - {"rankd"}:
                row[name] = round(measure.median(taken[name]))
                row[f"of_{name}"] = round(measure.ratio(taken, "rankd", name), 2)
            rows.append(row)
    best = max(rows, key=lambda row: row["requests_per_second"])
    fast = best["requests_per_second"] >= 4 * SINGLE_ENGINE
    close = min(row["of_limit_read"] for row in rows) if peer else None
    measured = f"{best['requests_per_second']} requests/s, {best['commands_per_second']} commands/s"
    if peer:
        measured += ", " + " and ".join(
            f"{row['of_limit_read']:.0%} of redis-benchmark's at depth {row['read']}" for row in rows)
    measure.finish(options, rows, [
        ("in flight", "concurrency", 10), ("req/s", "requests_per_second", 9), ("least", "least", 9),
        ("most", "most", 9), ("CPU us", "cpu_us", 8), ("cmd/s", "commands_per_second", 10),
        ("depth", "pipeline", 7), ("limit/s", "limit", 10), ("of it", "of_limit", 7),
        ("at a read", "read", 11), ("limit/s", "limit_read", 10), ("of it", "of_limit_read", 7),
        ("1 conn/s", "limit_one", 10), ("of it", "of_limit_one", 7)], {
            "measured": measured,
            "reach": f"{4 * SINGLE_ENGINE} requests/s; half of redis-benchmark's commands",
            "ok": fast and close >= 0.5 if peer else (None if fast else False)})


if __name__ == "__main__":
    main()
