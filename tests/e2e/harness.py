"""What the end-to-end tests share: plan directories, runs of the binary, a redis-server of their own."""
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

TIMEOUT_S = 60  # a run that takes longer hangs

REGISTRY = {
    "keys": [
        {"id": 1, "name": "id", "type": "int", "nullable": False, "allow_write": False},
        {"id": 2001, "name": "final_score", "type": "float", "nullable": False, "default": 0.0},
        {"id": 2002, "name": "score", "type": "float"},
        {"id": 2003, "name": "n", "type": "int"},
        {"id": 2004, "name": "m", "type": "int"},
        {"id": 2005, "name": "flag", "type": "bool"},
        {"id": 2006, "name": "seen", "type": "bool"},
        {"id": 2007, "name": "must", "type": "int", "nullable": False},
        {"id": 2008, "name": "fixed", "type": "int", "allow_write": False},
        {"id": 2009, "name": "level", "type": "int", "default": 7},
        {"id": 3001, "name": "country", "type": "string"},
        {"id": 3002, "name": "title", "type": "string"},
        {"id": 3003, "name": "tag", "type": "string"},
        {"id": 4001, "name": "old_score", "type": "float", "status": "deprecated"},
        {"id": 4002, "name": "dead_score", "type": "float", "status": "blocked"},
    ],
    "params": [
        {"id": 1, "name": "weight", "type": "float"},
        {"id": 2, "name": "limit", "type": "int", "default": 3},
        {"id": 3, "name": "cutoff", "type": "float", "nullable": False},
        {"id": 4, "name": "pattern", "type": "string"},
        {"id": 5, "name": "use_new", "type": "bool", "default": False},
        {"id": 6, "name": "top", "type": "int", "nullable": False, "default": 2},
        {"id": 7, "name": "prefix", "type": "string", "nullable": False},
    ],
}


def environment(extra=None):
    """The environment of a run: nothing of ours leaks in."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("RANKD_") and k not in ("REDIS_URL", "NO_COLOR")}
    kept.update(extra or {})
    return kept


def plan(name, nodes, outputs=None, **fields):
    """A plan document; by default the last node is the output."""
    return {"schema_version": 1, "plan_name": name, "nodes": nodes,
            "outputs": outputs or [nodes[-1]["node_id"]], **fields}


class PlanDir:
    """A temporary plan directory."""

    def __init__(self, plans=None, registry=REGISTRY, endpoints=None, data=None, files=None):
        self.path = tempfile.mkdtemp(prefix="rankd-e2e-")
        for name, document in (plans or {}).items():
            self.write(f"{name}.plan.json", document)
        if registry is not None:
            self.write("registry.json", registry)
        if endpoints is None:
            endpoints = [{"endpoint_id": "ep_0001", "name": "store", "kind": "memory",
                          "data": "data.json"}]
        self.write("endpoints.demo.json", {"endpoints": endpoints})
        self.write("data.json", data or {})
        for name, content in (files or {}).items():
            self.write(name, content)

    def write(self, name, content):
        with open(os.path.join(self.path, name), "w", encoding="utf-8") as out:
            out.write(content if isinstance(content, str) else json.dumps(content))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


class Outcome:
    """What a finished run left behind."""

    def __init__(self, returncode, stdout, stderr, seconds):
        self.exit = returncode
        self.raw = stdout
        self.text = stdout.decode("utf-8", "replace")
        self.err = stderr.decode("utf-8", "replace")
        self.ms = seconds * 1000

    @property
    def lines(self):
        return self.text.splitlines() if "\n" in self.text else [self.text] if self.text else []

    @property
    def responses(self):
        return [json.loads(line) for line in self.text.split("\n") if line]


def run(rankd, args, stdin=b"", env=None, timeout=TIMEOUT_S, cwd=None):
    if isinstance(stdin, str):
        stdin = stdin.encode("utf-8", "surrogateescape")
    start = time.monotonic()
    done = subprocess.run([rankd, *args], input=stdin, capture_output=True, timeout=timeout,
                          env=environment(env), cwd=cwd)
    return Outcome(done.returncode, done.stdout, done.stderr, time.monotonic() - start)


def wait_until_serving(process, seconds=30):
    """Until the process catches SIGTERM, which it does from the start of its stream on, or ends."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            caught = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))
        if caught >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.005)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# Asked for after other commands: when this has come, all has.
LAST_REPLY = "that was the last of the replies"


def encode_command(*words):
    out = b"*%d\r\n" % len(words)
    for word in words:
        data = word if isinstance(word, bytes) else str(word).encode("utf-8")
        out += b"$%d\r\n%s\r\n" % (len(data), data)
    return out


class Redis:
    """A redis-server of the test's own, on a free port and a unix socket."""

    def __init__(self, *options, port=None):
        self.dir = tempfile.mkdtemp(prefix="rankd-redis-")
        self.socket = os.path.join(self.dir, "redis.sock")
        for _ in range(5):  # somebody may take the port first
            self.port = port or free_port()
            self.process = subprocess.Popen(
                ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                 "--unixsocket", self.socket, "--dir", self.dir, *options],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if self._listening():
                return
            self.process.kill()
            self.process.wait()
        raise RuntimeError("redis-server does not start")

    def _listening(self):
        for _ in range(400):
            if self.process.poll() is not None:
                return False
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.5).close()
                return True
            except OSError:
                time.sleep(0.025)
        return False

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def send(self, *commands):
        """Sends commands and waits for all replies; gives the raw bytes."""
        # Not by closing the one half of the connection: Redis 8 drops what it has not run by then.
        end = b"%s\r\n" % LAST_REPLY.encode()
        replies = b""
        with socket.create_connection(("127.0.0.1", self.port), 10) as peer:
            peer.sendall(b"".join(encode_command(*c) for c in [*commands, ("ECHO", LAST_REPLY)]))
            while not replies.endswith(end):
                chunk = peer.recv(65536)
                if not chunk:
                    return replies
                replies += chunk
        return replies[: replies.rindex(b"$")]

    def load(self, data, *before):
        text = lambda v: v if isinstance(v, str) else json.dumps(v)
        commands = [*before, ("FLUSHALL",)]
        for key, value in data.items():
            if isinstance(value, dict) and value:
                commands.append(("HSET", key, *[text(x) for pair in value.items() for x in pair]))
            elif isinstance(value, list) and value:
                commands.append(("RPUSH", key, *map(text, value)))
            elif isinstance(value, str):
                commands.append(("SET", key, value))
        self.send(*commands)

    def stop(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)
