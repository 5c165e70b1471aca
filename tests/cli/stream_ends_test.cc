// InputReader and OutputWriter over files, pipes and what is broken: what is at hand goes at once,
// the rest by a thread, and the listener cannot tell which.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/input_reader.h"
#include "cli/output_writer.h"
#include "engine/io/uv_loop.h"

namespace rankd {
namespace {

struct Pipe {
  Pipe() { REQUIRE(pipe2(ends, O_CLOEXEC) == 0); }
  ~Pipe() {
    CloseRead();
    CloseWrite();
  }
  void CloseRead() { Close(ends[0]); }
  void CloseWrite() { Close(ends[1]); }
  int ends[2] = {-1, -1};

 private:
  static void Close(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
};

/// Asks for block after block until the end.
class WholeReader final : public InputListener {
 public:
  WholeReader(int descriptor, UvLoop& loop) : loop_(loop), reader_(descriptor, loop, *this) {}

  void Run() {
    reader_.RequestBlock();
    CHECK(calls_ == 0);  // never from within
    loop_.Run();
  }
  std::string text;
  int error = 0;
  std::function<void()> then;  ///< Called when a block has come and the next has been asked for.

 private:
  void OnInput(std::string_view bytes) override {
    ++calls_;
    REQUIRE(!bytes.empty());
    CHECK_FALSE(reader_.reading());
    text += bytes;
    reader_.RequestBlock();
    if (then) then();
  }
  void OnInputEnd(int code) override {
    ++calls_;
    error = code;
    loop_.Stop();
  }

  UvLoop& loop_;
  InputReader reader_;
  int calls_ = 0;
};

TEST_CASE("a file is read to its end, from where it stands") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  const std::string text(700'000, 'x');
  REQUIRE(std::fwrite(text.data(), 1, text.size(), file) == text.size());
  REQUIRE(std::fflush(file) == 0);
  REQUIRE(lseek(fileno(file), 3, SEEK_SET) == 3);
  UvLoop loop;
  WholeReader reads(fileno(file), loop);
  reads.Run();
  CHECK(reads.text == text.substr(3));
  CHECK(reads.error == 0);
  std::fclose(file);
}

TEST_CASE("a pipe is read as it is written, at hand and waited for") {
  Pipe pipe;
  REQUIRE(write(pipe.ends[1], "at hand ", 8) == 8);
  UvLoop loop;
  WholeReader reads(pipe.ends[0], loop);
  // Each part when the one before has been read and nothing more was there: it is waited for.
  std::vector<std::string> parts = {"last", "later ", "late "};
  reads.then = [&] {
    if (parts.empty()) return pipe.CloseWrite();
    const std::string part = std::move(parts.back());
    parts.pop_back();
    REQUIRE(write(pipe.ends[1], part.data(), part.size()) == static_cast<ssize_t>(part.size()));
  };
  reads.Run();
  CHECK(reads.text == "at hand late later last");
  CHECK(reads.error == 0);
}

TEST_CASE("a read that fails ends the input with its reason") {
  UvLoop loop;
  Pipe pipe;
  // Nobody would ever make it readable.
  WholeReader wrong_end(pipe.ends[1], loop);
  wrong_end.Run();
  CHECK(wrong_end.error == EBADF);
  WholeReader directory(open("/", O_RDONLY | O_CLOEXEC), loop);
  directory.Run();
  CHECK(directory.error == EISDIR);
}

TEST_CASE("a reader that waits, or has never read, can go") {
  UvLoop loop;
  Pipe pipe;
  struct Silent final : InputListener {
    void OnInput(std::string_view) override { FAIL("no input"); }
    void OnInputEnd(int) override { FAIL("no end"); }
  } silent;
  InputReader idle(pipe.ends[0], loop, silent);
  InputReader waiting(pipe.ends[0], loop, silent);
  waiting.RequestBlock();
  CHECK(waiting.reading());
}

class LineWriter final : public OutputListener {
 public:
  LineWriter(int descriptor, UvLoop& loop) : loop_(loop), writer(descriptor, loop, *this) {}

  /// 0 or an errno.
  int Write(const std::string& text) {
    writer.buffer() += text;
    writer.Flush();
    CHECK(writer.writing());
    loop_.Run();
    CHECK_FALSE(writer.writing());
    return error_;
  }

 private:
  void OnWritten(int error) override {
    error_ = error;
    loop_.Stop();
  }

  UvLoop& loop_;
  int error_ = -1;

 public:
  OutputWriter writer;
};

std::string Lines(std::size_t count) {
  std::string lines;
  for (std::size_t i = 0; i < count; ++i) lines += "line " + std::to_string(i) + "\n";
  return lines;
}

constexpr std::size_t kCounts[] = {1, 3, 100'000, 2, 50, 1'000, 1};

TEST_CASE("few lines and many reach a pipe's reader whole and in order") {
  Pipe pipe;
  std::string expected;
  for (const std::size_t count : kCounts) expected += Lines(count);
  std::string read_back;
  std::thread reader([&] {
    char block[4096];
    while (read_back.size() < expected.size()) {
      const ssize_t got = read(pipe.ends[0], block, sizeof block);
      REQUIRE(got > 0);
      read_back.append(block, static_cast<std::size_t>(got));
    }
  });
  UvLoop loop;
  LineWriter writes(pipe.ends[1], loop);
  for (const std::size_t count : kCounts) {
    CHECK(writes.Write(Lines(count)) == 0);
  }
  reader.join();
  CHECK(read_back == expected);
  CHECK(writes.writer.taken() == expected.size());
}

TEST_CASE("a few lines wait for a full pipe, and the loop does not") {
  Pipe pipe;
  const int capacity = fcntl(pipe.ends[1], F_SETPIPE_SZ, 4096);
  REQUIRE(capacity == 4096);
  UvLoop loop;
  LineWriter writes(pipe.ends[1], loop);
  CHECK(writes.Write(std::string(4095, 'a') + "\n") == 0);
  // The loop itself makes room, once it has gone round three times with the lines waiting.
  struct Rounds final : LoopTask {
    Rounds(UvLoop& its_loop, int its_pipe) : on(its_loop), pipe_end(its_pipe) {}
    void OnLoop() override {
      if (++count < 3) return on.Post(*this);
      std::string block(4096, '\0');
      REQUIRE(read(pipe_end, block.data(), block.size()) == 4096);
    }
    UvLoop& on;
    int pipe_end;
    int count = 0;
  } rounds(loop, pipe.ends[0]);
  loop.Post(rounds);
  CHECK(writes.Write("late\n") == 0);
  CHECK(rounds.count >= 3);
  std::string block(5000, '\0');
  REQUIRE(read(pipe.ends[0], block.data(), block.size()) == 5);
  CHECK(block.starts_with("late\n"));
}

TEST_CASE("a pipe with little room takes whole lines, while the loop goes round") {
  Pipe pipe;
  constexpr std::size_t kRoom = 8192;
  REQUIRE(fcntl(pipe.ends[1], F_SETPIPE_SZ, kRoom) == kRoom);
  UvLoop loop;
  LineWriter writes(pipe.ends[1], loop);
  // The loop itself reads what there is.
  struct Reader final : LoopTask {
    Reader(UvLoop& its_loop, int its_pipe) : on(its_loop), pipe_end(its_pipe) {}
    void OnLoop() override {
      Read();
      on.Post(*this);
    }
    void Read() {
      int unread = 0;
      REQUIRE(ioctl(pipe_end, FIONREAD, &unread) == 0);
      if (unread == 0) return;
      std::string block(kRoom, '\0');
      const ssize_t got = read(pipe_end, block.data(), block.size());
      REQUIRE(got > 0);
      text.append(block, 0, static_cast<std::size_t>(got));
      CHECK(text.ends_with('\n'));
    }
    UvLoop& on;
    int pipe_end;
    std::string text;
  } reader(loop, pipe.ends[0]);
  loop.Post(reader);
  const std::string lines = Lines(3'000);  // four times what the pipe holds, and little enough
  REQUIRE(lines.size() > 3 * kRoom);
  CHECK(writes.Write(lines) == 0);
  reader.Read();
  CHECK(reader.text == lines);
}

TEST_CASE("files take few lines and many") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  UvLoop loop;
  LineWriter writes(fileno(file), loop);
  CHECK(writes.Write(Lines(2)) == 0);
  CHECK(writes.Write(Lines(50'000)) == 0);
  CHECK(writes.Write(Lines(1)) == 0);
  const std::string expected = Lines(2) + Lines(50'000) + Lines(1);
  std::string text(expected.size() + 1, '\0');
  std::rewind(file);
  CHECK(std::fread(text.data(), 1, text.size(), file) == expected.size());
  text.resize(expected.size());
  CHECK(text == expected);
  std::fclose(file);
}

TEST_CASE("a write that fails says why, with few lines and with many") {
  std::signal(SIGPIPE, SIG_IGN);
  UvLoop loop;
  Pipe pipe;
  pipe.CloseRead();
  LineWriter writes(pipe.ends[1], loop);
  CHECK(writes.Write("x\n") == EPIPE);
  CHECK(writes.Write(Lines(10'000)) == EPIPE);
  LineWriter full(open("/dev/full", O_WRONLY | O_CLOEXEC), loop);
  CHECK(full.Write("x\n") == ENOSPC);
}

}  // namespace
}  // namespace rankd
