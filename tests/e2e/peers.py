"""TCP peers in place of a Redis that do what a test says, a stream of requests to fail, and a way to
run tests that mostly wait side by side."""
import concurrent.futures
import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

from harness import PlanDir, Redis, environment, plan, wait_until_serving


class Connection:
    """An accepted connection of a Peer."""

    def __init__(self, sock, number):
        self.sock = sock
        self.number = number  # 0 for the peer's first
        self.reader = sock.makefile("rb")

    def command(self):
        """The next command's words as bytes; [] when the client has gone."""
        try:
            head = self.reader.readline()
            if not head.startswith(b"*"):
                return []
            words = []
            for _ in range(int(head[1:])):
                size = int(self.reader.readline()[1:])
                words.append(self.reader.read(size + 2)[:-2])
            return words
        except (OSError, ValueError):
            return []

    def send(self, data):
        """False when the client has gone."""
        try:
            self.sock.sendall(data)
            return True
        except OSError:
            return False

    def wait_for_close(self):
        while self.command():
            pass

    def close(self):
        self.reader.close()
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.sock.close()


class Peer:
    """Listens on a port of 127.0.0.1; `handle(connection)` runs in a thread for each connection, which
    is closed when it returns."""

    def __init__(self, handle):
        self.handle = handle
        self.accepted = 0
        self.open = set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = Connection(sock, self.accepted)
            self.accepted += 1
            self.open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            self.handle(connection)
        except OSError:
            pass
        finally:
            self.open.discard(connection)
            connection.close()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in list(self.open):
            connection.close()


class Later:
    """Sends replies `delay` seconds after their command, in order; knows how many were outstanding."""

    def __init__(self, delay):
        self.delay = delay
        self.most = 0  # commands read whose reply had not been sent
        self.served = 0
        self.lock = threading.Lock()

    def __call__(self, connection):
        due = queue.SimpleQueue()

        def answer():
            while (item := due.get()) is not None:
                at, reply = item
                time.sleep(max(0.0, at - time.monotonic()))
                with self.lock:  # counted before the bytes go: what they free comes after
                    self.outstanding -= 1
                    self.served += 1
                if not connection.send(reply):
                    return

        self.outstanding = 0
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        while words := connection.command():
            with self.lock:
                self.outstanding += 1
                self.most = max(self.most, self.outstanding)
            due.put((time.monotonic() + self.delay, reply_of(words)))
        due.put(None)


def bulk(data):
    data = data if isinstance(data, bytes) else str(data).encode()
    return b"$%d\r\n%s\r\n" % (len(data), data)


def array(*items):
    return b"*%d\r\n" % len(items) + b"".join(map(bulk, items))


def user_of(words):
    """The user of HGETALL user:N."""
    return int(words[1].rpartition(b":")[2])


def n_of(user):
    """What the field n of a user holds: another for each."""
    return user * 7919 + 3


def reply_of(words):
    """What a Redis that holds every user answers."""
    return array("n", n_of(user_of(words)))


def serve(connection):
    """A peer that behaves."""
    while words := connection.command():
        if not connection.send(reply_of(words)):
            return


VIEW = plan("view", [{"node_id": "v", "op": "viewer", "params": {"endpoint": "store", "fields": ["n"]}}])


def endpoint(port, name="store", host="127.0.0.1", **policy):
    return {"name": name, "kind": "redis", "resolver": {"type": "static", "host": host, "port": port},
            "policy": policy}


def request(user, **fields):
    return (json.dumps({"request_id": user, "user_id": user, **fields}) + "\n").encode()


class Stream:
    """rankd at work: requests in, answers out, each as it comes."""

    def __init__(self, command, env=None, **options):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment(env), **options)
        self.err = []
        self.err_reader = threading.Thread(target=lambda: self.err.append(self.process.stderr.read()), daemon=True)
        self.err_reader.start()
        wait_until_serving(self.process)

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise AssertionError(f"no whole line: {line[-200:]!r}, status {self.process.poll()}, {self.err}")
        return json.loads(line)

    def ask(self, user, **fields):
        self.send(request(user, **fields))
        return self.answer()

    def rest_of_output(self):
        """Every answer until the output ends; each is a whole line."""
        lines = self.process.stdout.readlines()
        if lines and not lines[-1].endswith(b"\n"):
            raise AssertionError(f"a partial line: {lines[-1][-200:]!r}")
        return [json.loads(line) for line in lines]

    def finish(self, timeout=30):
        """Ends the input; the exit status."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        status = self.process.wait(timeout)
        self.err_reader.join(timeout)
        return status

    def status(self, name):
        """A number of kilobytes or threads from the process's status, such as VmRSS."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(rf"^{name}:\s*(\d+)", status.read(), re.M).group(1))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.err_reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass


def code_of(answer):
    return answer.get("error", {}).get("code")


class Server(Redis):
    """A redis-server that is killed, stopped, and started again with what it had saved."""

    def __init__(self, *options, port=None, users=range(1, 1001)):
        super().__init__(*options, port=port)
        if users:
            self.send(*[("HSET", f"user:{u}", "n", n_of(u)) for u in users])

    def save(self):
        self.send(("SAVE",))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", self.dir,
             "--unixsocket", self.socket], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not self._listening():
            raise RuntimeError("redis-server does not start again")

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)


class FaultCase(unittest.TestCase):
    """Tests that ask the plan VIEW of a rankd over stores that fail."""

    rankd = ""
    slow = False  # under sanitizers: no upper bounds on time and memory

    def peer(self, handle):
        peer = Peer(handle)
        self.addCleanup(peer.stop)
        return peer

    def server(self, *options, **more):
        server = Server(*options, **more)
        self.addCleanup(server.stop)
        return server

    def start(self, endpoints, *args, env=None, plan_name="view", plans=None, before=(), data=None):
        """A rankd with these endpoints, started by the command `before`, if any."""
        folder = PlanDir({"view": VIEW, **(plans or {})}, endpoints=endpoints, data=data)
        self.addCleanup(folder.__exit__)
        stream = Stream([*before, self.rankd, "--plan_name", plan_name, "--plan_dir", folder.path, *args], env)
        self.addCleanup(stream.kill)
        return stream

    def assert_right(self, answer, user):
        self.assertEqual((answer["request_id"], answer.get("candidates")),
                         (user, [{"id": user, "fields": {"n": n_of(user)}}]), answer)

    def assert_failed(self, answer, user, *codes):
        self.assertEqual(answer["request_id"], user, answer)
        self.assertIn(code_of(answer), codes, answer)

    def assert_took(self, seconds, low, high):
        self.assertGreaterEqual(seconds, low)
        if not self.slow:
            self.assertLess(seconds, high)

    def ask_until_right(self, stream, user, *codes):
        """Asks again while it fails with one of `codes`; how often it failed."""
        give_up = time.monotonic() + 20
        failed = 0
        while "error" in (answer := stream.ask(user)):
            self.assert_failed(answer, user, *codes)
            self.assertLess(time.monotonic(), give_up, answer)
            failed += 1
            time.sleep(0.02)
        self.assert_right(answer, user)
        return failed


def run_side_by_side(module, threads=8):
    """Runs the module's tests on threads, for they mostly wait; exits with 1 if any failed. The words of
    the command line that are no flags pick tests by part of their name."""
    wanted = [a for a in sys.argv[1:] if a.startswith("test_")]

    def tests_of(suite):
        for test in suite:
            if isinstance(test, unittest.TestSuite):
                yield from tests_of(test)
            elif not wanted or any(w in test.id() for w in wanted):
                yield test

    def run_one(test):
        result = unittest.TestResult()
        start = time.monotonic()
        test.run(result)
        return test, result, time.monotonic() - start

    tests = list(tests_of(unittest.defaultTestLoader.loadTestsFromModule(module)))
    failed = 0
    if FaultCase.slow:
        threads = 2  # side by side they would be slower than their time limits
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for done in concurrent.futures.as_completed([pool.submit(run_one, t) for t in tests]):
            test, result, seconds = done.result()
            print(f"{'ok  ' if result.wasSuccessful() else 'FAIL'} {seconds:6.2f} s  {test.id()}", flush=True)
            failed += not result.wasSuccessful()
            for where, text in result.failures + result.errors:
                print(where, text, sep="\n", flush=True)
    print(f"{len(tests) - failed} of {len(tests)} passed")
    sys.stdout.flush()
    os._exit(1 if failed or not tests else 0)  # threads of peers may still wait
