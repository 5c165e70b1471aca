"""How a node of the reference interpreter ends, other than with rows."""

#: What takes this long ends by a time limit only: there is no clock.
LONG_MS = 1000


class Failed(Exception):
    """A failure with the (code, node) it may have. `scope` is the activation that fails by it where that
    is an outer one, whose node was captured."""

    def __init__(self, errors, scope=None):
        super().__init__(sorted(errors))
        self.errors = frozenset(errors)
        self.scope = scope


class Hangs(Exception):
    """It ends by a time limit only."""


class Ambiguous(Exception):
    """The outcome depends on what is faster."""


class TooMuch(Exception):
    """More work than the limits given."""
