"""Random plans with nodes that hold bodies. What they give is not known here: reference_plans says it."""
from expression_text import text
from harness import plan

INTS = ["n", "m", "level"]
COUNTRIES = ["US", "CA", "FR", None]
MOST_DEPTH = 3


class Scope:
    """Where a body is being made, and what may be named there."""

    def __init__(self, rng, outer=None, fragile=False, variables=(), error=False, carry=False, given=True):
        self.outer = outer
        self.nodes = []
        self.own = []    # ids that later nodes may take
        self.lazy = []   # ids that only bodies take
        # Ids that this body keeps for itself, so that they hide those outside.
        self.letters = rng.sample("abcdefghij", 7) if outer else []
        self.fragile = fragile
        self.variables = sorted({*variables, *(outer.variables if outer else ())})
        self.error = error or bool(outer and outer.error)
        self.carry = carry or bool(outer and outer.carry)
        self.given = given
        self.depth = outer.depth + 1 if outer else 0

    def outside(self):
        """What it may capture."""
        if self.outer is None:
            return []
        seen = self.outer.own + self.outer.lazy + self.outer.outside()
        return [name for name in seen if name not in self.letters]


class Scalars:
    """Simple expressions: a row's, and scalars over rows."""

    def __init__(self, rng):
        self.rng = rng

    def leaf(self, scope):
        choices = [("const", self.rng.randint(0, 4)), ("param", self.rng.choice(["limit", "top"]))]
        choices += [("param", "L." + name) for name in scope.variables] * 2
        return self.rng.choice(choices)

    def row_int(self, scope, depth=2):
        if depth == 0 or self.rng.random() < 0.2:
            if self.rng.random() < 0.6:
                return ("key", self.rng.choice([*INTS, "n", "id"]))
            return self.leaf(scope)
        sign = self.rng.choice(["add", "add", "sub", "mul"])
        return (sign, self.row_int(scope, depth - 1), self.row_int(scope, depth - 1))

    def row_bool(self, scope):
        return ("cmp", self.rng.choice(["<", "<=", ">", ">=", "==", "!="]), self.row_int(scope, 1), self.row_int(scope, 1))

    def scalar_int(self, scope, depth=1):
        pick = self.rng.random()
        if depth > 0 and pick < 0.35:
            return (self.rng.choice(["add", "sub", "mul"]), self.scalar_int(scope, depth - 1), self.scalar_int(scope, depth - 1))
        if pick < 0.6:
            return ("agg", "count", None)
        if pick < 0.8:
            name = self.rng.choice(["sum", "lowest", "highest", "first", "last"])
            return ("agg", name, self.row_int(scope, 1))
        return self.leaf(scope)

    def scalar_bool(self, scope):
        pick = self.rng.random()
        if pick < 0.15:
            return ("param", "use_new")
        if pick < 0.35:
            return ("agg", self.rng.choice(["all", "any"]), self.row_bool(scope))
        if pick < 0.45:
            return (self.rng.choice(["and", "or"]), self.scalar_bool(scope), self.scalar_bool(scope))
        if pick < 0.5:
            return ("not", self.scalar_bool(scope))
        return ("cmp", self.rng.choice(["<", "<=", ">", ">=", "==", "!="]), self.scalar_int(scope), self.scalar_int(scope))

    def small(self, scope, low, high):
        """A number, or an expression that stays within bounds or is null."""
        if self.rng.random() < 0.6:
            return self.rng.randint(low, high)
        return {"expr": text(("call", "clamp", [self.scalar_int(scope), ("const", low), ("const", high)]))}


class Generator:
    """One plan, and the plans it calls. `rng` decides everything."""

    def __init__(self, rng, name):
        self.rng = rng
        self.name = name
        self.scalars = Scalars(rng)
        self.plans = {}
        self.count = 0

    # Nodes.

    def fresh(self, scope, stem):
        free = [letter for letter in scope.letters if letter not in (n["node_id"] for n in scope.nodes)]
        if free and self.rng.random() < 0.6:
            return free[0]
        self.count += 1
        return f"{stem}{self.count}"

    def add(self, scope, op, inputs=(), params=None, name=None, hidden=False, **fields):
        node = {"node_id": name or self.fresh(scope, op), "op": op, **fields}
        if inputs:
            node["inputs"] = list(inputs)
        if params is not None:
            node["params"] = params
        scope.nodes.append(node)
        (scope.lazy if hidden else scope.own).append(node["node_id"])
        return node

    def pick(self, scope):
        """A name that a new node of the scope takes its rows from."""
        pick = self.rng.random()
        outside = scope.outside()
        if scope.outer and pick < 0.12:
            return self.lazy(scope)
        if outside and pick < 0.25:
            return self.rng.choice(outside)
        if scope.carry and pick < 0.4:
            return "$carry"
        own = scope.own[-3:] + (["$in"] if scope.given else [])
        if scope.own and self.rng.random() < 0.6:
            own = scope.own[-1:]
        return self.rng.choice(own or outside or [self.source(scope)])

    def lazy(self, scope):
        """The name of a new node in a scope around, which only bodies take."""
        around = []
        while scope.outer:
            scope = scope.outer
            around.append(scope)
        where = self.rng.choice(around)
        self.count += 1
        name = f"lazy{self.count}"
        pick = self.rng.random()
        taken = [self.pick(where)] if where.own or where.given else [self.source(where)]
        if pick < 0.08:
            self.add(where, "sleep", taken, {"duration_ms": 1, "fail_after_sleep": True}, name, True)
        elif pick < 0.4:
            self.add(where, "sleep", taken, {"duration_ms": self.rng.randint(0, 2)}, name, True)
        elif pick < 0.6:
            self.add(where, "aggregate", taken, {"out": {"n": text(self.scalars.scalar_int(where))}}, name, True)
        elif pick < 0.7 and where.depth < MOST_DEPTH:
            self.region(where, self.rng.choice(["branch", "for_each", "loop"]), taken[0], name, True)
        else:
            self.add(where, "vm", taken, {"out_key": self.rng.choice(INTS), "expr": text(self.scalars.row_int(where))},
                     name, True)
        return name

    def source(self, scope):
        rows = []
        for _ in range(self.rng.randint(1, 5)):
            row = {"id": self.rng.randint(1, 9)}
            for key in self.rng.sample(INTS, self.rng.randint(0, 3)):
                row[key] = self.rng.choice([None, self.rng.randint(-5, 9), self.rng.randint(-5, 9)])
            if self.rng.random() < 0.5:
                row["country"] = self.rng.choice(COUNTRIES)
            rows.append(row)
        return self.add(scope, "fixed_source", params={"rows": rows})["node_id"]

    def simple(self, scope):
        rng, taken = self.rng, self.pick(scope)
        op = rng.choice(["vm"] * 6 + ["filter", "take", "sort", "concat", "aggregate", "aggregate", "sleep", "dedupe",
                                      "join", "media", "media", "features", "empty", "source", "error"])
        if op == "vm":
            self.add(scope, op, [taken], {"out_key": rng.choice(INTS), "expr": text(self.scalars.row_int(scope))})
        elif op == "filter":
            self.add(scope, op, [taken], {"pred": text(self.scalars.row_bool(scope))})
        elif op == "take":
            self.add(scope, op, [taken], {"count": self.scalars.small(scope, 0, 4),
                                          **({"offset": 1} if rng.random() < 0.3 else {})})
        elif op == "sort":
            self.add(scope, op, [taken], {"key": rng.choice(["n", "id"]), "order": rng.choice(["asc", "desc"])})
        elif op == "concat":
            other = self.pick(scope)
            self.add(scope, op, *([[taken, other], {}] if rng.random() < 0.5 else [[taken], {"rhs": other}]))
        elif op == "aggregate":
            by = rng.choice([None, None, "country", "m"])
            out = {rng.choice(["n", "level"]): text(self.scalars.scalar_int(scope))}
            self.add(scope, op, [taken], {"out": out, **({"by": by} if by else {})})
        elif op == "sleep":
            self.add(scope, op, [taken], {"duration_ms": rng.randint(0, 2)})
        elif op == "dedupe":
            self.add(scope, op, [taken], {"key": rng.choice(["id", "n", "country"])})
        elif op == "join":
            self.add(scope, op, [taken, self.pick(scope)], {"how": rng.choice(["semi", "anti"]), "on": "id"})
        elif op == "media":
            self.add(scope, op, [taken], {"endpoint": "store", "fanout": self.scalars.small(scope, 1, 3)})
        elif op == "features":
            self.add(scope, op, [taken], {"endpoint": "store", "fields": rng.sample(["country", "n", "level"], 2)})
        elif op == "empty":
            self.add(scope, "filter", [taken], {"pred": "false"})
        elif op == "source":
            self.source(scope)
        elif scope.error:
            e = rng.choice(["E.code", "concat(E.code, '@', E.node)", "if(E.code == 'task_failed', 'failed', E.node)"])
            self.add(scope, "vm", [taken], {"out_key": "title", "expr": e})

    def failing(self, scope):
        """A node that cannot succeed."""
        rng, taken = self.rng, self.pick(scope)
        fields = {}
        if rng.random() < 0.3:
            fields["retry"] = {"max_attempts": rng.randint(1, 3), "backoff_ms": 1, "jitter": 0}
        if rng.random() < 0.2:
            fields["on_error"] = rng.choice(["empty", "pass", "fail"])
        pick = rng.random()
        if pick < 0.6:
            self.add(scope, "sleep", [taken], {"duration_ms": rng.randint(0, 2), "fail_after_sleep": True}, **fields)
        elif pick < 0.85:
            self.add(scope, "sleep", [taken], {"duration_ms": 5000}, timeout_ms=rng.randint(1, 2), **fields)
        else:
            self.add(scope, "take", [taken], {"count": {"expr": "count() - 1000"}}, **fields)

    # Nodes with bodies.

    def body(self, outer, fragile=False, **context):
        scope = Scope(self.rng, outer, fragile, **context)
        self.fill(scope, self.rng.randint(1, 3))
        return self.closed(scope)

    def fill(self, scope, count):
        for _ in range(count):
            pick = self.rng.random()
            if pick < (0.45 if scope.fragile else 0.02):
                self.failing(scope)
            elif pick > 0.72 and scope.depth < MOST_DEPTH:
                op = self.rng.choice(["branch"] * 3 + ["for_each"] * 4 + ["loop"] * 4 + ["try"] * 3 + ["call"])
                self.region(scope, op, self.pick(scope))
            else:
                self.simple(scope)
        if not scope.own:
            self.simple(scope)
        if not scope.own:
            self.source(scope)

    def closed(self, scope):
        """The body, with its outputs chosen."""
        outputs = [scope.own[-1]]
        if self.rng.random() < 0.2:
            outputs.append(self.rng.choice(scope.own))
        if scope.given and self.rng.random() < 0.08:
            outputs.append("$in")
        outside = scope.outside()
        if outside and self.rng.random() < 0.05:
            outputs.append(self.rng.choice(outside))
        if self.rng.random() < 0.1:
            self.rng.choice(scope.nodes)["effect"] = True
        nodes = list(scope.nodes)
        self.rng.shuffle(nodes)
        return {"nodes": nodes, "outputs": outputs}

    def region(self, scope, op, taken, name=None, hidden=False):
        rng = self.rng
        fields = {}
        if rng.random() < 0.15:
            fields["on_error"] = rng.choice(["empty", "pass"])
        if rng.random() < 0.08:
            fields["retry"] = {"max_attempts": 2, "backoff_ms": 1, "jitter": 0}
        fragile = scope.fragile and rng.random() < 0.5 or "on_error" in fields
        inputs = [taken]
        made = getattr(self, "make_" + op)(scope, fragile, inputs, fields)
        self.add(scope, op, inputs, made, name, hidden, **fields)

    def make_branch(self, scope, fragile, inputs, fields):
        cases = [{"when": text(self.scalars.scalar_bool(scope)), "body": self.body(scope, fragile)}
                 for _ in range(self.rng.randint(1, 3))]
        return {"cases": cases, **({"else": self.body(scope, fragile)} if self.rng.random() < 0.5 else {})}

    def variable(self):
        """`as`, and the name that it gives the index."""
        name = self.rng.choice(["i", "i", "j", "k"])
        return ({} if name == "i" and self.rng.random() < 0.5 else {"as": name}), [name]

    def over(self, scope):
        pick = self.rng.choice(["rows", "rows", "chunks", "groups"])
        if pick == "chunks":
            return {"over": pick, "chunk_size": self.scalars.small(scope, 1, 3)}
        return {"over": pick, **({"by": self.rng.choice(["country", "n", "id"])} if pick == "groups" else {})}

    def make_for_each(self, scope, fragile, inputs, fields):
        written, names = self.variable()
        skip = self.rng.random() < 0.25
        params = {**self.over(scope), **written, "body": self.body(scope, fragile or skip, variables=names)}
        if self.rng.random() < 0.4:
            params["max_parallel"] = self.rng.randint(1, 4)
        if skip or self.rng.random() < 0.1:
            params["on_item_error"] = "skip" if skip else "fail"
        return params

    def make_loop(self, scope, fragile, inputs, fields):
        rng = self.rng
        written, names = self.variable()
        inner = Scope(rng, scope, fragile, names, carry=True)
        self.fill(inner, rng.randint(1, 3))
        pick = rng.random()
        if pick < 0.45:
            params = {"times": self.scalars.small(scope, 0, 3)}
        elif pick < 0.75:
            params = self.over(scope)
        else:
            seen = Scope(rng, scope, variables=names)
            bound = text(("and", ("cmp", "<", ("param", "L." + names[0]), ("const", rng.randint(1, 4))),
                          self.scalars.scalar_bool(seen)))
            params = {"while": bound if rng.random() < 0.8 else text(self.scalars.scalar_bool(seen)),
                      **({"max_iterations": rng.randint(1, 4)} if rng.random() < 0.5 else {})}
        if rng.random() < 0.3:
            params["until"] = text(self.scalars.scalar_bool(Scope(rng, scope, variables=names)))
        if rng.random() < 0.4:
            params["result"] = rng.choice(["last", "concat"])
        return {**params, **written, "body": self.closed(inner)}

    def make_try(self, scope, fragile, inputs, fields):
        rng = self.rng
        if rng.random() < 0.1:
            inputs.clear()
        if rng.random() < 0.15:
            fields["timeout_ms"] = rng.randint(2, 3)
            body = Scope(rng, scope)
            self.add(body, "sleep", ["$in"], {"duration_ms": 5000})
            self.fill(body, 1)
            self.add(body, "concat", [body.own[0], body.own[-1]], {})
            made = self.closed(body)
        else:
            made = self.body(scope, True)
        catches = []
        if rng.random() < 0.4:
            codes = rng.sample(["node_timeout", "task_failed", "invalid_param", "limit_exceeded"], rng.randint(1, 2))
            catches.append({"codes": codes, "body": self.body(scope, error=True)})
        if rng.random() < 0.8:
            catches.append({"body": self.body(scope, error=True)})
        return {"body": made, "catch": catches or [{"codes": ["task_failed"], "body": self.body(scope, error=True)}]}

    def make_call(self, scope, fragile, inputs, fields):
        name = f"{self.name}_{len(self.plans)}"
        self.plans[name] = None
        inner = Scope(self.rng, given=True, fragile=fragile)
        inner.depth = scope.depth + 1
        self.fill(inner, self.rng.randint(1, 3))
        body = self.closed(inner)
        self.plans[name] = plan(name, body["nodes"], body["outputs"])
        args = {}
        for param in ("limit", "top"):
            if self.rng.random() < 0.5:
                args[param] = text(self.scalars.scalar_int(scope))
        if self.rng.random() < 0.3:
            args["use_new"] = text(self.scalars.scalar_bool(scope))
        if self.rng.random() < 0.1:
            inputs.clear()
        return {"plan": name, **({"args": args} if args else {})}

    def make(self):
        """The plan by its name, and those it calls."""
        scope = Scope(self.rng, given=False)
        for _ in range(self.rng.randint(1, 2)):
            self.source(scope)
        self.region(scope, self.rng.choice(["branch", "for_each", "loop", "loop", "try", "call"]), self.pick(scope))
        self.fill(scope, self.rng.randint(2, 5))
        body = self.closed(scope)
        self.plans[self.name] = plan(self.name, body["nodes"], body["outputs"])
        return self.plans
