#include "cli/bench/bench_lanes.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>

#include "cli/bench/answer_sink.h"
#include "cli/session_loop.h"
#include "engine/io/member_calls.h"
#include "engine/io/short_slice.h"
#include "engine/wire/request.h"

namespace rankd {
namespace {

/// How much later than the runners themselves a stop gives up runners that are stuck.
constexpr std::chrono::milliseconds kStuckGrace{60};

/// As many lanes as have something to do.
std::size_t LanesOf(const Session& session, const BenchLoad& load) {
  return static_cast<std::size_t>(
      std::min<std::uint64_t>({session.loops().size(), load.places, load.iterations}));
}

/// The load of lane `number` of `lanes`: its part of the places.
BenchLoad ShareOf(const BenchLoad& load, std::size_t number, std::size_t lanes) {
  BenchLoad part = load;
  part.places = load.places / lanes + static_cast<std::size_t>(number < load.places % lanes);
  return part;
}

}  // namespace

class BenchLanes::Lane {
 public:
  Lane(BenchLanes& lanes, SessionLoop& loop, const BenchLoad& load,
       std::span<const BenchRequest> requests)
      : lanes_(lanes),
        loop_(loop.loop()),
        parser_(loop.request_options(), loop.plan_lookup()),
        runner_(load, lanes.supplies_, requests, loop.services(), parser_, loop.run_defaults(),
                loop.records()),
        sink_(loop_, runner_) {}
  ~Lane() {
    if (!thread_.joinable()) return;
    loop_.Stop();
    thread_.join();
  }

  void Start() {
    loop_.Post(start_);
    if (has_thread()) thread_ = std::thread([this] { TurnLoop(); });
  }
  void Stop(Duration grace) {
    grace_ = grace;
    loop_.Post(stop_);
  }
  void OnRecordsProgress() {
    if (!wake_posted_.exchange(true)) loop_.Post(wake_);
  }

  bool done() const { return done_; }
  const BenchRunner& runner() const { return runner_; }

 private:
  bool has_thread() const { return &loop_ != &lanes_.session_.loop(); }

  // On the lane's loop.
  void TurnLoop() {
    try {
      AskForShortSlices();
      loop_.Run();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    lanes_.session_.loop().Post(done_call_);
  }
  void StartRunner() {
    runner_.Start(sink_, [this] {
      if (has_thread()) {
        loop_.Stop();  // what is abandoned must not go on while others read the runner
      } else {
        loop_.Post(done_call_);
      }
    });
  }
  void StopRunner() { runner_.Stop(grace_); }
  void WakeRunner() {
    wake_posted_.store(false);
    runner_.OnRecordsProgress();
  }

  // On the session's.
  void OnDone() {
    if (thrown_) std::rethrow_exception(thrown_);
    done_ = true;
    lanes_.OnLaneDone();
  }

  BenchLanes& lanes_;
  UvLoop& loop_;
  RequestParser parser_;
  BenchRunner runner_;
  DrainedPipe sink_;
  Duration grace_{};  ///< Before stop_ is posted.
  bool done_ = false;
  std::exception_ptr thrown_;  ///< Before done_call_ is posted.
  std::atomic<bool> wake_posted_ = false;
  MemberTask<Lane, &Lane::StartRunner> start_{*this};
  MemberTask<Lane, &Lane::StopRunner> stop_{*this};
  MemberTask<Lane, &Lane::WakeRunner> wake_{*this};
  MemberTask<Lane, &Lane::OnDone> done_call_{*this};
  std::thread thread_;
};

BenchLanes::BenchLanes(Session& session, const BenchLoad& load,
                       std::span<const BenchRequest> requests)
    : session_(session), supplies_(load, LanesOf(session, load)) {
  const std::size_t lanes = LanesOf(session, load);
  for (std::size_t number = 0; number < lanes; ++number) {
    lanes_.push_back(std::make_unique<Lane>(*this, *session.loops()[number],
                                            ShareOf(load, number, lanes), requests));
  }
}

BenchLanes::~BenchLanes() { session_.record_files().set_on_progress({}); }

void BenchLanes::Run() {
  session_.record_files().set_on_progress([this] {
    for (const auto& lane : lanes_) {
      if (!lane->done()) lane->OnRecordsProgress();
    }
  });
  for (const auto& lane : lanes_) lane->Start();
  AskForShortSlices();
  session_.loop().Run();
  session_.record_files().set_on_progress({});
  give_up_timer_.Disarm();
}

void BenchLanes::Stop(Duration grace) {
  if (std::exchange(stopped_, true)) return;
  for (const auto& lane : lanes_) lane->Stop(grace);
  session_.loop().Arm(give_up_timer_, session_.loop().Now() + grace + kStuckGrace);
}

void BenchLanes::GiveUp() { session_.loop().Stop(); }

void BenchLanes::OnLaneDone() {
  if (++done_ == lanes_.size()) session_.loop().Stop();
}

bool BenchLanes::abandoned() const {
  return std::ranges::any_of(
      lanes_, [](const auto& lane) { return !lane->done() || lane->runner().abandoned(); });
}

BenchTally BenchLanes::tally() const {
  BenchTally whole;
  for (const auto& lane : lanes_) {
    if (lane->done()) whole.Add(lane->runner().tally());
  }
  return whole;
}

std::vector<const BenchRunner*> BenchLanes::runners() const {
  std::vector<const BenchRunner*> runners;
  for (const auto& lane : lanes_) runners.push_back(&lane->runner());
  return runners;
}

}  // namespace rankd
