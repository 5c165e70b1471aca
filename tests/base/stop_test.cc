#include "engine/base/stop.h"

#include <memory>
#include <vector>

#include <doctest/doctest.h>

namespace rankd {
namespace {

class Recorder final : public StopCallback {
 public:
  Recorder(std::vector<int>& told, int number) : told_(told), number_(number) {}
  void OnStop() override {
    told_.push_back(number_);
    if (victim != nullptr) victim->reset();
  }
  std::unique_ptr<Recorder>* victim = nullptr;

 private:
  std::vector<int>& told_;
  int number_;
};

TEST_CASE("each callback is told once, the latest first") {
  std::vector<int> told;
  StopSource source;
  Recorder a(told, 1);
  Recorder b(told, 2);
  CHECK(source.Attach(a));
  CHECK(source.Attach(b));
  source.Stop();
  source.Stop();
  CHECK(told == std::vector<int>{2, 1});
  CHECK_FALSE(a.attached());
}

TEST_CASE("a stopped source takes no more callbacks") {
  std::vector<int> told;
  StopSource source;
  source.Stop();
  Recorder a(told, 1);
  CHECK_FALSE(source.Attach(a));
  CHECK(told.empty());
  source.Reset();
  CHECK(source.Attach(a));
  a.Detach();
}

TEST_CASE("a callback may destroy another that has not been told") {
  std::vector<int> told;
  StopSource source;
  auto first = std::make_unique<Recorder>(told, 1);
  auto second = std::make_unique<Recorder>(told, 2);
  Recorder third(told, 3);
  CHECK(source.Attach(*first));
  CHECK(source.Attach(*second));
  CHECK(source.Attach(third));
  third.victim = &second;
  source.Stop();
  CHECK(told == std::vector<int>{3, 1});
}

TEST_CASE("a destroyed callback is forgotten, wherever it stood") {
  std::vector<int> told;
  StopSource source;
  auto first = std::make_unique<Recorder>(told, 1);
  auto second = std::make_unique<Recorder>(told, 2);
  auto third = std::make_unique<Recorder>(told, 3);
  CHECK(source.Attach(*first));
  CHECK(source.Attach(*second));
  CHECK(source.Attach(*third));
  second.reset();
  third.reset();
  source.Stop();
  CHECK(told == std::vector<int>{1});
}

}  // namespace
}  // namespace rankd
