#!/usr/bin/env python3
"""rankd over the failures of a real redis-server.   usage: redis_faults_test.py RANKD [--slow]"""
import json
import os
import sys
import threading
import time

from harness import PlanDir, free_port, plan
from peers import FaultCase, Server, Stream, VIEW, code_of, endpoint, n_of, request, run_side_by_side

# A key made of text: what country holds.
BYTES = plan("bytes", [
    {"node_id": "v", "op": "viewer", "params": {"endpoint": "store", "fields": ["country"]}},
    {"node_id": "f", "op": "features", "inputs": ["v"],
     "params": {"endpoint": "store", "fields": ["title", "tag"], "key": "%s:{country}:100%"}}])


class ComingAndGoing(FaultCase):
    def test_not_there_at_the_start(self):
        port = free_port()
        stream = self.start([endpoint(port)])
        for user in range(1, 30):
            self.assert_failed(stream.ask(user), user, "redis_unavailable")
            time.sleep(0.01)
        server = self.server(port=port)
        self.ask_until_right(stream, 1, "redis_unavailable")
        for user in range(1, 300):
            self.assert_right(stream.ask(user), user)
        self.assertEqual(stream.finish(), 1)
        self.assertEqual(stream.err[0].decode().count("\n"), 1)

    def paced(self, users, faults, allowed, rate=800, **policy):
        """Sends a request for each user at a pace and reads the answers, each of which is checked, while
        `faults(server, until)` runs; until(n) returns when n answers have come."""
        server = self.server()
        server.save()
        stream = self.start([endpoint(server.port, **policy)])
        answered = 0
        more = threading.Condition()

        def until(count):
            with more:
                more.wait_for(lambda: answered >= count, 30)

        def feed():
            start = time.monotonic()
            for i, user in enumerate(users):
                time.sleep(max(0.0, start + i / rate - time.monotonic()))
                stream.send(request(user))

        threads = [threading.Thread(target=feed, daemon=True),
                   threading.Thread(target=faults, args=(server, until), daemon=True)]
        for thread in threads:
            thread.start()
        answers = []
        for user in users:
            answer = stream.answer()
            answers.append(answer)
            if "error" in answer:
                self.assert_failed(answer, user, *allowed)
            else:
                self.assert_right(answer, user)
            with more:
                answered += 1
                more.notify_all()
        for thread in threads:
            thread.join()
        # A fault may come where nothing was in flight.
        self.assertEqual(stream.finish(), int(any("error" in answer for answer in answers)))
        self.assertEqual(stream.rest_of_output(), [])
        return answers

    def killed(self, **policy):
        def faults(server, until):
            for count in (300, 800, 1300):
                until(count)
                server.kill()
                until(count + 200)
                server.restart()

        users = [i % 1000 + 1 for i in range(2400)]
        answers = self.paced(users, faults, ["redis_unavailable"], **policy)
        failed = ["error" in a for a in answers]
        self.assertFalse(any(failed[:300]))
        self.assertTrue(all(any(failed[count:count + 300]) for count in (300, 800, 1300)))
        self.assertFalse(any(failed[-50:]), "not right again in the end")

    def test_killed_and_restarted_in_the_middle_of_a_stream(self):
        self.killed()

    def test_killed_and_restarted_with_two_in_flight(self):
        self.killed(max_inflight=2)

    def test_killed_with_a_full_queue(self):
        # As fast as it goes, with far more waiting than may be in flight.
        server = self.server()
        server.save()
        stream = self.start([endpoint(server.port, max_inflight=4)], "--concurrency", "256")
        users = [i % 1000 + 1 for i in range(30000)]
        feeder = threading.Thread(target=stream.send, args=(b"".join(map(request, users)),), daemon=True)
        feeder.start()
        right = failed = 0
        for i, user in enumerate(users):
            if i in (2000, 12000):
                server.kill()
            if i in (4000, 20000):
                server.restart()
                time.sleep(0.1)
            answer = stream.answer()
            if "error" in answer:
                self.assert_failed(answer, user, "redis_unavailable")
                failed += 1
            else:
                self.assert_right(answer, user)
                right += 1
        feeder.join()
        self.assertGreater(right, 2000)
        self.assertGreater(failed, 1000)
        self.assertEqual(stream.finish(), 1)

    def test_stopped_for_shorter_and_longer_than_a_connection_lives(self):
        server = self.server()
        stream = self.start([endpoint(server.port, request_timeout_ms=150)])
        self.assert_right(stream.ask(1), 1)
        took = []
        for pause in (0.4, 1.6):
            server.pause()
            try:
                end = time.monotonic() + pause
                user = 10
                while time.monotonic() < end:
                    start = time.monotonic()
                    answer = stream.ask(user)
                    self.assert_failed(answer, user, "redis_timeout", "redis_unavailable")
                    if code_of(answer) == "redis_timeout":
                        took.append(time.monotonic() - start)
                    user += 1
            finally:
                server.go_on()
            self.ask_until_right(stream, 500, "redis_timeout", "redis_unavailable")
            for user in range(501, 601):  # late replies of the others come first
                self.assert_right(stream.ask(user), user)
        self.assert_took(min(took), 0.15, 0.17)

    def test_stopped_under_load_with_many_in_flight(self):
        def faults(server, until):
            for count, pause in ((300, 0.1), (600, 0.35), (1000, 1.3)):
                until(count)
                server.pause()
                time.sleep(pause)
                server.go_on()

        users = [i % 997 + 1 for i in range(3000)]
        answers = self.paced(users, faults, ["redis_timeout", "redis_unavailable"], request_timeout_ms=200)
        self.assertTrue(any(code_of(a) == "redis_timeout" for a in answers))
        self.assertFalse(any("error" in a for a in answers[-50:]))

    def test_clients_killed_by_the_server(self):
        def faults(server, until):
            for count in range(100, 1200, 50):
                until(count)
                server.send(("CLIENT", "KILL", "TYPE", "normal"))

        answers = self.paced([i % 1000 + 1 for i in range(1600)], faults, ["redis_unavailable"])
        self.assertGreater(sum("error" not in a for a in answers), 800)

    def test_a_server_that_takes_no_more_clients(self):
        server = self.server()
        server.send(("CONFIG", "SET", "maxclients", "1"))
        time.sleep(0.1)  # the place of this one is free again
        blocker = self.start([endpoint(server.port)])
        self.assert_right(blocker.ask(1), 1)
        stream = self.start([endpoint(server.port)])
        for user in range(1, 20):
            self.assert_failed(stream.ask(user), user, "redis_unavailable")
            time.sleep(0.01)
        self.assertEqual(blocker.finish(), 0)
        self.ask_until_right(stream, 2, "redis_unavailable")


class Access(FaultCase):
    def test_a_password_that_is_needed_and_one_that_is_wrong(self):
        server = self.server("--requirepass", "s3cret%s:@/", users=())
        server.send(("AUTH", "s3cret%s:@/"), *[("HSET", f"user:{u}", "n", n_of(u)) for u in range(1, 50)])
        with_password = {**endpoint(server.port), "password_env": "STORE_PASSWORD"}
        stream = self.start([with_password], env={"STORE_PASSWORD": "s3cret%s:@/"})
        for user in range(1, 50):
            self.assert_right(stream.ask(user), user)
        self.assertEqual(stream.finish(), 0)
        stream = self.start([with_password], env={"STORE_PASSWORD": "s3cret"})
        for user in range(1, 5):
            answer = stream.ask(user)
            self.assert_failed(answer, user, "redis_unavailable")
            self.assertIn("WRONGPASS", answer["error"]["message"])
            self.assertNotIn("s3cret", json.dumps(answer))
        self.assertEqual(stream.finish(), 1)
        self.assertNotIn(b"s3cret", stream.err[0])
        stream = self.start([endpoint(server.port)])
        for user in range(1, 5):
            answer = stream.ask(user)
            self.assert_failed(answer, user, "redis_error")  # it was reached, and refused the command
            self.assertIn("NOAUTH", answer["error"]["message"])

    def test_a_password_that_is_changed_while_the_connection_lives(self):
        server = self.server()
        with_password = {**endpoint(server.port), "password_env": "STORE_PASSWORD"}
        server.send(("CONFIG", "SET", "requirepass", "old"))
        stream = self.start([with_password], env={"STORE_PASSWORD": "old"})
        self.assert_right(stream.ask(1), 1)
        server.send(("AUTH", "old"), ("CONFIG", "SET", "requirepass", "new"))
        self.assert_right(stream.ask(2), 2)  # who is in stays in
        server.send(("AUTH", "new"), ("CLIENT", "KILL", "TYPE", "normal"))
        time.sleep(0.1)
        self.assert_failed(stream.ask(3), 3, "redis_unavailable")
        server.send(("AUTH", "new"), ("CONFIG", "SET", "requirepass", "old"))
        self.ask_until_right(stream, 4, "redis_unavailable")

    def test_what_an_acl_denies_fails_the_requests_that_need_it(self):
        server = self.server()
        server.send(("ACL", "SETUSER", "reader", "on", ">pw", "~user:1*", "+hgetall", "+hmget"),
                    ("ACL", "SETUSER", "blind", "on", ">pw", "~*", "+lrange"))

        def as_user(name):
            return self.start([{**endpoint(server.port), "username_env": "STORE_USER", "password_env": "STORE_PASSWORD"}],
                              env={"STORE_USER": name, "STORE_PASSWORD": "pw"})

        stream = as_user("reader")
        users = list(range(1, 200))
        stream.send(b"".join(map(request, users)))
        for user in users:
            answer = stream.answer()
            if str(user).startswith("1"):
                self.assert_right(answer, user)
            else:
                self.assert_failed(answer, user, "redis_error")
                self.assertIn("NOPERM", answer["error"]["message"])
        self.assertEqual(stream.finish(), 1)
        stream = as_user("blind")
        self.assert_failed(stream.ask(1), 1, "redis_error")
        stream = as_user("nobody")
        self.assert_failed(stream.ask(1), 1, "redis_unavailable")


class Bytes(FaultCase):
    TEXTS = ["%s%n%d 100%", "a\r\nb\r\n$5\r\nhello\r\n", "\x00", "\x00\x01\x1f\x7f", "é ü 日本語 😀", "'\"\\/\b\f",
             "*3\r\n$6\r\nCONFIG\r\n", " ", "\u2028\u2029", "{id}", "x" * 100_000, "😀" * 30_000]

    def test_keys_and_values_arrive_byte_for_byte(self):
        server = self.server(users=())
        commands = []
        for i, text in enumerate(self.TEXTS, 1):
            data = text.encode()
            commands.append(("HSET", f"user:{i}", "country", data))
            commands.append(("HSET", b"%s:" + data + b":100%", "title", data + b"|" + data, "tag", str(i)))
        server.send(*commands)
        stream = self.start([endpoint(server.port)], plan_name="bytes", plans={"bytes": BYTES})
        stream.send(b"".join(map(request, range(1, len(self.TEXTS) + 1))))
        for i, text in enumerate(self.TEXTS, 1):
            fields = stream.answer()["candidates"][0]["fields"]
            self.assertEqual(fields, {"country": text, "title": text + "|" + text, "tag": str(i)})
        self.assertEqual(stream.finish(), 0)

    def test_they_arrive_by_a_password_and_a_user_too(self):
        password = "p\r\n%s \x01é"
        server = self.server()
        server.send(("ACL", "SETUSER", "odd%s", "on", ">" + password, "~*", "+@all"))
        stream = self.start([{**endpoint(server.port), "username_env": "U", "password_env": "P"}],
                            env={"U": "odd%s", "P": password})
        self.assert_right(stream.ask(1), 1)


class Descriptors(FaultCase):
    def test_a_limit_of_32_descriptors_over_a_server_that_comes_and_goes(self):
        server = self.server()
        server.save()
        stream = self.start([endpoint(server.port)], before=["prlimit", "--nofile=32:32", "--"])
        for _ in range(4):
            self.ask_until_right(stream, 7, "redis_unavailable")
            for user in range(1, 100):
                self.assert_right(stream.ask(user), user)
            server.kill()
            for user in range(1, 40):
                self.assert_failed(stream.ask(user), user, "redis_unavailable")
                time.sleep(0.002)
            server.restart()
        open_now = len(os.listdir(f"/proc/{stream.process.pid}/fd"))
        self.assertLess(open_now, 20)
        self.assertEqual(stream.finish(), 1)

    def test_no_descriptor_left_for_a_connection_is_an_error_of_the_node(self):
        server = self.server()
        count = 30
        nodes = [{"node_id": f"v{i}", "op": "viewer", "params": {"endpoint": f"s{i}", "fields": ["n"]}}
                 for i in range(count)]
        nodes.append({"node_id": "c", "op": "concat", "inputs": [f"v{i}" for i in range(count)]})
        folder = PlanDir({"view": VIEW, "wide": plan("wide", nodes)},
                         endpoints=[endpoint(server.port)] + [endpoint(server.port, name=f"s{i}") for i in range(count)])
        self.addCleanup(folder.__exit__)
        stream = Stream(["prlimit", "--nofile=24:24", "--", self.rankd, "--plan_name", "view", "--plan_dir", folder.path])
        self.addCleanup(stream.kill)
        self.assert_right(stream.ask(1), 1)
        for user in range(2, 6):
            answer = stream.ask(user, plan="wide")
            self.assert_failed(answer, user, "redis_unavailable")
            self.assertIn("too many open files", answer["error"]["message"])
            self.assert_right(stream.ask(user), user)
        self.assertEqual(stream.finish(), 1)


if __name__ == "__main__":
    FaultCase.rankd = os.path.abspath(sys.argv[1])
    FaultCase.slow = "--slow" in sys.argv
    run_side_by_side(sys.modules["__main__"])
