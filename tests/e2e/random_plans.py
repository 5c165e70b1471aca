#!/usr/bin/env python3
"""Random plans, run by rankd and by the reference interpreter: the answers must be equal.

usage: random_plans.py RANKD [--seed N] [--plans N] [--redis] [--keep DIR]

All plans are served by one process a mode of running CPU work; every mode must print the same bytes.
"""
import random

import random_runs
import reference
from expression_text import Types, text
from harness import REGISTRY, plan
from random_runs import HASHES, LISTS, WORDS

TYPES = {k["name"]: k["type"] for k in REGISTRY["keys"]}
DEFAULTS = {k["name"]: k["default"] for k in REGISTRY["keys"] if "default" in k}
PARAM_TYPES = {p["name"]: p["type"] for p in REGISTRY["params"]}
STATIC = Types(TYPES, PARAM_TYPES)
KEYS = ["n", "m", "score", "flag", "seen", "title", "country", "level"]


class Expressions:
    """Random typed expressions: a tuple for the reference, its text for the plan."""

    def __init__(self, rng):
        self.rng = rng

    def literal(self, kind):
        rng = self.rng
        if kind == "int":
            return ("const", rng.choice([0, 1, 2, 3, 7, 10, rng.randint(0, 50), 2**62, 2**63 - 1]))
        if kind == "float":
            return ("const", rng.choice([0.5, 1.0, 2.25, 0.1, 1e10, 1e300, float(rng.randint(0, 9))]))
        if kind == "bool":
            return ("const", rng.random() < 0.5)
        return ("const", rng.choice(WORDS))

    def leaf(self, kind):
        keys = [k for k in KEYS if TYPES[k] == kind] + (["id"] if kind == "int" else [])
        params = [p for p, t in PARAM_TYPES.items() if t == kind and p in ("weight", "limit", "top", "use_new", "pattern")]
        pick = self.rng.random()
        if pick < 0.6:
            return ("key", self.rng.choice(keys))
        if pick < 0.7 and params:
            return ("param", self.rng.choice(params))
        return self.literal(kind)

    def make(self, kind, depth):
        if depth <= 0 or self.rng.random() < 0.15:
            return self.leaf(kind)
        return getattr(self, "make_" + kind)(depth - 1)

    def make_int(self, d):
        pick = self.rng.randrange(9)
        if pick < 4:
            return (self.rng.choice(["add", "sub", "mul", "mod"]), self.make("int", d), self.make("int", d))
        if pick == 4:
            return ("neg", self.make("int", d))
        if pick == 5:
            return ("call", self.rng.choice(["floor", "ceil", "round"]), [self.make("float", d)])
        if pick == 6:
            return ("call", self.rng.choice(["min", "max", "coalesce"]), [self.make("int", d) for _ in range(self.rng.randint(2, 3))])
        if pick == 7:
            return ("if", self.make("bool", d), self.make("int", d), self.make("int", d))
        return self.rng.choice([("call", "len", [self.make("string", d)]), ("call", "abs", [self.make("int", d)]),
                                ("call", "clamp", [self.make("int", d) for _ in range(3)])])

    def make_float(self, d):
        either = lambda: self.make(self.rng.choice(["int", "float"]), d)
        pick = self.rng.randrange(8)
        if pick < 3:
            return (self.rng.choice(["add", "sub", "mul", "mod"]), self.make("float", d), either())
        if pick == 3:
            return ("div", either(), either())
        if pick == 4:
            return ("call", self.rng.choice(["min", "max", "coalesce"]), [either(), self.make("float", d)])
        if pick == 5:
            return ("if", self.make("bool", d), self.make("float", d), either())
        if pick == 6:
            return ("neg", self.make("float", d))
        return self.rng.choice([("call", "sqrt", [either()]), ("call", "abs", [self.make("float", d)]),
                                ("call", "clamp", [self.make("float", d), either(), either()])])

    def make_bool(self, d):
        pick = self.rng.randrange(8)
        if pick < 2:
            a, b = self.rng.choice([("int", "int"), ("int", "float"), ("float", "float"), ("string", "string")])
            return ("cmp", self.rng.choice(["==", "!=", "<", "<=", ">", ">="]), self.make(a, d), self.make(b, d))
        if pick == 2:
            return (self.rng.choice(["and", "or"]), self.make("bool", d), self.make("bool", d))
        if pick == 3:
            return ("not", self.make("bool", d))
        if pick == 4:
            kind = self.rng.choice(["int", "float", "string"])
            return ("in", self.make(kind, d), [self.literal(kind)[1] for _ in range(self.rng.randint(1, 4))])
        if pick == 5:
            kind = self.rng.choice(["int", "float", "bool", "string"])
            if self.rng.random() < 0.5:
                return ("call", self.rng.choice(["is_null", "not_null"]), [self.make(kind, d)])
            return ("asks_null", self.rng.choice(["==", "!="]), self.make(kind, d))
        if pick == 6:
            return ("call", self.rng.choice(["starts_with", "ends_with", "contains"]), [self.make("string", d), self.make("string", d)])
        return self.rng.choice([("call", "regex", [self.make("string", d), ("const", self.rng.choice(["^a", "b", "[A-Z]", "é$", "^$"]))]),
                                ("cmp", self.rng.choice(["==", "!="]), self.make("bool", d), self.make("bool", d)),
                                ("if", self.make("bool", d), self.make("bool", d), self.make("bool", d))])

    def make_string(self, d):
        pick = self.rng.randrange(5)
        if pick == 0:
            return ("call", "concat", [self.make("string", d) for _ in range(self.rng.randint(2, 3))])
        if pick == 1:
            return ("call", "text", [self.make(self.rng.choice(["int", "bool"]), d)])
        if pick == 2:
            return ("call", "lower", [self.make("string", d)])
        if pick == 3:
            return ("if", self.make("bool", d), self.make("string", d), self.make("string", d))
        return ("call", "coalesce", [self.make("string", d), self.make("string", d)])


def is_float(e):
    return STATIC.is_float(e)


class Generator:
    """One random plan and the rows its nodes give."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.expressions = Expressions(self.rng)
        self.nodes = []
        self.rows = {}  # node id: reference.Rows
        self.failure = None
        self.params = {"limit": 3, "top": 2, "use_new": False}
        self.request_params = {}
        for name, value in (("weight", self.rng.choice([0.5, 2.0, -1.5])), ("limit", self.rng.randint(0, 5)),
                            ("use_new", True), ("pattern", "x")):
            if self.rng.random() < 0.5:
                self.request_params[name] = value
        self.params.update(self.request_params)

    def value(self, kind):
        rng = self.rng
        if rng.random() < 0.2:
            return None
        return {"int": lambda: rng.choice([rng.randint(-9, 9), rng.randint(-9, 9), 2**63 - 1, -(2**63)]),
                "float": lambda: rng.choice([rng.randint(-8, 8) / 4, 0.1, -1e300, 3.3]),
                "bool": lambda: rng.random() < 0.5, "string": lambda: rng.choice(WORDS)}[kind]()

    def pick(self):
        """A node that is there already, preferably a late one."""
        ids = list(self.rows)
        return self.rng.choice(ids[-4:] if self.rng.random() < 0.7 else ids)

    def add(self, op, inputs, params, rows):
        node_id = f"{op}{len(self.nodes)}"
        node = {"node_id": node_id, "op": op, "params": params}
        if inputs:
            node["inputs"] = inputs
        self.nodes.append(node)
        self.rows[node_id] = rows

    def eval(self, e, row):
        return reference.evaluate(e, row, self.params, is_float)

    def add_fixed_source(self):
        keys = self.rng.sample(KEYS, self.rng.randint(1, 5))
        given, rows = [], []
        for _ in range(self.rng.choice([1, 2, 5, 9, 20, 65] if self.rng.random() < 0.97 else [1030])):
            written = {k: self.value(TYPES[k]) for k in keys if self.rng.random() < 0.9}
            given.append({"id": self.rng.randint(1, 12), **written})
        carried = {k for row in given for k in row if k != "id"}
        for row in given:
            rows.append({**row, **{k: DEFAULTS.get(k) for k in carried if row.get(k) is None}})
        self.add("fixed_source", [], {"rows": given}, reference.Rows(carried, rows))

    def add_vm(self):
        source = self.pick()
        out = self.rng.choice(KEYS + ["final_score"])
        kind = TYPES[out]
        e = self.expressions.make("int" if kind == "float" and self.rng.random() < 0.3 else kind, self.rng.randint(1, 4))
        if out == "final_score":
            e = ("call", "coalesce", [e, ("const", 0.0)])
        rows = []
        for row in self.rows[source].rows:
            value = self.eval(e, row)
            rows.append({**row, out: float(value) if kind == "float" and value is not None else value})
        self.add("vm", [source], {"out_key": out, "expr": text(e)}, reference.Rows(self.rows[source].keys | {out}, rows))

    def add_filter(self):
        source = self.pick()
        e = self.expressions.make("bool", self.rng.randint(1, 4))
        kept = [r for r in self.rows[source].rows if self.eval(e, r) is True]
        self.add("filter", [source], {"pred": text(e)}, reference.Rows(self.rows[source].keys, kept))

    def add_sort(self):
        source = self.pick()
        keys = [(self.rng.choice(KEYS + ["id"]), self.rng.choice(["asc", "desc"])) for _ in range(self.rng.randint(1, 2))]
        rows = reference.sort_rows(self.rows[source].rows, keys)
        params = {"key": keys[0][0], "order": keys[0][1]} if len(keys) == 1 else \
            {"keys": [{"key": k, "order": o} for k, o in keys]}
        self.add("sort", [source], params, reference.Rows(self.rows[source].keys, rows))

    def add_take(self):
        source = self.pick()
        rows = self.rows[source].rows
        offset = self.rng.choice([0, 0, 1, 3])
        count, param = self.rng.choice([(n := self.rng.randint(0, 12), n), (len(rows) // 2, {"expr": "floor(count() / 2)"}),
                                        (self.params["limit"], {"expr": "P.limit"})])
        params = {"count": param}
        if offset:
            params["offset"] = offset
        self.add("take", [source], params, reference.Rows(self.rows[source].keys, rows[offset:offset + count]))

    def add_concat(self):
        sources = [self.pick() for _ in range(self.rng.randint(2, 3))]
        rows = reference.concat_rows([self.rows[s] for s in sources], DEFAULTS)
        if len(rows.rows) > 2000:
            return
        if self.rng.random() < 0.5:
            self.add("concat", sources[:-1], {"rhs": sources[-1]}, rows)
        else:
            self.add("concat", sources, {}, rows)

    def add_dedupe(self):
        source = self.pick()
        key = self.rng.choice(["id", "id", "n", "country", "flag", "title"])
        keep = self.rng.choice(["first", "last", "max"])
        by = self.rng.choice(KEYS) if keep == "max" else None
        params = {"key": key, "keep": keep, **({"by": by} if by else {})}
        rows = reference.dedupe_rows(self.rows[source].rows, key, keep, by)
        self.add("dedupe", [source], params, reference.Rows(self.rows[source].keys, rows))

    def add_join(self):
        left, right = self.pick(), self.pick()
        how, on = self.rng.choice(["inner", "left", "semi", "anti"]), self.rng.choice(["id", "n", "country"])
        select = []
        if how in ("inner", "left"):  # the right side must be without repeats
            unique = reference.dedupe_rows(self.rows[right].rows, on, "first", None)
            self.add("dedupe", [right], {"key": on}, reference.Rows(self.rows[right].keys, unique))
            right = list(self.rows)[-1]
            select = sorted(self.rows[right].keys - self.rows[left].keys - {on})[:3]
        rows = reference.join_rows(self.rows[left], self.rows[right], how, on, select, DEFAULTS)
        params = {"how": how, "on": on, **({"select": select} if select else {})}
        self.add("join", [left, right], params, rows)

    def add_aggregate(self):
        source = self.pick()
        rng, rows = self.rng, self.rows[source].rows
        by = rng.choice([None, "country", "flag", "n"])
        out = {}
        for key in rng.sample([k for k in KEYS if k != by], rng.randint(1, 3)):
            kind = TYPES[key]
            name = rng.choice({"int": ["count", "sum", "lowest", "first"], "float": ["mean", "sum", "highest", "last"],
                               "bool": ["all", "any", "first"], "string": ["first", "last"]}[kind])
            out[key] = (name, self.expressions.make("int" if name == "mean" and rng.random() < 0.5 else kind, 2))
        groups = {}
        for row in rows:
            groups.setdefault(row.get(by) if by else None, []).append(row)
        if not by:
            groups = {None: rows}
        result = []
        for i, (value, group) in enumerate(groups.items()):
            row = {"id": i, **({by: value} if by else {})}
            for key, (name, e) in out.items():
                v = reference.aggregate(name, e, group, self.params, is_float)
                row[key] = float(v) if TYPES[key] == "float" and v is not None else v
            result.append(row)
        params = {"out": {k: f"{n}({'' if n == 'count' else text(e)})" for k, (n, e) in out.items()},
                  **({"by": by} if by else {})}
        self.add("aggregate", [source], params, reference.Rows({*out, *([by] if by else [])}, result))

    def add_sleep(self):
        source = self.pick()
        self.add("sleep", [source], {"duration_ms": self.rng.randint(0, 3)}, self.rows[source])

    def add_media(self):
        source = self.pick()
        fanout = self.rng.choice([None, 1, 2])
        rows = [{"id": i} for row in self.rows[source].rows for i in LISTS.get(f"media:{row['id']}", [])[:fanout]]
        self.add("media", [source], {"endpoint": "store", **({"fanout": fanout} if fanout else {})}, reference.Rows([], rows))

    def add_features(self):
        source = self.pick()
        fields = self.rng.sample(["country", "n", "flag", "level"], 2)
        rows = [{**row, **{f: HASHES.get(f"user:{row['id']}", {}).get(f, DEFAULTS.get(f)) for f in fields}}
                for row in self.rows[source].rows]
        self.add("features", [source], {"endpoint": "store", "fields": fields},
                 reference.Rows(self.rows[source].keys | set(fields), rows))

    def plan(self, name):
        for _ in range(self.rng.randint(1, 3)):
            self.add_fixed_source()
        kinds = ["vm"] * 5 + ["filter"] * 3 + ["sort"] * 2 + ["take"] * 2 + ["concat"] * 2 + \
            ["dedupe", "join", "join", "aggregate", "sleep", "media", "features"]
        for _ in range(self.rng.randint(3, 14)):
            getattr(self, "add_" + self.rng.choice(kinds))()
        outputs = self.rng.sample(list(self.rows), min(len(self.rows), self.rng.randint(1, 3)))
        nodes = list(self.nodes)
        self.rng.shuffle(nodes)
        wanted = [{"id": row["id"], "fields": {k: row[k] for k in sorted(self.rows[o].keys) if row.get(k) is not None}}
                  for o in outputs for row in self.rows[o].rows]
        return plan(name, nodes, outputs), wanted


def main():
    options = random_runs.options(__doc__, plans=400)
    plans, wanted, requests = {}, [], []
    for i in range(options.plans):
        generator = Generator(options.seed * 1_000_003 + i)
        name = f"r{i}"
        plans[name], rows = generator.plan(name)
        wanted.append({"candidates": rows})
        requests.append({"request_id": i, "plan": name, "params": generator.request_params})
    random_runs.compare(options, plans, requests, wanted)


if __name__ == "__main__":
    main()
