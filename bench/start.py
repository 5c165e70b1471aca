#!/usr/bin/env python3
"""What starting costs: one request, whole process, beside a program that only links the same libraries.

usage: start.py RANKD [--plans DIR] [--rounds N] [--json]

mixed_pipeline on the memory store; rankd, linked_only and true take turns.
"""
import shutil

import measure


def libraries(program):
    return {line.split()[0] for line in measure.output_of(["ldd", program]).splitlines()
            if "=>" in line}


def main():
    options = measure.options_of(__doc__, ("--plans", {"default": measure.PLANS}),
                                 ("--rounds", {"type": int, "default": 200}))
    linked_only = measure.in_build(options, "linked_only")
    if libraries(linked_only) != libraries(options.rankd):
        measure.say("linked_only links other libraries than rankd: "
                    f"{sorted(libraries(linked_only) ^ libraries(options.rankd))}")
    rankd = [options.rankd, "--plan_dir", options.plans, "--plan_name", "mixed_pipeline"]
    with measure.requests_file(measure.users(1)) as request:
        candidates = {
            "rankd, one request": lambda: measure.run(rankd, request),
            "only linked": lambda: measure.run([linked_only]),
            "true": lambda: measure.run([shutil.which("true")]),
        }
        taken = measure.alternate(options.rounds, candidates)
    rows = [{"who": name, **measure.spread([t[0] * 1e3 for t in times]),
             "cpu_ms": round(measure.median([t[1] * 1e3 for t in times]), 2)}
            for name, times in taken.items()]
    ratio = rows[0]["median"] / rows[1]["median"]
    measure.finish(options, rows, [
        ("", "who", 22), ("median ms", "median", 12), ("least", "least", 10), ("most", "most", 10),
        ("CPU ms", "cpu_ms", 10)], {
            "measured": f"{rows[0]['median']:.1f} ms, {ratio:.2f} times the linked program",
            "reach": "under 1.5 times", "ok": ratio < 1.5})


if __name__ == "__main__":
    main()
