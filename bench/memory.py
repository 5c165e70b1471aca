#!/usr/bin/env python3
"""What memory does: flat while requests stream, and so much for each request in flight.

usage: memory.py RANKD [--plans DIR] [--requests N] [--in_flight N] [--json]

Streams N requests of mixed_pipeline on the memory store and looks at the resident memory at every
tenth of them: it is flat when it has not grown after the first. Then N requests are in flight at
once, held up by a store that takes its time over one command, at each of the plan's three round
trips; the difference to one request in flight, by the number of requests, is what one costs. At the
later ones a request holds rows: one of the viewer, the ids of the list.
"""
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time

import measure

BATCH = 1000
HOLD_SECONDS = 5
FLAT_BYTES = 2**20


def resident(pid):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    return 0


def streamed(options):
    """Resident bytes after each tenth of the requests."""
    process = subprocess.Popen(
        [options.rankd, "--plan_dir", options.plans, "--plan_name", "mixed_pipeline"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def feed():
        batch = "".join(measure.users(BATCH)).encode()
        for _ in range(options.requests // BATCH):
            process.stdin.write(batch)
        process.stdin.close()

    feeder = threading.Thread(target=feed)
    feeder.start()
    samples = []
    answers = 0
    while block := process.stdout.read(1 << 20):
        answers += block.count(b"\n")
        if answers >= options.requests * (len(samples) + 1) // 10 and len(samples) < 10:
            samples.append(resident(process.pid))
    feeder.join()
    if process.wait() != 0 or answers != options.requests // BATCH * BATCH:
        measure.fail(f"{answers} answers, status {process.returncode}")
    return samples


def held(options, command, in_flight):
    """Resident bytes with so many requests in flight, all waiting for `command`."""
    with tempfile.TemporaryDirectory() as directory:
        for name in os.listdir(options.plans):
            if name.endswith(".json") and not name.startswith("endpoints."):
                shutil.copy(os.path.join(options.plans, name), directory)
        with open(os.path.join(directory, "endpoints.held.json"), "w") as file:
            json.dump({"endpoints": [{
                "name": "redis_default", "kind": "memory", "data": "demo_data.json",
                "latency_ms": {command: HOLD_SECONDS * 1000},
                "policy": {"max_inflight": in_flight, "request_timeout_ms": 60_000}}]}, file)
        process = subprocess.Popen(
            [options.rankd, "--plan_dir", directory, "--env", "held", "--plan_name",
             "mixed_pipeline", "--concurrency", str(in_flight)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write("".join(measure.users(in_flight)).encode())
        process.stdin.flush()
        time.sleep(HOLD_SECONDS - 1)
        bytes_held = resident(process.pid)
        output, _ = process.communicate()
    answers = output.count(b'"candidates"')
    if process.returncode != 0 or answers != in_flight:
        measure.fail(f"{answers} answers of {in_flight}, status {process.returncode}")
    return bytes_held


def main():
    options = measure.options_of(__doc__, ("--plans", {"default": measure.PLANS}),
                                 ("--requests", {"type": int, "default": 10_000_000}),
                                 ("--in_flight", {"type": int, "default": 10_000}))
    samples = streamed(options)
    rows = [{"what": f"{(i + 1) * 10} % of {options.requests} streamed",
             "mib": round(sample / 2**20, 2)} for i, sample in enumerate(samples)]
    grown = max(samples) - samples[0]
    each = []
    for command in ("HGETALL", "LRANGE", "HMGET"):
        few, many = held(options, command, 1), held(options, command, options.in_flight)
        each.append((many - few) / max(1, options.in_flight - 1))
        rows.append({"what": f"1 in flight, at {command}", "mib": round(few / 2**20, 2)})
        rows.append({"what": f"{options.in_flight} in flight, at {command}",
                     "mib": round(many / 2**20, 2), "each": round(each[-1])})
    measure.finish(options, rows, [("", "what", 36), ("MiB", "mib", 10), ("bytes each", "each", 12)], {
        "measured": f"grown by {grown / 2**20:.1f} MiB over {options.requests} requests; "
                    + ", ".join(f"{size / 1024:.1f}" for size in each)
                    + " KB per request in flight at HGETALL, LRANGE, HMGET",
        "reach": "flat; under 8 KB per request in flight besides its rows",
        "ok": grown <= FLAT_BYTES and max(each) < 8192})


if __name__ == "__main__":
    main()
