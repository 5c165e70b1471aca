"""The tasks of reference_plans.Interpreter, row by row: one method an op."""
import reference
from reference import Rows
from reference_ends import LONG_MS, Failed, Hangs


class Tasks:
    """Mixed into the interpreter, which evaluates expressions and keeps the store's data."""

    def do_fixed_source(self, scope, node, params, inputs):
        if params.get("rows") is None:
            count = self.number(scope, node, inputs, "row_count", 1)
            return Rows([], [{"id": i + 1} for i in range(count)])
        carried = {k for row in params["rows"] for k in row if k != "id"}
        return Rows(carried, [{"id": row["id"], **{k: self.stored(scope, node, k, row[k] if row.get(k) is not None else
                                                                  self.filler(scope, k)) for k in carried}}
                              for row in params["rows"]])

    def do_vm(self, scope, node, params, inputs):
        key, value = params["out_key"], self.by_row(scope, params["expr"])
        return Rows(inputs[0].keys | {key}, [{**row, key: self.stored(scope, node, key, value(row))}
                                             for row in inputs[0].rows])

    def do_filter(self, scope, node, params, inputs):
        holds = self.by_row(scope, params["pred"])
        return Rows(inputs[0].keys, [row for row in inputs[0].rows if holds(row) is True])

    def do_sort(self, scope, node, params, inputs):
        keys = params.get("keys") or [params]
        order = [(k.get("key", k.get("by")), k.get("order") or "asc") for k in keys]
        return Rows(inputs[0].keys, reference.sort_rows(inputs[0].rows, order))

    def do_take(self, scope, node, params, inputs):
        count = self.number(scope, node, inputs, "count")
        offset = self.number(scope, node, inputs, "offset", absent=0)
        return Rows(inputs[0].keys, inputs[0].rows[offset:offset + count])

    def do_concat(self, scope, node, params, inputs):
        return self.joined(scope, node, inputs)

    def do_dedupe(self, scope, node, params, inputs):
        rows = reference.dedupe_rows(inputs[0].rows, params.get("key") or "id", params.get("keep") or "first",
                                     params.get("by"))
        return Rows(inputs[0].keys, rows)

    def do_join(self, scope, node, params, inputs):
        select = params.get("select") or []
        return reference.join_rows(*inputs, params["how"], params.get("on") or "id", select,
                                   {k: self.filler(scope, k) for k in select})

    def do_aggregate(self, scope, node, params, inputs):
        by, rows = params.get("by"), inputs[0].rows
        groups = {} if by else {None: rows}
        for row in rows if by else ():
            groups.setdefault(row.get(by), []).append(row)
        found = []
        for i, (value, group) in enumerate(groups.items()):
            made = {key: self.stored(scope, node, key, self.scalar(scope, source, [Rows([], group)]))
                    for key, source in params["out"].items()}
            found.append({"id": i, **({by: value} if by else {}), **made})
        return Rows({*params["out"], *([by] if by else [])}, found)

    def do_sleep(self, scope, node, params, inputs):
        duration = self.number(scope, node, inputs, "duration_ms")
        if duration >= LONG_MS:
            raise Hangs()
        if params.get("fail_after_sleep"):
            raise Failed({("task_failed", node["node_id"])})
        return inputs[0] if inputs else Rows([], [])

    def do_busy_cpu(self, scope, node, params, inputs):
        if self.number(scope, node, inputs, "busy_wait_ms") >= LONG_MS:
            raise Hangs()
        return inputs[0] if inputs else Rows([], [])

    def hash_fields(self, scope, node, row_id, fields):
        stored = self.data.get(f"user:{row_id}", {})
        return {f: self.stored(scope, node, f, stored.get(f, self.filler(scope, f))) for f in fields}

    def default_fields(self, scope):
        return ["country"] if "country" in scope.program.keys else []

    def do_viewer(self, scope, node, params, inputs):
        fields = params.get("fields", self.default_fields(scope))
        return Rows(fields, [{"id": self.user_id, **self.hash_fields(scope, node, self.user_id, fields)}])

    def lists(self, scope, node, params, inputs, name, fields):
        most = self.number(scope, node, inputs, "fanout", 1)
        fields = params.get("fields", fields)
        return Rows(fields, [{"id": i, **self.hash_fields(scope, node, i, fields)} for row in inputs[0].rows
                             for i in self.data.get(f"{name}:{row['id']}", [])[:most]])

    def do_follow(self, scope, node, params, inputs):
        return self.lists(scope, node, params, inputs, "follow", self.default_fields(scope))

    def do_recommendation(self, scope, node, params, inputs):
        return self.lists(scope, node, params, inputs, "recommendation", self.default_fields(scope))

    def do_media(self, scope, node, params, inputs):
        return self.lists(scope, node, params, inputs, "media", [])

    def do_features(self, scope, node, params, inputs):
        return Rows(inputs[0].keys | set(params["fields"]),
                    [{**row, **self.hash_fields(scope, node, row["id"], params["fields"])} for row in inputs[0].rows])
