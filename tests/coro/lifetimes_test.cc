// Counts constructions and destructions around co_await, in the forms the project uses: g++ 12
// destroys some temporaries twice, and these forms are the ones that are right.
#include <set>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "engine/coro/co.h"
#include "tests/support/started.h"

namespace rankd {
namespace {

/// Every living object by address: a second destruction is noticed even if the sum is right.
struct Ledger {
  std::set<const void*> living;
  int made = 0;
  int errors = 0;
};

class Counted {
 public:
  explicit Counted(Ledger* ledger) : ledger_(ledger) { Make(); }
  Counted(const Counted& other) : ledger_(other.ledger_) { Make(); }
  Counted(Counted&& other) noexcept : ledger_(other.ledger_) { Make(); }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) = default;
  int One() const { return 1; }
  ~Counted() {
    if (ledger_->living.erase(this) != 1) ++ledger_->errors;
  }

 private:
  void Make() {
    ++ledger_->made;
    if (!ledger_->living.insert(this).second) ++ledger_->errors;
  }
  Ledger* ledger_;
};

/// With a constructor, as structs that travel into coroutines have.
struct Parcel {
  Parcel(Counted first, std::string second) : counted(std::move(first)), text(std::move(second)) {}
  Counted counted;
  std::string text;
};

struct Aggregate {
  Counted counted;
  std::string text;
};

Co<int> TakeCounted(Counted) { co_return 1; }
Co<int> TakeParcel(Parcel parcel) { co_return static_cast<int>(parcel.text.size()); }
Co<int> TakeAggregate(Aggregate aggregate) { co_return static_cast<int>(aggregate.text.size()); }
template <typename F>
Co<int> TakeCallable(F f) {
  co_return f();
}
Co<Counted> ReturnCounted(Ledger* ledger) { co_return Counted(ledger); }

Co<int> EveryForm(Ledger* ledger) {
  int sum = 0;
  sum += co_await TakeCounted(Counted(ledger));
  Counted named(ledger);
  sum += co_await TakeCounted(named);
  sum += co_await TakeCounted(std::move(named));
  sum += co_await TakeParcel(Parcel(Counted(ledger), "four and more than fifteen bytes"));
  Parcel parcel(Counted(ledger), "abc");
  sum += co_await TakeParcel(std::move(parcel));
  Aggregate aggregate{Counted(ledger), "a text that does not fit into the object itself"};
  sum += co_await TakeAggregate(std::move(aggregate));
  const Counted captured(ledger);
  auto callable = [captured] { return captured.One(); };
  sum += co_await TakeCallable(std::move(callable));
  const Counted result = co_await ReturnCounted(ledger);
  static_cast<void>(result);
  co_return sum;
}

TEST_CASE("everything that goes through co_await is destroyed exactly once") {
  Ledger ledger;
  {
    Started<int> run(EveryForm(&ledger));
    CHECK(run.result() == 1 + 1 + 1 + 32 + 3 + 47 + 1);
  }
  CHECK(ledger.errors == 0);
  CHECK(ledger.living.empty());
  CHECK(ledger.made > 10);
}

TEST_CASE("a coroutine that never starts destroys its parameters") {
  Ledger ledger;
  { Co<int> never = TakeParcel(Parcel(Counted(&ledger), "x")); }
  CHECK(ledger.errors == 0);
  CHECK(ledger.living.empty());
}

TEST_CASE("the result is destroyed with the coroutine when nobody takes it") {
  Ledger ledger;
  {
    Started<Counted> run(ReturnCounted(&ledger));
    CHECK(run.done());
  }
  CHECK(ledger.errors == 0);
  CHECK(ledger.living.empty());
}

}  // namespace
}  // namespace rankd
