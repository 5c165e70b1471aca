"""Expressions as tuples, ("add", a, b): their text, what text means, and their static types.

Besides what reference.evaluate takes, ("agg", name, e) is an aggregate of a scalar expression. Loop
variables and the error of a catch body are params by the names "L.i" and "E.code"."""
import functools
import json
import re

LOOSENESS = {"or": 1, "and": 2, "not": 3, "cmp": 4, "in": 4, "asks_null": 4, "add": 5, "sub": 5, "mul": 6,
             "div": 6, "mod": 6, "neg": 7}
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "or": "||", "and": "&&"}
AGGREGATES = ("count", "sum", "mean", "lowest", "highest", "first", "last", "all", "any")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
UNIFYING = ("min", "max", "coalesce", "clamp")
KIND_OF_CALL = {"sqrt": "float", "exp": "float", "log": "float", "log1p": "float", "pow": "float",
                "sigmoid": "float", "floor": "int", "ceil": "int", "round": "int", "len": "int",
                "text": "string", "lower": "string", "concat": "string"}


def literal_text(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def text(e, level=0):
    """Text notation with no more parentheses than it needs."""
    op = e[0]
    mine = LOOSENESS.get(op, 9)
    if op == "const":
        out = literal_text(e[1])
    elif op == "key":
        out = e[1]
    elif op == "param":
        out = e[1] if "." in e[1] else "P." + e[1]
    elif op == "agg":
        out = f"{e[1]}({'' if e[2] is None else text(e[2])})"
    elif op == "call":
        out = f"{e[1]}({', '.join(text(a) for a in e[2])})"
    elif op == "if":
        out = f"if({', '.join(text(a) for a in e[1:])})"
    elif op == "not":
        out = "!" + text(e[1], mine)
    elif op == "neg":
        out = "-" + text(e[1], mine)
    elif op == "cmp":
        out = f"{text(e[2], 5)} {e[1]} {text(e[3], 5)}"
    elif op == "asks_null":
        out = f"{text(e[2], 5)} {e[1]} null"
    elif op == "in":
        out = f"{text(e[1], 5)} in [{', '.join(map(literal_text, e[2]))}]"
    else:  # binary, left to right
        out = f"{text(e[1], mine)} {SIGNS[op]} {text(e[2], mine + 1)}"
    return f"({out})" if mine < level else out


class Types:
    """The static types of expressions over keys and params of the given types."""

    def __init__(self, keys, params):
        self.keys = {"id": "int", **keys}
        self.params = params

    def of(self, e):
        """"int", "float", "bool", "string", or None for the literal null."""
        op = e[0]
        if op == "const":
            return {bool: "bool", int: "int", float: "float", str: "string", type(None): None}[type(e[1])]
        if op == "key":
            return self.keys[e[1]]
        if op == "param":
            return {"L": "int", "E": "string"}[e[1][0]] if "." in e[1] else self.params[e[1]]
        if op in ("add", "sub", "mul", "mod"):
            return "float" if "float" in (self.of(e[1]), self.of(e[2])) else "int"
        if op == "div":
            return "float"
        if op == "neg":
            return self.of(e[1])
        if op == "if":
            return self.unified(e[2:])
        if op == "agg":
            if e[1] in ("all", "any"):
                return "bool"
            return {"count": "int", "mean": "float"}.get(e[1]) or self.of(e[2])
        if op == "call":
            if e[1] in UNIFYING:
                return self.unified(e[2])
            return self.of(e[2][0]) if e[1] == "abs" else KIND_OF_CALL.get(e[1], "bool")
        return "bool"

    def unified(self, expressions):
        kinds = {self.of(e) for e in expressions} - {None}
        if kinds == {"int", "float"}:
            return "float"
        return kinds.pop() if kinds else None

    def is_float(self, e):
        return self.of(e) == "float"


TOKEN = re.compile(r"""\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|"""
                   r"""([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)|(\|\||&&|[=!<>]=|[-+*/%!<>()\[\],]))""")


class Parser:
    """Text notation, for texts that are right."""

    def __init__(self, source):
        self.tokens = []
        at = 0
        source = source.rstrip()
        while at < len(source):
            match = TOKEN.match(source, at)
            if not match:
                raise ValueError(f"cannot read {source!r} from {at}")
            kind = next(i for i in range(1, 5) if match.group(i) is not None)
            self.tokens.append((kind, match.group(kind)))
            at = match.end()
        self.tokens.append((0, ""))

    def next(self):
        return self.tokens.pop(0)

    def sees(self, *signs):
        return self.tokens[0][0] == 4 and self.tokens[0][1] in signs

    def take(self, *signs):
        if not self.sees(*signs):
            raise ValueError(f"want {signs}, not {self.tokens[0]}")
        return self.next()[1]

    def binary(self, below, names):
        left = below()
        while self.sees(*names):
            left = (names[self.next()[1]], left, below())
        return left

    def disjunction(self):
        return self.binary(self.conjunction, {"||": "or"})

    def conjunction(self):
        return self.binary(self.negation, {"&&": "and"})

    def negation(self):
        if self.sees("!"):
            self.next()
            return ("not", self.negation())
        return self.comparison()

    def comparison(self):
        left = self.sum()
        if self.tokens[0] == (3, "in"):
            self.next()
            return ("in", left, self.literals())
        if not self.sees(*COMPARISONS):
            return left
        sign, right = self.next()[1], self.sum()
        if right == ("const", None):
            return ("asks_null", sign, left)
        return ("asks_null", sign, right) if left == ("const", None) else ("cmp", sign, left, right)

    def literals(self):
        self.take("[")
        found = []
        while not self.sees("]"):
            value = self.unary()
            found.append(-value[1][1] if value[0] == "neg" else value[1])
            if self.sees(","):
                self.next()
        self.next()
        return found

    def sum(self):
        return self.binary(self.product, {"+": "add", "-": "sub"})

    def product(self):
        return self.binary(self.unary, {"*": "mul", "/": "div", "%": "mod"})

    def unary(self):
        if self.sees("-"):
            self.next()
            return ("neg", self.unary())
        return self.primary()

    def primary(self):
        kind, word = self.next()
        if kind == 1:
            return ("const", int(word) if word.isdigit() else float(word))
        if kind == 2:
            if word[0] == "'":
                word = '"' + word[1:-1].replace('"', '\\"').replace("\\'", "'") + '"'
            return ("const", json.loads(word))
        if kind == 3:
            return self.name(word)
        if word != "(":
            raise ValueError(f"unexpected {word!r}")
        inner = self.disjunction()
        self.take(")")
        return inner

    def name(self, word):
        if word in ("true", "false", "null"):
            return ("const", {"true": True, "false": False, "null": None}[word])
        if not self.sees("("):
            if "." not in word:
                return ("key", word)
            return ("param", word[2:] if word.startswith("P.") else word)
        self.next()
        args = []
        while not self.sees(")"):
            args.append(self.disjunction())
            if self.sees(","):
                self.next()
        self.next()
        if word in AGGREGATES:
            return ("agg", word, args[0] if args else None)
        return ("if", *args) if word == "if" else ("call", word, args)


@functools.lru_cache(maxsize=None)
def parse(source):
    parser = Parser(source)
    e = parser.disjunction()
    if parser.tokens[0] != (0, ""):
        raise ValueError(f"trailing {parser.tokens[0]} in {source!r}")
    return e
