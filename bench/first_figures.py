#!/usr/bin/env python3
"""First figures of rankd: start-up, throughput on the memory store and on a local Redis, memory.

usage: first_figures.py RANKD [--plans DIR] [--requests N] [--rounds N] [--json]

Prints, medians of a few rounds of whole processes:
  one request        one request of mixed_pipeline on the memory store, from start to exit
  N requests, memory the same plan streamed through one process
  N requests, redis  the same against a redis-server started here, filled with `rankd demo-data`
each with its peak resident memory. Everything stays on this machine. Figures of shared machines are
noisy: compare within one run.
"""
import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time


def run(command, stdin_path, stdout_path):
    """Runs one process to its end: (seconds, peak resident bytes)."""
    with open(stdin_path, "rb") as stdin, open(stdout_path, "wb") as stdout:
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=stdin, stdout=stdout)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with status {process.returncode}")
    return seconds, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime


def measure(name, command, requests, rounds, directory):
    stdin_path = os.path.join(directory, f"requests_{requests}.ndjson")
    if not os.path.exists(stdin_path):
        with open(stdin_path, "w") as file:
            file.writelines('{"user_id":%d}\n' % (i % 20 + 1) for i in range(requests))
    stdout_path = os.path.join(directory, "answers")
    taken = [run(command, stdin_path, stdout_path) for _ in range(rounds)]
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
        "cpu_us_per_request": round(statistics.median(t[2] for t in taken) / requests * 1e6, 2),
        "peak_rss_mib": round(max(t[1] for t in taken) / 2**20, 1),
    }


class Redis:
    """A private redis-server on a free loopback port, filled with the demo data."""

    def __init__(self, rankd, plans):
        self.directory = tempfile.mkdtemp()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
             "--dir", self.directory], stdout=subprocess.DEVNULL)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.2).close()
                break
            except OSError:
                time.sleep(0.02)
        else:
            sys.exit("redis-server did not start")
        data = subprocess.run([rankd, "demo-data", "--plan_dir", plans], check=True,
                              capture_output=True).stdout
        subprocess.run(["redis-cli", "-p", str(self.port), "--pipe"], input=data, check=True,
                       stdout=subprocess.DEVNULL)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("rankd")
    parser.add_argument("--plans", default=os.path.join(here, "..", "plans"))
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for name in [n for n in os.environ if n.startswith("RANKD_") or n == "REDIS_URL"]:
        del os.environ[name]

    base = [options.rankd, "--plan_dir", options.plans, "--plan_name", "mixed_pipeline"]
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        rows.append(measure("one request, memory", base, 1, options.rounds * 4, directory))
        rows.append(measure("stream, memory", base, options.requests, options.rounds, directory))
        redis = Redis(options.rankd, options.plans)
        try:
            url = ["--redis", f"redis://127.0.0.1:{redis.port}"]
            rows.append(measure("stream, redis", base + url, options.requests, options.rounds,
                                directory))
        finally:
            redis.stop()

    if options.json:
        json.dump(rows, sys.stdout, indent=2)
        print()
        return
    print(f"{'':22}{'requests':>10}{'median ms':>12}{'min':>10}{'max':>10}{'req/s':>10}"
          f"{'CPU us/req':>12}{'peak MiB':>10}")
    for row in rows:
        print(f"{row['name']:22}{row['requests']:>10}{row['median_ms']:>12}{row['min_ms']:>10}"
              f"{row['max_ms']:>10}{row['requests_per_second']:>10}{row['cpu_us_per_request']:>12}"
              f"{row['peak_rss_mib']:>10}")


if __name__ == "__main__":
    main()
