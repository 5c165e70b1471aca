#!/usr/bin/env python3
"""Runs the cases of tests/cases/*.json against a rankd binary.

usage: run_cases.py RANKD FILE… [--redis] [--only TEXT] [--slow] [-v]

--redis starts a redis-server and points the same cases at it; --slow (sanitizers) drops the upper
bounds on time. tests/cases/README.md says how a case is written.
"""
import argparse
import collections
import json
import os
import re
import sys

from harness import PlanDir, REGISTRY, Redis, plan, run


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def response_text(request_id, rows):
    """The line that a successful request must print, to the byte."""
    candidates = [{"id": row_id, "fields": dict(sorted(fields.items()))} for row_id, fields in rows]
    return dump({"request_id": request_id, "candidates": candidates})


def check_response(want, line, request_id):
    """What is wrong with one response line."""
    try:
        got = json.loads(line)
    except ValueError:
        return [f"not JSON: {line[:200]}"]
    if isinstance(want, list):
        want = {"rows": want}
    if "request_id" in want or request_id is not None:
        wanted_id = want.get("request_id", request_id)
        if got.get("request_id") != wanted_id or type(got.get("request_id")) is not type(wanted_id):
            return [f"request_id {got.get('request_id')!r}, want {wanted_id!r}"]
    if "error" in want:
        error = got.get("error")
        if error is None:
            return [f"success, want {want['error']}: {line[:300]}"]
        bad = []
        if error.get("code") != want["error"]:
            bad.append(f"code {error.get('code')}, want {want['error']} ({error.get('message')})")
        for field in ("node", "op"):
            if field in want and error.get(field) != want[field]:
                bad.append(f"{field} {error.get(field)!r}, want {want[field]!r}")
        for part in want.get("message", []):
            if part not in error.get("message", ""):
                bad.append(f"the message lacks {part!r}: {error.get('message')!r}")
        if list(got) != ["request_id", "error"] or not error.get("message"):
            bad.append(f"a failure has another shape: {line[:200]}")
        return bad
    if "candidates" not in got:
        return [f"failed: {line[:300]}"]
    rows = want["rows"]
    if rows and all(isinstance(row, int) for row in rows) or not rows:
        ids = [candidate["id"] for candidate in got["candidates"]]
        return [] if ids == rows else [f"ids {ids}, want {rows}"]
    text = response_text(got["request_id"], [(r[0], r[1] if len(r) > 1 else {}) for r in rows])
    return [] if text == line else [f"got  {line[:400]}", f"want {text[:400]}"]


def take_trace(line):
    """A response line without its trace, and how often each node stands there; None without one."""
    got = json.loads(line)
    if "trace" not in got:
        return line, None
    starts = collections.Counter(entry["node"] for entry in got.pop("trace")["nodes"])
    return dump(got), starts


def check_starts(want, starts):
    """Whether the nodes named ran that often. Retries of a node count once."""
    if starts is None:
        return ["no trace"]
    return [f"{node} ran {starts[node]} times, want {count}" for node, count in want.items() if starts[node] != count]


def check_summary(outcome):
    """The closing line on stderr counts what the responses say."""
    codes = {}
    for response in outcome.responses:
        if "error" in response:
            code = response["error"]["code"]
            codes[code] = codes.get(code, 0) + 1
    found = re.search(r"^rankd: (\d+) of (\d+) requests? failed: (.*)$", outcome.err, re.M)
    if not codes:
        return ["a summary of failures though nothing failed"] if found else []
    if not found:
        return [f"stderr has no summary: {outcome.err[:300]!r}"]
    said = dict(part.split(" ") for part in found.group(3).split(", "))
    wanted = {code: str(count) for code, count in codes.items()}
    if said != wanted or found.group(1) != str(sum(codes.values())) or \
            found.group(2) != str(len(outcome.responses)):
        return [f"the summary is wrong: {found.group()!r}"]
    return []


class Case:
    """One case with what its file shares filled in."""

    def __init__(self, shared, case):
        self.case = {**shared, **case}
        self.name = case["name"]

    def get(self, field, default=None):
        return self.case.get(field, default)

    def plans(self):
        plans = {}
        for name, document in self.get("plans", {}).items():
            if isinstance(document, list):
                document = plan(name, self._with_source(document))
            plans[name] = document
        if self.get("nodes") is not None:
            extra = {k: self.get(k) for k in ("keys", "params", "expr_table", "pred_table")
                     if self.get(k) is not None}
            plans["p"] = plan("p", self._with_source(self.get("nodes")), self.get("outputs"), **extra)
        if self.get("plan") is not None:
            plans["p"] = self.get("plan")
        return plans

    def _with_source(self, nodes):
        if self.get("rows") is None or any(n.get("node_id") == "s" for n in nodes):
            return nodes
        return [{"node_id": "s", "op": "fixed_source", "params": {"rows": self.get("rows")}}, *nodes]

    def stdin(self):
        if self.get("stdin") is not None:
            return self.get("stdin")
        return "".join((r if isinstance(r, str) else dump(r)) + "\n" for r in self.requests())

    def requests(self):
        traced = {"trace": True} if self.get("starts") is not None else {}
        return [{**r, **traced} if traced else r for r in self.get("requests", [{}])]

    def request_ids(self):
        """The id each response must carry; None where the case does not say."""
        if self.get("stdin") is not None or self.get("unordered"):
            return None
        return [r.get("request_id", f"line:{i + 1}") if isinstance(r, dict) else None
                for i, r in enumerate(self.requests())]

    def needs_memory(self):
        return self.get("endpoints") is not None or self.get("memory_only", False)

    def run(self, rankd, redis, slow):
        if redis:
            if self.needs_memory():
                return None
            redis.load(self.get("data", {}))
        with PlanDir(self.plans(), self.get("registry", REGISTRY), self.get("endpoints"),
                     self.get("data"), self.get("files")) as folder:
            args = [a.replace("{DIR}", folder.path) for a in self.get("args", ["--plan_name", "p"])]
            if not self.get("no_plan_dir"):
                args += ["--plan_dir", folder.path]
            if redis:
                args += ["--redis", redis.url]
            env = {k: v.replace("{DIR}", folder.path) for k, v in self.get("env", {}).items()}
            for _ in range(1 if slow else 3):  # a busy machine gets another chance at a time bound
                outcome = run(rankd, args, self.stdin(), env)
                low, high = self.get("ms", [0, 1e9])
                if low <= outcome.ms <= high:
                    break
            return self.judge(outcome, slow or redis is not None)

    def judge(self, outcome, slow):
        bad = []
        if outcome.raw and not outcome.raw.endswith(b"\n"):
            bad.append("stdout ends in the middle of a line")
        lines = outcome.text.split("\n")[:-1]
        wanted = self.get("out")
        if wanted is None and self.get("error") is not None:
            wanted = [self.get("error")]
        if wanted is None and self.get("rows_out") is not None:
            wanted = [{"rows": self.get("rows_out")}]
        if wanted is not None:
            bad += self.judge_lines(wanted, lines, outcome)
        exit_wanted = self.get("exit")
        if exit_wanted is None and wanted is not None:
            exit_wanted = 1 if any(isinstance(w, dict) and "error" in w for w in wanted) else 0
        if outcome.exit != exit_wanted:
            bad.append(f"exit {outcome.exit}, want {exit_wanted}")
        if self.get("stdout") is not None and outcome.text != self.get("stdout"):
            bad.append(f"stdout {outcome.text[:300]!r}, want {self.get('stdout')[:300]!r}")
        for part in self.get("stdout_has", []):
            if part not in outcome.text:
                bad.append(f"stdout lacks {part!r}: {outcome.text[:600]!r}")
        for part in self.get("err", []):
            if part not in outcome.err:
                bad.append(f"stderr lacks {part!r}: {outcome.err[:600]!r}")
        for part in self.get("err_not", []):
            if part in outcome.err:
                bad.append(f"stderr has {part!r}")
        for part, count in self.get("err_count", {}).items():
            if outcome.err.count(part) != count:
                bad.append(f"{part!r} stands {outcome.err.count(part)} times in stderr, want {count}")
        if exit_wanted == 2 and "request_id" in outcome.text:
            bad.append(f"something ran: {outcome.text[:200]!r}")
        low, high = self.get("ms", [0, 1e9])
        if outcome.ms < low or (outcome.ms > high and not slow):
            bad.append(f"took {outcome.ms:.0f} ms, want {low} to {high}")
        if bad and "exit" not in bad[-1] and outcome.err:
            bad.append(f"stderr: {outcome.err[:500]!r}")
        return bad

    def judge_lines(self, wanted, lines, outcome):
        if len(lines) != len(wanted):
            return [f"{len(lines)} responses, want {len(wanted)}: {lines[:3]}"]
        bad = []
        ids = self.request_ids() or [None] * len(wanted)
        if self.get("unordered"):  # by request_id
            by_id = {json.loads(line).get("request_id"): line for line in lines}
            lines = [by_id.get(w["request_id"], "") for w in wanted]
        for i, (want, line) in enumerate(zip(wanted, lines)):
            if self.get("starts") is not None:
                line, starts = take_trace(line)
                bad += [f"response {i + 1}: {b}" for b in check_starts(self.get("starts")[i], starts)]
            bad += [f"response {i + 1}: {b}" for b in check_response(want, line, ids[i])]
        if not bad and not self.get("no_summary"):
            bad += check_summary(outcome)
        return bad


def expand_tables(shared):
    """The short forms of a file: expressions and predicates over its rows, plans that are refused."""
    for check in shared.get("values", []):
        out = check["out"]
        node = {"node_id": "x", "op": "vm", "inputs": ["s"], "params": {"out_key": out, "expr": check["expr"]}}
        case = {"name": f"{out} = {check['expr']}", "nodes": [node],
                "requests": [{"params": check.get("params", {}), "output_keys": [out]}]}
        if "want" in check:
            case["rows_out"] = [[row["id"], {} if want is None else {out: want}]
                                for row, want in zip(shared["rows"], check["want"], strict=True)]
        else:
            case["error"] = {"node": "x", "op": "vm", **check["error"]}
        yield case
    for check in shared.get("keeps", []):
        node = {"node_id": "x", "op": "filter", "inputs": ["s"], "params": {"pred": check["pred"]}}
        case = {"name": f"filter {check['pred']}", "nodes": [node],
                "requests": [{"params": check.get("params", {})}]}
        if "want" in check:
            case["rows_out"] = check["want"]
        else:
            case["error"] = {"node": "x", "op": "filter", **check["error"]}
        yield case
    for check in shared.get("refuses", []):
        if "pred" in check:
            node = {"node_id": "x", "op": "filter", "inputs": ["s"], "params": {"pred": check["pred"]}}
            where = "/nodes/1/params/pred"
        else:
            node = {"node_id": "x", "op": "vm", "inputs": ["s"],
                    "params": {"out_key": check["out"], "expr": check["expr"]}}
            where = "/nodes/1/params/expr"
        yield {"name": f"refuses {check.get('pred', check.get('expr'))}", "nodes": [node], "exit": 2,
               "err": [f"{where}{check.get('at', '')}: ", *check.get("err", [])]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rankd")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--redis", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    rankd = os.path.abspath(options.rankd)
    redis = Redis() if options.redis else None
    passed = failed = left_out = 0
    try:
        for path in options.files:
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            shared = {k: v for k, v in document.items()
                      if k not in ("cases", "values", "keeps", "refuses", "about")}
            for case in [*document.get("cases", []), *expand_tables(document)]:
                if options.only not in case["name"]:
                    continue
                bad = Case(shared, case).run(rankd, redis, options.slow)
                if bad is None:
                    left_out += 1
                elif bad:
                    failed += 1
                    print(f"FAIL {os.path.basename(path)}: {case['name']}")
                    for line in bad:
                        print(f"     {line}")
                else:
                    passed += 1
                    if options.v:
                        print(f"ok   {case['name']}")
    finally:
        if redis:
            redis.stop()
    note = f", {left_out} need the memory store" if left_out else ""
    print(f"{passed} passed, {failed} failed{note}")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
