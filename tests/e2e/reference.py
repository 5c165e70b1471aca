"""A second opinion: plans evaluated row by row, straight from the contract, with nothing shared
with the engine. Expressions are tuples such as ("add", a, b); see `evaluate`."""
import math
import re

INT_MIN, INT_MAX = -(2**63), 2**63 - 1


def as_int(value):
    return value if value is not None and INT_MIN <= value <= INT_MAX else None


def as_float(value):
    return value if math.isfinite(value) else None


def number(value):
    return as_int(value) if isinstance(value, int) else as_float(value)


def unify(values):
    """Ints become floats where floats stand beside them."""
    if any(isinstance(v, float) for v in values):
        return [float(v) if isinstance(v, int) and not isinstance(v, bool) else v for v in values]
    return values


def remainder(a, b):
    if b == 0:
        return None
    if isinstance(a, int) and isinstance(b, int):
        r = abs(a) % abs(b)
        return -r if a < 0 else r
    return as_float(math.fmod(a, b))


def to_int(value, rounding):
    if value is None or isinstance(value, int):
        return value
    return as_int(rounding(value))


def half_away(x):
    whole = math.floor(abs(x))
    whole += abs(x) - whole >= 0.5
    return int(math.copysign(whole, x))


def arithmetic(op, a, b):
    if a is None or b is None:
        return None
    try:
        if op == "add":
            return number(a + b)
        if op == "sub":
            return number(a - b)
        if op == "mul":
            return number(a * b)
        if op == "div":
            return None if b == 0 else as_float(float(a) / float(b))
        return remainder(a, b)
    except OverflowError:
        return None


def compare(op, a, b):
    if a is None or b is None:
        return False
    if isinstance(a, float) != isinstance(b, float):
        a, b = float(a), float(b)
    if isinstance(a, str):
        a, b = a.encode(), b.encode()
    return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def call(name, args, types_float):
    """Functions that take their arguments' values; `types_float`: the unified type is float."""
    if name in ("min", "max"):
        present = [a for a in args if a is not None]
        if types_float:
            present = [float(a) for a in present]
        return (min if name == "min" else max)(present) if present else None
    if name == "coalesce":
        found = next((a for a in args if a is not None), None)
        return float(found) if types_float and found is not None else found
    if name in ("is_null", "not_null"):
        return (args[0] is None) == (name == "is_null")
    if name in ("starts_with", "ends_with", "contains", "regex"):
        if None in args:
            return False
        s, t = args
        return {"starts_with": lambda: s.startswith(t), "ends_with": lambda: s.endswith(t),
                "contains": lambda: t in s, "regex": lambda: re.search(t, s) is not None}[name]()
    if None in args:
        return None
    if name == "abs":
        return number(abs(args[0]))
    if name == "clamp":
        x, low, high = map(float, args) if types_float else args
        return max(low, min(high, x))
    if name == "sqrt":
        return math.sqrt(args[0]) if args[0] >= 0 else None
    if name == "log1p":
        return math.log1p(args[0]) if args[0] > -1 else None
    if name in ("floor", "ceil", "round"):
        return to_int(args[0], {"floor": math.floor, "ceil": math.ceil, "round": half_away}[name])
    if name == "lower":
        return "".join(c.lower() if "A" <= c <= "Z" else c for c in args[0])
    if name == "len":
        return len(args[0])
    if name == "text":
        return str(args[0]).lower() if isinstance(args[0], bool) else str(args[0])
    if name == "concat":
        return "".join(args)
    raise ValueError(name)


def evaluate(e, row, params, types_float=lambda e: False, rows=()):
    """The value of an expression for a row (a dict). `types_float(e)` says whether its static type
    is float; aggregates in it go over `rows`."""
    go = lambda x: evaluate(x, row, params, types_float, rows)
    op = e[0]
    if op == "const":
        return e[1]
    if op == "key":
        return row.get(e[1])
    if op == "param":
        return params.get(e[1])
    if op in ("add", "sub", "mul", "div", "mod"):
        return arithmetic(op, go(e[1]), go(e[2]))
    if op == "neg":
        value = go(e[1])
        return None if value is None else number(-value)
    if op == "cmp":
        return compare(e[1], go(e[2]), go(e[3]))
    if op == "in":
        value = go(e[1])
        return value is not None and any(compare("==", value, item) for item in e[2])
    if op == "and":
        return go(e[1]) is True and go(e[2]) is True
    if op == "or":
        return go(e[1]) is True or go(e[2]) is True
    if op == "not":
        return go(e[1]) is not True
    if op == "asks_null":
        return (go(e[2]) is None) == (e[1] == "==")
    if op == "if":
        value = go(e[2]) if go(e[1]) is True else go(e[3])
        return float(value) if value is not None and types_float(e) else value
    if op == "agg":
        return aggregate(e[1], e[2], rows, params, types_float)
    if op == "call":
        return call(e[1], [go(a) for a in e[2]], types_float(e))
    raise ValueError(op)


def neumaier(values):
    total = correction = 0.0
    for v in values:
        s = total + v
        correction += (total - s) + v if abs(total) >= abs(v) else (v - s) + total
        total = s
    return total + correction


def aggregate(name, expression, rows, params, types_float):
    if name == "count":
        return len(rows)
    values = [evaluate(expression, row, params, types_float) for row in rows]
    if name in ("first", "last"):
        return values[0 if name == "first" else -1] if values else None
    if name == "all":
        return all(v is True for v in values)
    if name == "any":
        return any(v is True for v in values)
    present = [v for v in values if v is not None]
    if name == "sum":
        if types_float(expression):
            return as_float(neumaier(present))
        return as_int(sum(present))
    if not present:
        return None
    if name == "mean":
        return as_float(neumaier([float(v) for v in present]) / len(present))
    return min(present) if name == "lowest" else max(present)


class Rows:
    """Rows with the keys they carry."""

    def __init__(self, keys, rows):
        self.keys = set(keys)
        self.rows = rows


def order_key(value):
    return value.encode() if isinstance(value, str) else value


def sort_rows(rows, keys):
    for key, order in reversed(keys):
        with_value = [r for r in rows if r.get(key) is not None]
        without = [r for r in rows if r.get(key) is None]
        # reverse= keeps equal rows in their order
        with_value.sort(key=lambda r: order_key(r[key]), reverse=order == "desc")
        rows = with_value + without
    return rows


def dedupe_rows(rows, key, keep, by):
    groups = {}
    for row in rows:
        groups.setdefault(row.get(key), []).append(row)
    kept = []
    for group in groups.values():
        if keep == "max":
            best = group[0]
            for row in group[1:]:
                v, w = row.get(by), best.get(by)
                if v is not None and (w is None or order_key(v) > order_key(w)):
                    best = row
            kept.append(best)
        else:
            kept.append(group[0 if keep == "first" else -1])
    return kept


def concat_rows(inputs, defaults):
    keys = set().union(*(i.keys for i in inputs))
    rows = []
    for part in inputs:
        lacking = keys - part.keys
        for row in part.rows:
            rows.append({**row, **{k: defaults.get(k) for k in lacking}})
    return Rows(keys, rows)


def join_rows(left, right, how, on, select, defaults):
    by_value = {}
    for row in right.rows:
        if row.get(on) is not None:
            by_value.setdefault(row[on], row)
    if how in ("semi", "anti"):
        keep = [r for r in left.rows if (r.get(on) in by_value) == (how == "semi")]
        return Rows(left.keys, keep)
    rows = []
    for row in left.rows:
        match = by_value.get(row.get(on)) if row.get(on) is not None else None
        if match is not None:
            rows.append({**row, **{k: match.get(k) for k in select}})
        elif how == "left":
            rows.append({**row, **{k: defaults.get(k) for k in select}})
    return Rows(left.keys | set(select), rows)
