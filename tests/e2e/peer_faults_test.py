#!/usr/bin/env python3
"""rankd against peers that are no good Redis.   usage: peer_faults_test.py RANKD SLOW_RESOLVER [--slow]

SLOW_RESOLVER is a library that makes names ending in .slow take their time (support/slow_resolver.c)."""
import os
import socket
import sys
import time

from harness import PlanDir, plan
from peers import (VIEW, FaultCase, Later, Stream, array, bulk, code_of, endpoint, n_of, reply_of, request,
                   run_side_by_side, serve, user_of)

SLOW_RESOLVER = ""

MEMORY = plan("memory", [{"node_id": "v", "op": "viewer", "params": {"endpoint": "embedded", "fields": ["n"]}}])
FOLLOW = plan("follow", [
    {"node_id": "v", "op": "viewer", "params": {"endpoint": "store", "fields": []}},
    {"node_id": "f", "op": "follow", "inputs": ["v"], "params": {"endpoint": "store", "fields": ["n"]}}])


class PeerCase(FaultCase):
    def start(self, endpoints, *args, **more):
        """With a memory endpoint beside those."""
        return super().start([*endpoints, {"name": "embedded", "kind": "memory", "data": "data.json"}], *args,
                             plans={"memory": MEMORY, "follow": FOLLOW},
                             data={f"user:{u}": {"n": n_of(u)} for u in range(1, 200)}, **more)


class Slow(PeerCase):
    def test_replies_200_ms_late_keep_the_in_flight_limit(self):
        for limit, users in ((1, 6), (7, 50), (64, 150)):
            later = Later(0.2)
            peer = self.peer(later)
            stream = self.start([endpoint(peer.port, max_inflight=limit)])
            start = time.monotonic()
            stream.send(b"".join(map(request, range(1, users + 1))))
            for user in range(1, users + 1):
                self.assert_right(stream.answer(), user)
            turns = -(-users // limit)
            self.assert_took(time.monotonic() - start, 0.2 * turns, 0.2 * turns + 0.5)
            self.assertEqual((later.most, later.served, peer.accepted), (min(limit, 64, users), users, 1))
            self.assertEqual(stream.finish(), 0)

    def test_replies_that_come_after_their_time_reach_nobody(self):
        later = Later(0.2)
        peer = self.peer(later)
        stream = self.start([endpoint(peer.port, request_timeout_ms=150, max_inflight=4)])
        for user in range(1, 8):
            start = time.monotonic()
            self.assert_failed(stream.ask(user), user, "redis_timeout")
            self.assert_took(time.monotonic() - start, 0.15, 0.25)
        later.delay = 0
        for user in range(100, 130):
            self.assert_right(stream.ask(user), user)
        self.assertEqual(peer.accepted, 1)

    def test_a_time_limit_of_the_request_comes_before_that_of_the_store(self):
        peer = self.peer(Later(0.4))
        stream = self.start([endpoint(peer.port)])
        for fields, code in (({"deadline_ms": 60}, "deadline_exceeded"), ({"node_timeout_ms": 60}, "node_timeout")):
            start = time.monotonic()
            self.assert_failed(stream.ask(5, **fields), 5, code)
            self.assert_took(time.monotonic() - start, 0.06, 0.16)
        self.assert_right(stream.ask(6), 6)

    def test_a_slow_peer_does_not_hold_up_other_endpoints(self):
        peer = self.peer(Later(0.5))
        stream = self.start([endpoint(peer.port)], "--unordered")
        stream.send(b"".join(map(request, range(1, 11))))
        start = time.monotonic()
        stream.send(b"".join(request(u, plan="memory") for u in range(101, 111)))
        for user in range(101, 111):
            self.assert_right(stream.answer(), user)
        self.assert_took(time.monotonic() - start, 0, 0.3)
        for user in range(1, 11):
            self.assert_right(stream.answer(), user)


class Silent(PeerCase):
    def test_what_nobody_waits_for_any_more_does_not_pile_up(self):
        # Each request has a command of 100 KB and gives up after a millisecond; the store takes
        # nothing and is waited for.
        keyed = plan("keyed", [
            {"node_id": "s", "op": "fixed_source", "params": {"rows": [{"id": 1, "title": "x" * 100_000}]}},
            {"node_id": "f", "op": "features", "inputs": ["s"],
             "params": {"endpoint": "store", "fields": ["n"], "key": "{title}"}}])
        peer = self.peer(lambda connection: time.sleep(30))
        stream = FaultCase.start(self, [endpoint(peer.port, request_timeout_ms=60000)], plan_name="keyed",
                                 plans={"keyed": keyed})
        for _ in range(20):
            stream.send(b"".join(request(u, deadline_ms=1) for u in range(1, 201)))
            for user in range(1, 201):
                self.assert_failed(stream.answer(), user, "deadline_exceeded", "redis_unavailable")
        self.assertGreater(peer.accepted, 1)
        if not self.slow:
            self.assertLess(stream.status("VmHWM"), 300 << 10)  # of 400 MB


class Refusals(PeerCase):
    WORDS = {1: b"LOADING Redis is loading the dataset in memory",
             2: b"OOM command not allowed when used memory > 'maxmemory'.",
             3: b"MOVED 3999 127.0.0.1:6381", 4: b"ERR unknown command", 5: b"ASK 3999 127.0.0.1:6381",
             6: b"NOPERM this user has no permissions", 7: b"CLUSTERDOWN The cluster is down", 8: b"",
             9: b"MASTERDOWN Link with MASTER is down", 10: b"ERR %s%n 100% \xc3\xa9", 11: b"ERR " + b"x" * 60000,
             12: b"ERR bytes \xff\xfe\x00\x01 \"quoted\" \\", 13: b"BUSY Redis is busy running a script"}

    def handle(self, connection):
        while words := connection.command():
            user = user_of(words)
            refusal = self.WORDS.get(user)
            connection.send(reply_of(words) if refusal is None else b"-" + refusal + b"\r\n")

    def test_each_is_the_error_of_its_own_request(self):
        peer = self.peer(self.handle)
        stream = self.start([endpoint(peer.port)])
        users = [u for pair in zip(self.WORDS, range(101, 101 + len(self.WORDS))) for u in pair]
        stream.send(b"".join(map(request, users)))
        for user in users:
            answer = stream.answer()
            if user not in self.WORDS:
                self.assert_right(answer, user)
                continue
            self.assert_failed(answer, user, "redis_error")
            self.assertEqual((answer["error"]["node"], answer["error"]["op"]), ("v", "viewer"))
            message = answer["error"]["message"]
            self.assertIn(f'Redis key "user:{user}": ', message)
            self.assertIn(self.WORDS[user].split(b"\xff")[0][:100].decode(), message)
            self.assertLess(len(message), 70000)
        self.assertEqual(stream.finish(), 1)
        self.assertEqual(peer.accepted, 1)

    def test_one_refused_command_of_a_pipeline_fails_its_request_only(self):
        def handle(connection):
            while words := connection.command():
                if words[0] == b"HGETALL":
                    connection.send(array())
                elif words[0] == b"LRANGE":
                    connection.send(array(*range(11, 16)) if user_of(words) == 1 else array(12, 14))
                else:
                    refused = user_of(words) == 13
                    connection.send(b"-OOM no\r\n" if refused else b"*1\r\n" + bulk(n_of(user_of(words))))

        stream = self.start([endpoint(self.peer(handle).port)], plan_name="follow")
        self.assert_failed(stream.ask(1), 1, "redis_error")
        answer = stream.ask(2)
        self.assertEqual(answer["candidates"], [{"id": i, "fields": {"n": n_of(i)}} for i in (12, 14)])


class Garbage(PeerCase):
    JUNK = {
        "a web server": b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
        "TLS": bytes.fromhex("15030300020228"),
        "zeroes": bytes(1000),
        "an array of 2^32-1": b"*4294967295\r\n",
        "an array of 2^64": b"*18446744073709551616\r\n",
        "an array of -7": b"*-7\r\n",
        "1,100 nested arrays": b"*1\r\n" * 1100 + b":1\r\n",
        "a string of -5": b"$-5\r\n",
        "a string beyond all bounds": b"$99999999999\r\n",
        "a number that is none": b":1x\r\n",
        "a string without its end": b"$3\r\nabcdef\r\n+x\r\n",
        "a line without an end": b"+" + b"x" * 300000,
        "RESP 3": b"%1\r\n+n\r\n:1\r\n",
        "an empty line": b"\r\n",
        "a bare newline": b"\n\n\n\n",
    }

    def test_junk_fails_what_is_in_flight_and_the_next_connection_is_used(self):
        for what, junk in self.JUNK.items():
            with self.subTest(what):
                def handle(connection):
                    if connection.number % 2 == 1:
                        return serve(connection)
                    words = connection.command()
                    connection.send(reply_of(words))  # it has proved itself
                    connection.command()
                    connection.send(junk)
                    connection.wait_for_close()

                stream = self.start([endpoint(self.peer(handle).port)])
                self.assert_right(stream.ask(1), 1)
                stream.send(b"".join(map(request, range(2, 7))))
                for user in range(2, 7):
                    self.assert_failed(stream.answer(), user, "redis_unavailable")
                self.ask_until_right(stream, 7, "redis_unavailable")
                stream.kill()

    def test_junk_from_the_first_byte_on_is_not_dialled_without_pause(self):
        def handle(connection):
            connection.command()
            connection.send(b"*4294967295\r\n")

        peer = self.peer(handle)
        stream = self.start([endpoint(peer.port)])
        end = time.monotonic() + 1
        asked = 0
        while time.monotonic() < end:
            self.assert_failed(stream.ask(1), 1, "redis_unavailable")
            asked += 1
            time.sleep(0.002)
        self.assertLess(peer.accepted, 30)
        self.assertGreater(asked, peer.accepted)
        self.assertEqual(stream.finish(), 1)

    def test_replies_of_the_wrong_shape_are_bad_data_and_the_connection_goes_on(self):
        shapes = {1: b":5\r\n", 2: b"$-1\r\n", 3: b"*-1\r\n", 4: b"+OK\r\n", 5: b"*1\r\n$1\r\nn\r\n",
                  6: b"*2\r\n$1\r\nn\r\n*1\r\n:1\r\n", 7: b"*2\r\n$1\r\nn\r\n:5\r\n", 8: b"$1\r\nn\r\n",
                  9: array("n", "not a number"), 10: array("n", b"\xff\x00"), 11: b"*1\r\n" * 7 + b"*0\r\n"}

        def handle(connection):
            while words := connection.command():
                connection.send(shapes.get(user_of(words)) or reply_of(words))

        peer = self.peer(handle)
        stream = self.start([endpoint(peer.port)])
        for user in shapes:
            answer = stream.ask(user)
            self.assert_failed(answer, user, "bad_data")
            self.assertIn(f"user:{user}", answer["error"]["message"])
            self.assert_right(stream.ask(user + 50), user + 50)
        self.assertEqual(peer.accepted, 1)

    def test_a_reply_nobody_asked_for_reaches_nobody(self):
        def handle(connection):
            while words := connection.command():
                extra = array("n", 666) if user_of(words) % 10 == 0 else b""
                connection.send(reply_of(words) + extra)

        stream = self.start([endpoint(self.peer(handle).port)])
        wrong = 0
        for user in range(1, 100):
            answer = stream.ask(user)
            if "error" in answer:  # between two attempts to connect
                self.assert_failed(answer, user, "redis_unavailable")
                wrong += 1
            else:
                self.assert_right(answer, user)
            time.sleep(0.002)
        self.assertLess(wrong, 20)


class CutReplies(PeerCase):
    def test_cut_at_every_byte_and_closed(self):
        whole = reply_of([b"HGETALL", b"user:7"])
        stops = list(range(len(whole)))

        def handle(connection):
            while words := connection.command():
                if user_of(words) == 7 and stops:
                    connection.send(whole[:stops.pop()])
                    return
                connection.send(reply_of(words))

        stream = self.start([endpoint(self.peer(handle).port)])
        for _ in range(len(whole)):
            self.ask_until_right(stream, 1, "redis_unavailable")
            stream.send(request(7) + request(8))
            self.assert_failed(stream.answer(), 7, "redis_unavailable")
            answer = stream.answer()
            if "error" in answer:
                self.assert_failed(answer, 8, "redis_unavailable")
            else:
                self.assert_right(answer, 8)
        self.ask_until_right(stream, 7, "redis_unavailable")

    def test_cut_and_hung_times_out_and_the_connection_is_given_up(self):
        def handle(connection):
            if connection.number > 0:
                return serve(connection)
            self.assertEqual(user_of(connection.command()), 1)
            connection.send(reply_of([b"HGETALL", b"user:1"]))
            connection.command()
            connection.send(b"*2\r\n$1\r\nn\r\n$5\r\n12")
            connection.wait_for_close()

        peer = self.peer(handle)
        stream = self.start([endpoint(peer.port, request_timeout_ms=100)])
        self.assert_right(stream.ask(1), 1)
        hung = time.monotonic()
        self.assert_failed(stream.ask(2), 2, "redis_timeout")
        self.assert_took(time.monotonic() - hung, 0.1, 0.2)
        self.ask_until_right(stream, 3, "redis_timeout", "redis_unavailable")
        self.assert_took(time.monotonic() - hung, 1, 1.5)
        self.assertEqual(peer.accepted, 2)

    def test_cut_and_gone_on_after_its_time_is_put_together_and_dropped(self):
        def handle(connection):
            connection.command()
            connection.send(b"*2\r\n$1\r\nn\r\n$5\r\n66")
            time.sleep(0.3)
            connection.send(b"666\r\n")
            serve(connection)

        peer = self.peer(handle)
        stream = self.start([endpoint(peer.port, request_timeout_ms=200)])
        stream.send(request(2))
        time.sleep(0.15)
        stream.send(request(3) + request(4))
        self.assert_failed(stream.answer(), 2, "redis_timeout")
        self.assert_right(stream.answer(), 3)
        self.assert_right(stream.answer(), 4)
        self.assertEqual(peer.accepted, 1)

    def test_replies_in_single_bytes(self):
        def handle(connection):
            while words := connection.command():
                for byte in reply_of(words):
                    connection.send(bytes([byte]))
                    time.sleep(0.001)

        stream = self.start([endpoint(self.peer(handle).port)])
        stream.send(b"".join(map(request, range(1, 11))))
        for user in range(1, 11):
            self.assert_right(stream.answer(), user)

    def test_a_peer_that_closes_after_each_command(self):
        def handle(connection):
            if words := connection.command():
                connection.send(reply_of(words))

        peer = self.peer(handle)
        stream = self.start([endpoint(peer.port)])
        right = 0
        for user in range(1, 61):
            answer = stream.ask(user)
            if "error" in answer:
                self.assert_failed(answer, user, "redis_unavailable")
            else:
                self.assert_right(answer, user)
                right += 1
            time.sleep(0.005)
        self.assertGreater(right, 40)
        # Many at once: one is answered, the others in flight with it are not, and none is swapped.
        stream.send(b"".join(map(request, range(1, 41))))
        for user in range(1, 41):
            answer = stream.answer()
            if "error" in answer:
                self.assert_failed(answer, user, "redis_unavailable")
            else:
                self.assert_right(answer, user)
        self.ask_until_right(stream, 99, "redis_unavailable")

    def test_a_peer_that_closes_without_a_word(self):
        peer = self.peer(lambda connection: None)
        stream = self.start([endpoint(peer.port)])
        end = time.monotonic() + 1
        while time.monotonic() < end:
            self.assert_failed(stream.ask(1), 1, "redis_unavailable")
            time.sleep(0.01)
        self.assertLess(peer.accepted, 30)


class Connecting(PeerCase):
    def test_a_connect_that_never_answers_is_bounded_by_its_timeout(self):
        # A full backlog: the system drops what comes beyond it.
        listener = socket.socket()
        self.addCleanup(listener.close)
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        fillers = [socket.socket() for _ in range(3)]
        for filler in fillers:
            self.addCleanup(filler.close)
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
        time.sleep(0.1)
        stream = self.start([endpoint(port, connect_timeout_ms=120)])
        start = time.monotonic()
        self.assert_failed(stream.ask(1), 1, "redis_unavailable")
        self.assert_took(time.monotonic() - start, 0.12, 0.3)
        # Whether it falls into an attempt or between two, it is told within an attempt's time.
        for user in range(2, 12):
            start = time.monotonic()
            self.assert_failed(stream.ask(user), user, "redis_unavailable")
            self.assert_took(time.monotonic() - start, 0, 0.3)
            start = time.monotonic()
            self.assert_right(stream.ask(user, plan="memory"), user)
            self.assert_took(time.monotonic() - start, 0, 0.1)
        self.assertEqual(stream.finish(), 1)

    def test_a_handshake_that_is_never_answered_is_bounded_by_the_connect_timeout(self):
        peer = self.peer(lambda connection: connection.wait_for_close())
        silent = endpoint(peer.port, connect_timeout_ms=100)
        silent["db"] = 2
        stream = self.start([silent])
        start = time.monotonic()
        self.assert_failed(stream.ask(1), 1, "redis_unavailable")
        self.assert_took(time.monotonic() - start, 0.1, 0.25)

    def test_a_name_that_does_not_resolve(self):
        stream = self.start([endpoint(6379, host="no-such-host.invalid", connect_timeout_ms=2000)])
        stream.send(request(1))
        answer = stream.answer()
        self.assert_failed(answer, 1, "redis_unavailable")
        self.assertIn("no-such-host.invalid", answer["error"]["message"])
        self.assert_right(stream.ask(2, plan="memory"), 2)
        self.assertEqual(stream.finish(), 1)


class Names(PeerCase):
    """Names ending in .slow take SLOW_RESOLVER_MS and are 127.0.0.1."""

    def start_slowly(self, ms, endpoints, *args):
        env = {"LD_PRELOAD": SLOW_RESOLVER, "SLOW_RESOLVER_MS": str(ms), "ASAN_OPTIONS": "verify_asan_link_order=0"}
        return self.start(endpoints, *args, env=env)

    def test_a_name_that_resolves_slowly_is_bounded_and_other_work_goes_on(self):
        peer = self.peer(serve)
        stream = self.start_slowly(3000, [endpoint(peer.port, host="redis.slow", connect_timeout_ms=100)])
        for user in range(1, 11):
            start = time.monotonic()
            self.assert_failed(stream.ask(user), user, "redis_unavailable")
            self.assert_took(time.monotonic() - start, 0, 0.25)
            start = time.monotonic()
            self.assert_right(stream.ask(user, plan="memory"), user)
            self.assert_took(time.monotonic() - start, 0, 0.1)
        start = time.monotonic()
        self.assertEqual(stream.finish(), 1)
        self.assert_took(time.monotonic() - start, 0, 1)  # the resolver is not waited for

    def test_a_name_that_resolves_more_slowly_than_one_attempt_lasts_is_found_in_the_end(self):
        peer = self.peer(serve)
        stream = self.start_slowly(400, [endpoint(peer.port, host="redis.slow", connect_timeout_ms=50)])
        start = time.monotonic()
        failed = self.ask_until_right(stream, 1, "redis_unavailable")
        self.assert_took(time.monotonic() - start, 0.4, 2)
        self.assertGreater(failed, 2)
        self.assertEqual(stream.finish(), 1)

    def test_slow_names_do_not_hold_up_the_others(self):
        peer = self.peer(serve)
        slow = [endpoint(peer.port, name=f"slow{i}", host=f"redis{i}.slow") for i in range(8)]
        folder = PlanDir({**{f"view{i}": plan(f"view{i}", [{"node_id": "v", "op": "viewer", "params": {
            "endpoint": f"slow{i}", "fields": ["n"]}}]) for i in range(8)}, "view": VIEW},
            endpoints=[*slow, endpoint(peer.port, host="localhost", connect_timeout_ms=1000)])
        self.addCleanup(folder.__exit__)
        env = {"LD_PRELOAD": SLOW_RESOLVER, "SLOW_RESOLVER_MS": "5000", "ASAN_OPTIONS": "verify_asan_link_order=0"}
        stream = Stream([self.rankd, "--plan_name", "view", "--plan_dir", folder.path], env)
        self.addCleanup(stream.kill)
        stream.send(b"".join(request(100 + i, plan=f"view{i}") for i in range(8)))
        for i in range(8):
            self.assert_failed(stream.answer(), 100 + i, "redis_unavailable")
        start = time.monotonic()
        self.assert_right(stream.ask(1), 1)
        self.assert_took(time.monotonic() - start, 0, 0.5)
        self.assertEqual(stream.finish(), 1)


if __name__ == "__main__":
    FaultCase.rankd, SLOW_RESOLVER = map(os.path.abspath, sys.argv[1:3])
    FaultCase.slow = "--slow" in sys.argv
    run_side_by_side(sys.modules["__main__"])
