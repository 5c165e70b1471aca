"""A second opinion on whole plans: plan documents interpreted row by row, straight from the contract,
with nothing shared with the engine.

There is no clock: what sleeps for a second or longer ends only by a timeout. Where several nodes may
fail, any of them may be the one that is told; where the contract leaves open what then happens,
`Ambiguous` is raised. Nodes start as in the engine: those that outputs or effects need, and what only a
body needs when that body is first activated."""
import collections

import reference
from expression_text import Types, parse
from reference import Rows
from reference_ends import LONG_MS, Ambiguous, Failed, Hangs, TooMuch
from reference_tasks import Tasks

RETRIED = ("redis_unavailable", "redis_timeout", "node_timeout", "task_failed")
BODIES = ("branch", "for_each", "loop", "try", "call")


def typed(declared):
    return declared if isinstance(declared, dict) else {"type": declared}


def names_of(node):
    """The ids that stand for a node's inputs."""
    params = node.get("params") or {}
    return [*(node.get("inputs") or []), *([params["rhs"]] if "rhs" in params else [])]


def bodies_of(node):
    params = node.get("params") or {}
    op = node["op"].split("::")[-1]
    if op == "branch":
        return [c["body"] for c in params["cases"]] + ([params["else"]] if params.get("else") else [])
    if op == "try":
        return [params["body"], *(c["body"] for c in params.get("catch") or [])]
    return [params["body"]] if op in ("for_each", "loop") else []


class Program:
    """One plan document with the types and defaults of its keys and params."""

    def __init__(self, document, registry):
        keys = {k["name"]: dict(k) for k in registry.get("keys", [])}
        params = {p["name"]: dict(p) for p in registry.get("params", [])}
        for known, added in ((keys, document.get("keys")), (params, document.get("params"))):
            for name, declared in (added or {}).items():
                known.setdefault(name, {}).update(typed(declared))
        self.document = document
        self.keys, self.params = keys, params
        self.static = Types({k: v["type"] for k, v in keys.items()}, {k: v["type"] for k, v in params.items()})

    def values(self, given):
        """Every param's value: the given one, else its default."""
        found = {}
        for name, declared in self.params.items():
            value = given[name] if name in given else declared.get("default")
            found[name] = float(value) if declared["type"] == "float" and value is not None else value
        return found


class Activation:
    """One run of a body, or of a plan."""

    def __init__(self, program, body, outer, given, names, values, extra=None):
        self.program, self.body, self.outer = program, body, outer
        self.nodes = {n["node_id"]: n for n in body["nodes"]}
        self.rows = {"$in": given, **(extra or {})} if given is not None else {}
        self.names = names    # variables that expressions see, "L.i" and "E.code"
        self.values = values  # of params
        self.done = {}        # node id: Rows or the exception it ended by

    def scope_of(self, name):
        """The activation where a name stands: this one or the nearest around it."""
        at = self
        while at is not None and name not in at.nodes and name not in at.rows:
            at = at.outer
        if at is None:
            raise KeyError(name)
        return at

    def needed(self):
        """Its nodes that outputs and effects need, in the order of the file."""
        found, waiting = set(), [*self.body["outputs"], *(i for i, n in self.nodes.items() if n.get("effect"))]
        while waiting:
            name = waiting.pop()
            if name in self.nodes and name not in found:
                found.add(name)
                waiting += names_of(self.nodes[name])
        return [i for i in self.nodes if i in found]


class Interpreter(Tasks):
    """Runs one request. `starts` counts the executions of nodes by their ids, retries not; `unsure` are ids
    whose count depends on what is faster."""

    def __init__(self, plans, registry, data=None, user_id=None, most_starts=100_000, most_rows=100_000):
        self.programs = {name: Program(document, registry) for name, document in plans.items()}
        self.data = data or {}
        self.user_id = user_id
        self.most_starts, self.most_rows = most_starts, most_rows
        self.starts = collections.Counter()
        self.total = 0
        self.unsure = set()

    def request(self, plan, given):
        """The candidates."""
        program = self.programs[plan]
        top = Activation(program, program.document, None, None, {}, program.values(given))
        return [{"id": row["id"], "fields": {k: row[k] for k in sorted(rows.keys - {"id"}) if row.get(k) is not None}}
                for rows in self.run(top) for row in rows.rows]

    # Activations.

    def run(self, scope):
        """The rows of an activation's outputs."""
        errors, outer, hangs = set(), {}, False
        needed = scope.needed()
        captured = {name: None for i in needed for name in names_of(scope.nodes[i])}
        captured.update({name: None for name in scope.body["outputs"]})
        # What is captured starts whether or not the body comes that far.
        for name in [n for n in captured if scope.scope_of(n) is not scope] + needed:
            try:
                self.value(scope, name)
            except Failed as failure:
                if failure.scope in (None, scope):
                    errors |= failure.errors
                else:
                    outer.setdefault(id(failure.scope), [failure.scope, set()])[1].update(failure.errors)
            except Hangs:
                hangs = True
        if errors or outer or hangs:
            self.mark_unsure(scope)
        if outer:
            if errors or hangs or len(outer) > 1:
                raise Ambiguous("a body and what it captured fail")
            [(where, found)] = outer.values()
            raise Failed(found, where)
        if errors:
            raise Failed(errors)
        if hangs:
            raise Hangs()
        return [self.value(scope, name) for name in scope.body["outputs"]]

    def mark_unsure(self, scope):
        """Everything that a failed body names, directly or by way of other nodes."""
        everywhere = {}

        def gather(body):
            for node in body["nodes"]:
                inner = bodies_of(node)
                named = everywhere.setdefault(node["node_id"], set())
                named.update(names_of(node))
                if node["op"] == "call":
                    inner = [self.programs[node["params"]["plan"]].document]
                for child in inner:
                    named.update(child["outputs"])
                    named.update(n["node_id"] for n in child["nodes"])
                    gather(child)

        gather(scope.program.document)
        waiting = [n["node_id"] for n in scope.body["nodes"]] + list(scope.body["outputs"])
        seen = set()
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += everywhere.get(name, ())
        self.unsure |= seen

    def value(self, scope, name):
        """A node's rows, as an activation sees that name; it runs the node if it has not run yet."""
        where = scope.scope_of(name)
        if name in where.rows:
            return where.rows[name]
        if name not in where.done:
            try:
                where.done[name] = self.execute(where, where.nodes[name])
            except (Failed, Hangs) as end:
                where.done[name] = end
        end = where.done[name]
        if isinstance(end, Failed) and end.scope is None and where is not scope:
            raise Failed(end.errors, where)
        if isinstance(end, Exception):
            raise end
        return end

    def execute(self, scope, node):
        """One node: its inputs, its attempts, and what stands for it when it has failed."""
        inputs = [self.value(scope, name) for name in names_of(node)]
        attempts = (node.get("retry") or {}).get("max_attempts", 1)
        on = (node.get("retry") or {}).get("on") or RETRIED
        self.starts[node["node_id"]] += 1
        for attempt in range(1, attempts + 1):
            self.total += 1
            if self.total > self.most_starts:
                raise TooMuch()
            try:
                rows = self.bounded(scope, node, inputs)
                if len(rows.rows) > self.most_rows:
                    raise TooMuch()
                return rows
            except Failed as failure:
                if failure.scope is not None:
                    raise
                again = {code in on for code, _ in failure.errors}
                if len(again) > 1 and attempts > 1:
                    raise Ambiguous("retried or not") from failure
                if attempt < attempts and again == {True}:
                    continue
                policy = node.get("on_error") or "fail"
                if policy == "fail":
                    raise
                return inputs[0] if policy == "pass" and inputs else Rows([], [])

    def bounded(self, scope, node, inputs):
        """One attempt, within the node's own timeout."""
        op = node["op"].split("::")[-1]
        limit = node.get("timeout_ms") or 0
        late = Failed({("node_timeout", node["node_id"])})
        try:
            rows = getattr(self, "do_" + op)(scope, node, node.get("params") or {}, inputs)
        except Hangs:
            if limit:
                raise late from None
            raise
        except Failed:
            if op != "try":
                self.in_time(op, limit)
            raise
        if op != "try":
            self.in_time(op, limit)
        return rows

    def in_time(self, op, limit):
        """What holds a body ended by itself: whether it made its timeout is not known."""
        if op in BODIES and 0 < limit < LONG_MS:
            raise Ambiguous("an end or a timeout")

    # Expressions.

    def scalar(self, scope, source, inputs, more=None):
        """The value of a scalar expression over the first input."""
        e = parse(source)
        names = {**scope.values, **scope.names, **(more or {})}
        return reference.evaluate(e, {}, names, scope.program.static.is_float, inputs[0].rows if inputs else [])

    def by_row(self, scope, source):
        e = parse(source)
        names = {**scope.values, **scope.names}
        return lambda row: reference.evaluate(e, row, names, scope.program.static.is_float)

    def number(self, scope, node, inputs, name, least=0, absent=None):
        written = (node.get("params") or {}).get(name)
        if written is None:
            return absent
        if not isinstance(written, dict):
            return written
        value = self.scalar(scope, written["expr"], inputs)
        if value is None or value < least:
            raise Failed({("invalid_param", node["node_id"])})
        return value

    def stored(self, scope, node, key, value):
        """A value as a column of that key takes it."""
        declared = self.declared(scope, key)
        if value is None and declared.get("nullable") is False:
            raise Failed({("null_value", node["node_id"])})
        return float(value) if declared["type"] == "float" and value is not None else value

    def declared(self, scope, key):
        """A key as a plan declares it, or where it does not know it the plan that it calls."""
        programs = [scope.program, *self.programs.values()]
        return next(p.keys[key] for p in programs if key in p.keys)

    def filler(self, scope, key):
        return self.declared(scope, key).get("default")

    def joined(self, scope, node, parts):
        """The rows of several RowSets as one. A part alone stays what it is."""
        if len(parts) == 1:
            return parts[0]
        keys = set().union(*(p.keys for p in parts)) if parts else set()
        for part in parts:
            for key in keys - part.keys if part.rows else ():
                self.stored(scope, node, key, self.filler(scope, key))
        return reference.concat_rows(parts, {k: self.filler(scope, k) for k in keys}) if parts else Rows([], [])

    # Nodes with bodies.

    def body(self, scope, node, body, given, names=None, extra=None):
        inner = Activation(scope.program, body, scope, given, {**scope.names, **(names or {})}, scope.values, extra)
        try:
            return self.joined(scope, node, self.run(inner))
        except Failed as failure:
            if failure.scope is inner:
                raise Failed(failure.errors) from None
            raise

    def do_branch(self, scope, node, params, inputs):
        for case in params["cases"]:
            if self.scalar(scope, case["when"], inputs) is True:
                return self.body(scope, node, case["body"], inputs[0])
        if params.get("else"):
            return self.body(scope, node, params["else"], inputs[0])
        return inputs[0]

    def items(self, scope, node, params, given):
        rows = given.rows
        if params["over"] == "rows":
            parts = [[row] for row in rows]
        elif params["over"] == "chunks":
            size = self.number(scope, node, [given], "chunk_size", 1)
            parts = [rows[at:at + size] for at in range(0, len(rows), size)]
        else:
            groups = {}
            for row in rows:
                groups.setdefault(row.get(params["by"]), []).append(row)
            parts = list(groups.values())
        return [Rows(given.keys, part) for part in parts]

    def do_for_each(self, scope, node, params, inputs):
        variable = "L." + (params.get("as") or "i")
        outputs, errors, outer, hangs = [], set(), None, False
        for i, item in enumerate(self.items(scope, node, params, inputs[0])):
            try:
                outputs.append(self.body(scope, node, params["body"], item, {variable: i}))
            except Failed as failure:
                if failure.scope is not None:
                    outer = failure
                elif params.get("on_item_error") != "skip":
                    errors |= failure.errors
            except Hangs:
                hangs = True
        if outer and (errors or hangs):
            raise Ambiguous("an item and what another captured fail")
        if outer:
            raise outer
        if errors:
            raise Failed(errors)
        if hangs:
            raise Hangs()
        return self.joined(scope, node, outputs)

    def do_loop(self, scope, node, params, inputs):
        variable = "L." + (params.get("as") or "i")
        nothing = Rows([], [])
        over = self.items(scope, node, params, inputs[0]) if params.get("over") else None
        times = self.number(scope, node, inputs, "times")
        carry = inputs[0] if over is None else nothing
        outputs = []
        i = 0
        while True:
            if over is not None and i == len(over) or times is not None and i == times:
                break
            if params.get("while") is not None:
                if self.scalar(scope, params["while"], [carry], {variable: i}) is not True:
                    break
                if i == params.get("max_iterations", 10_000):
                    raise Failed({("limit_exceeded", node["node_id"])})
            given = over[i] if over is not None else carry
            carry = self.body(scope, node, params["body"], given, {variable: i}, {"$carry": carry})
            outputs.append(carry)
            if params.get("until") is not None and self.scalar(scope, params["until"], [carry], {variable: i}) is True:
                break
            i += 1
        if (params.get("result") or ("last" if over is None else "concat")) == "concat":
            return self.joined(scope, node, outputs)
        if outputs:
            return outputs[-1]
        return inputs[0] if over is None else nothing

    def do_try(self, scope, node, params, inputs):
        given = inputs[0] if inputs else Rows([], [])
        limit = node.get("timeout_ms") or 0
        try:
            try:
                rows = self.body(scope, node, params["body"], given)
            except Hangs:
                if not limit:
                    raise
                raise Failed({("node_timeout", node["node_id"])}) from None
            except Failed:
                self.in_time("try", limit)
                raise
        except Failed as failure:
            if failure.scope is not None:
                raise
            return self.caught(scope, node, params, given, failure)
        self.in_time("try", limit)
        return rows

    def caught(self, scope, node, params, given, failure):
        matches = {next((i for i, c in enumerate(params.get("catch") or []) if code in (c.get("codes") or [code])), None)
                   for code, _ in failure.errors}
        if len(matches) > 1:
            raise Ambiguous("which catch")
        [match] = matches
        if match is None:
            raise failure
        error = min(failure.errors)
        if len(failure.errors) > 1 and "E." in str(params["catch"][match]["body"]):
            raise Ambiguous("which error")
        return self.body(scope, node, params["catch"][match]["body"], given,
                         {"E.code": error[0], "E.node": error[1], "E.message": ""})

    def do_call(self, scope, node, params, inputs):
        program = self.programs[params["plan"]]
        args = {name: self.scalar(scope, source, inputs) for name, source in (params.get("args") or {}).items()}
        for name, value in args.items():
            if value is None and program.params[name].get("nullable") is False:
                raise Failed({("invalid_param", node["node_id"])})
        given = inputs[0] if inputs else Rows([], [])
        inner = Activation(program, program.document, None, given, {}, program.values(args))
        try:
            return self.joined(inner, node, self.run(inner))
        except Failed as failure:
            raise Failed(failure.errors) from None
