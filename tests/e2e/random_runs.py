"""What the random tests share: many plans served by one process a mode of running CPU work, their
answers compared with those wanted and, byte for byte, between the modes."""
import argparse
import json
import os
import sys

from harness import PlanDir, run

SHOWN = 5  # mismatches that are printed


def options(about, plans):
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rankd")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plans", type=int, default=plans)
    parser.add_argument("--keep", help="where to write plans that fail")
    return parser.parse_args()


def same(a, b):
    """Equal in value and type: 1 is not 1.0, nor true."""
    if isinstance(a, float) and isinstance(b, float):
        return a == b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def what_is_wrong(got, want):
    """One answer. `want` holds `candidates`, or `errors`: pairs of code and node, one of which failed."""
    if "candidates" in want:
        return None if same(got.get("candidates"), want["candidates"]) else "other rows"
    error = got.get("error", {})
    return None if (error.get("code"), error.get("node")) in want["errors"] else "another failure"


def compare(chosen, plans, requests, wanted, data, look=lambda got, want: None):
    """Runs everything and exits. Requests name their plan and have a whole `request_id`, their place.
    `look` may find more wrong with an answer of the first mode."""
    bad, texts = set(), {}
    stdin = "".join(json.dumps(r) + "\n" for r in requests)
    with PlanDir(plans, data=data) as folder:
        for mode in ("inline", "offload", "auto"):
            outcome = run(os.path.abspath(chosen.rankd), ["--plan_dir", folder.path, "--cpu", mode], stdin, timeout=300)
            lines = texts[mode] = outcome.text.splitlines()
            if len(lines) != len(wanted):
                print(f"--cpu {mode}: {len(lines)} answers, want {len(wanted)}; stderr: {outcome.err[:2000]}")
                sys.exit(1)
            for i, (line, want) in enumerate(zip(lines, wanted)):
                got = json.loads(line)
                wrong = what_is_wrong(got, want) or (look(got, want) if mode == "inline" else None)
                if wrong is None and "candidates" in want and "trace" not in got and line != texts["inline"][i]:
                    wrong = "other bytes than with --cpu inline"
                if wrong and i not in bad:
                    bad.add(i)
                    report(chosen, len(bad), f"--cpu {mode}: {wrong}", plans, requests[i], got, want)
    print(f"{chosen.plans - len(bad)} of {chosen.plans} plans agree")
    sys.exit(1 if bad else 0)


def related(plans, name):
    """A plan and those it calls, its own name first."""
    found, todo = [], [name]
    while todo:
        name = todo.pop()
        if name in plans and name not in found:
            found.append(name)
            todo += [other for other in plans if f'"plan": "{other}"' in json.dumps(plans[name])]
    return found


def report(chosen, count, wrong, plans, request, got, want):
    shown = {k: sorted(v) if isinstance(v, frozenset) else v for k, v in want.items()}
    names = related(plans, request["plan"])
    if count <= SHOWN:
        print(f"FAIL {request['plan']}: {wrong}")
        for name in names:
            print(f"     plan {json.dumps(plans[name], ensure_ascii=False)}")
        print(f"     request {json.dumps(request)}")
        print(f"     got  {json.dumps(got, ensure_ascii=False)[:1500]}")
        print(f"     want {json.dumps(shown, ensure_ascii=False)[:1500]}")
    if chosen.keep:
        os.makedirs(chosen.keep, exist_ok=True)
        for name in names:
            with open(os.path.join(chosen.keep, f"{name}.plan.json"), "w", encoding="utf-8") as out:
                json.dump(plans[name], out, ensure_ascii=False, indent=1)
