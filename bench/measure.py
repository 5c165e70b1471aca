"""What the programs of bench/ share: processes that are timed, rounds that alternate, a Redis of
one's own, tables and JSON.

Figures of shared machines are noisy: candidates take turns in rounds, and what is printed is the
median with the least and the most beside it.
"""
import argparse
import contextlib
import json
import math
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PLANS = os.path.normpath(os.path.join(HERE, "..", "plans"))
BENCH_PLANS = os.path.join(HERE, "plans")


def options_of(description, *arguments):
    """The command line of a program: RANKD, then `arguments` as (name, {of add_argument}), --json."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("rankd")
    for name, details in arguments:
        parser.add_argument(name, **details)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for name in [n for n in os.environ if n.startswith("RANKD_") or n == "REDIS_URL"]:
        del os.environ[name]
    return options


def in_build(options, name):
    """A program of bench/ that was built beside RANKD (build/release/bin/rankd)."""
    build = os.path.dirname(os.path.dirname(os.path.realpath(options.rankd)))
    path = os.path.join(build, "bench", f"bench_{name}")
    if not os.path.exists(path):
        sys.exit(f"{path} is not built: tools/build release --target bench_{name}")
    return path


def missing(tool):
    """Whether a peer is not installed; says so."""
    if shutil.which(tool):
        return False
    say(f"{tool} is not installed, so nothing is measured beside it")
    return True


def run(command, stdin_path=os.devnull, stdout_path=os.devnull, allowed=()):
    """Runs one process to its end, status 0 or one of `allowed`: (seconds, seconds of CPU).

    Peak memory would be wrong: what wait4 tells counts that of this program before the exec.
    """
    with open(stdin_path, "rb") as stdin, open(stdout_path, "wb") as stdout:
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=stdin, stdout=stdout)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, *allowed):
        sys.exit(f"{' '.join(command)} ended with status {process.returncode}")
    return seconds, usage.ru_utime + usage.ru_stime


def output_of(command, timeout=600, binary=False):
    """What one process writes to its end."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=timeout)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with status {done.returncode}")
    return done.stdout if binary else done.stdout.decode()


def json_lines(command, timeout=600):
    return [json.loads(line) for line in output_of(command, timeout).splitlines() if line]


def alternate(rounds, candidates):
    """Calls each of `candidates` (name: function) once a round: name: what they gave, in order."""
    given = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, measure in candidates.items():
            given[name].append(measure())
    return given


def say(text):
    print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr)


def fail(text):
    say(text)
    sys.exit(1)


median = statistics.median


def spread(values, digits=2):
    return {"median": round(statistics.median(values), digits), "least": round(min(values), digits),
            "most": round(max(values), digits)}


def ratio(given, name, base):
    """How many times `base` the candidate is, of what `alternate` gave: the median over the rounds. A
    machine that changes its speed within a run does so less within a round."""
    return median([value / other for value, other in zip(given[name], given[base])])


def percentile(values, percent):
    """Of sorted values, the nearest rank."""
    return values[max(0, math.ceil(len(values) * percent / 100) - 1)]


def table(rows, columns):
    """Prints dicts as a table: columns are (title, key, width); text to the left."""
    def cell(row, key):
        value = row.get(key, "")
        return f"{value:g}" if isinstance(value, float) and abs(value) < 100 else (
            f"{value:.0f}" if isinstance(value, float) else str(value))

    def line(cells):
        print("".join(c.ljust(w) if i == 0 else c.rjust(w)
                      for i, (c, (_, _, w)) in enumerate(zip(cells, columns))))
    line([title for title, _, _ in columns])
    for row in rows:
        line([cell(row, key) for _, key, _ in columns])


def finish(options, rows, columns, verdict):
    """Prints what was measured. `verdict`: measured and reach in words, ok (None: not known)."""
    if options.json:
        json.dump({**verdict, "rows": rows}, sys.stdout)
        print()
        return
    if rows:
        table(rows, columns)
        print()
    says = {True: "reached", False: "not reached", None: "not judged"}[verdict["ok"]]
    print(f"{verdict['measured']}; reach: {verdict['reach']}: {says}")


@contextlib.contextmanager
def requests_file(lines):
    """A file with these request lines."""
    with tempfile.NamedTemporaryFile("w", suffix=".ndjson") as file:
        file.writelines(lines)
        file.flush()
        yield file.name


def users(requests, count=20):
    return ('{"user_id":%d}\n' % (i % count + 1) for i in range(requests))


def demo_data(rankd, plans):
    return output_of([rankd, "demo-data", "--plan_dir", plans], binary=True)


FOLLOW_USERS = 1000
FOLLOWED = 10


def follow_data():
    """What bench/plans/follow_ten reads: commands for redis-cli --pipe."""
    def command(*words):
        return b"*%d\r\n" % len(words) + b"".join(
            b"$%d\r\n%s\r\n" % (len(w), w) for w in (str(word).encode() for word in words))

    countries = ["US", "CA", "MX", "BR", "FR", "DE", "JP", "NG"]
    parts = []
    for user in range(1, FOLLOW_USERS + 1):
        parts.append(command("HSET", f"user:{user}", "country", countries[user % 8], "language", "en",
                             "name", f"User {user}", "age", user % 60 + 18, "followers",
                             user * 7919 % 5000))
        parts.append(command("RPUSH", f"follow:{user}",
                             *((user * 37 + i * 101) % FOLLOW_USERS + 1 for i in range(FOLLOWED))))
    return b"".join(parts)


class Redis:
    """A private redis-server on a free loopback port, filled with `data` (commands as RESP)."""

    def __init__(self, data):
        if missing("redis-server") or missing("redis-cli"):
            sys.exit(1)
        self.directory = tempfile.mkdtemp()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
             "--dir", self.directory], stdout=subprocess.DEVNULL)
        for _ in range(500):
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.2).close()
                break
            except OSError:
                time.sleep(0.02)
        else:
            self.stop()
            sys.exit("redis-server did not start")
        self.url = f"redis://127.0.0.1:{self.port}"
        subprocess.run(["redis-cli", "-p", str(self.port), "--pipe"], input=data, check=True,
                       stdout=subprocess.DEVNULL)

    def info(self, section):
        text = output_of(["redis-cli", "-p", str(self.port), "info", section])
        return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)

    def counts(self):
        """Commands served so far by name, and how many times it read from sockets."""
        commands = {}
        for name, values in self.info("commandstats").items():
            fields = dict(value.split("=") for value in values.split(","))
            commands[name.removeprefix("cmdstat_")] = int(fields["calls"])
        return commands, int(self.info("stats")["total_reads_processed"])

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
