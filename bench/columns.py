#!/usr/bin/env python3
"""How fast columns are: columns.cc, its floor in plain C++, and DuckDB on the same rows.

usage: columns.py RANKD [--modules DIR] [--rounds N] [--json]

The programs take turns; each gives nanoseconds a row (the median of its own rounds), of which the
median over the turns is printed. DIR holds node_modules with @duckdb/node-api; without one, DuckDB
is left out.
"""
import os

import measure


def main():
    options = measure.options_of(
        __doc__, ("--modules", {"default": os.path.join(measure.HERE, "..", "build", "bench")}),
        ("--rounds", {"type": int, "default": 3}))
    ours = [measure.in_build(options, "columns"), "--json", "--rounds", "5"]
    candidates = {"columns": lambda: measure.json_lines(ours)}
    package = os.path.join(options.modules, "node_modules", "@duckdb", "node-api")
    if not measure.missing("node"):
        if os.path.isdir(package):
            duckdb = ["node", os.path.join(measure.HERE, "columns_duckdb.mjs"), "--modules",
                      options.modules, "--rounds", "3"]
            candidates["duckdb"] = lambda: measure.json_lines(duckdb)
        else:
            measure.say("DuckDB is not installed, so nothing is measured beside it: "
                        f"npm install --prefix {options.modules} @duckdb/node-api")
    by_case = {}
    sums = {}
    for turns in measure.alternate(options.rounds, candidates).values():
        for line in (line for turn in turns for line in turn):
            by_case.setdefault((line["rows"], line["who"]), []).append(line["ns_a_row"])
            sums.setdefault(line["rows"], set()).add(line["sum_of_ids"])
    if any(len(seen) > 1 for seen in sums.values()):
        measure.fail(f"the programs do not take the same rows: {sums}")

    rows = [{"rows": count, "who": who, **measure.spread(values),
             "us_a_run": round(measure.median(values) * count / 1e3, 2),
             "rows_per_second": round(1e9 / measure.median(values))}
            for (count, who), values in sorted(by_case.items())]
    over_floor = {count: measure.ratio(by_case, (count, "rankd"), (count, "floor"))
                  for count in sorted(sums)}
    ahead = {count: min(measure.ratio(by_case, (count, who), (count, "rankd"))
                        for who in ("DuckDB", "DuckDB, enum"))
             for count in (10_000, 1_000_000)} if "duckdb" in candidates else {}
    short_us = measure.median(by_case[100, "rankd"]) * 100 / 1e3
    measured = (f"{short_us:.1f} us at 10^2; "
                f"{', '.join(f'{ratio:.1f}' for ratio in over_floor.values())} times the floor")
    if ahead:
        measured += f"; {ahead[10_000]:.1f} and {ahead[1_000_000]:.1f} times as fast as DuckDB"
    within = short_us < 5 and max(over_floor.values()) <= 2
    measure.finish(options, rows, [
        ("rows", "rows", 10), ("", "who", 16), ("ns a row", "median", 12), ("least", "least", 10),
        ("most", "most", 10), ("us a run", "us_a_run", 14), ("rows/s", "rows_per_second", 14)], {
            "measured": measured,
            "reach": "under 5 us at 10^2; within 2 times the floor; 5 times as fast as DuckDB at "
                     "10^4 and 10^6",
            "ok": within and min(ahead.values()) >= 5 if ahead else (None if within else False)})


if __name__ == "__main__":
    main()
