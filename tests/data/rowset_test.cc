#include "engine/data/rowset.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace rankd {
namespace {

RowSet Ids(std::vector<std::int64_t> ids) { return RowSet(Column::Make(std::move(ids))); }

SelectionRef Rows(Selection rows) { return std::make_shared<const Selection>(std::move(rows)); }

std::vector<std::int64_t> IdsOf(const RowSet& rows) {
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < rows.rows(); ++i) ids.push_back(rows.IdAt(i));
  return ids;
}

Value At(const RowSet& rows, KeyId key, std::size_t row) {
  return rows.Find(key)->At(rows.BaseRow(row));
}

constexpr KeyId kScore{1};
constexpr KeyId kOther{2};

TEST_CASE("a RowSet without rows still carries id") {
  const RowSet rows;
  CHECK(rows.rows() == 0);
  CHECK(rows.Find(kIdKey) != nullptr);
  CHECK(rows.Find(kScore) == nullptr);
}

TEST_CASE("slices follow the order and stop at the end") {
  const RowSet rows = Ids({10, 11, 12, 13}).WithSelection(Rows({3, 1, 1}));
  CHECK(IdsOf(rows.Slice(0, 2)) == std::vector<std::int64_t>{13, 11});
  CHECK(IdsOf(rows.Slice(2, 100)) == std::vector<std::int64_t>{11});
  CHECK(IdsOf(rows.Slice(7, 1)).empty());
  CHECK(rows.Slice(0, 3).selection() == rows.selection());
}

TEST_CASE("a written column follows the rows, whatever the selection") {
  const std::vector<Selection> kSelections = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0},         {1},
                                              {},           {1, 1, 2},    {0, 0, 0, 0, 0}};
  for (const Selection& selection : kSelections) {
    const RowSet base =
        Ids({10, 11, 12, 13}).WithColumn(kOther, Column::Make(Column::Ints{100, 101, 102, 103}));
    const RowSet rows = base.WithSelection(Rows(selection));
    Column::Floats values(selection.size());
    Bitmap validity(selection.size(), true);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5 + static_cast<double>(i);
    if (!values.empty()) validity.Clear(values.size() - 1);
    const RowSet written = rows.WithColumn(kScore, Column::Make(values, validity));
    REQUIRE(written.rows() == selection.size());
    for (std::size_t i = 0; i < selection.size(); ++i) {
      CHECK(written.IdAt(i) == 10 + selection[i]);
      CHECK(At(written, kOther, i) == Value(std::int64_t{100} + selection[i]));
      CHECK(At(written, kScore, i) == (i + 1 == values.size() ? Value() : Value(values[i])));
    }
  }
}

TEST_CASE("writing a key again replaces it and keeps the entries sorted") {
  RowSet rows = Ids({1}).WithColumn(kOther, Column::Make(Column::Ints{1}));
  rows = rows.WithColumn(kScore, Column::Make(Column::Floats{1.0}));
  rows = rows.WithColumn(kOther, Column::Make(Column::Ints{2}));
  REQUIRE(rows.entries().size() == 3);
  CHECK(rows.entries()[1].key == kScore);
  CHECK(At(rows, kOther, 0) == Value(std::int64_t{2}));
}

TEST_CASE("compacting keeps rows and drops the selection") {
  const RowSet rows = Ids({10, 11, 12}).WithSelection(Rows({2, 2, 0})).Compact();
  CHECK(rows.selection() == nullptr);
  CHECK(IdsOf(rows) == std::vector<std::int64_t>{12, 12, 10});
}

TEST_CASE("copies keep their rows whatever becomes of one another") {
  RowSet first = Ids({10, 11, 12});
  const RowSet copy = first;
  RowSet chosen = std::move(first).WithSelection(Rows({2, 0}));
  CHECK(IdsOf(copy) == std::vector<std::int64_t>{10, 11, 12});
  CHECK(IdsOf(chosen) == std::vector<std::int64_t>{12, 10});
  // Nobody else has it: the selection is replaced in place.
  chosen = std::move(chosen).WithSelection(Rows({1}));
  CHECK(IdsOf(chosen) == std::vector<std::int64_t>{11});
  CHECK(IdsOf(std::move(chosen).WithSelection(nullptr)) == std::vector<std::int64_t>{10, 11, 12});
}

TEST_CASE("rows for another thread share columns, and stay when the others go") {
  RowSet rows = Ids({10, 11, 12}).WithSelection(Rows({2, 1}));
  const RowSet copy = rows;
  RowSet detached = rows.Detached();
  CHECK(&detached.ids() == &rows.ids());
  CHECK(detached.selection() == rows.selection());
  const RowSet moved = std::move(rows).MovedOut();  // has a copy, which keeps what it has
  CHECK(IdsOf(copy) == std::vector<std::int64_t>{12, 11});
  const RowSet chosen = std::move(detached).WithSelection(Rows({0}));
  CHECK(IdsOf(chosen) == std::vector<std::int64_t>{10});
  CHECK(IdsOf(moved) == std::vector<std::int64_t>{12, 11});
}

TEST_CASE("threads take copies of rows that one of them holds") {
  for (int round = 0; round < 20; ++round) {
    auto shared = std::make_unique<SharedRows>(Ids({1, 2, 3}));
    std::vector<std::jthread> threads;
    std::atomic<int> right = 0;
    // Of twelve threads some are late for a slot, and some never ask for one.
    for (int i = 0; i < 12; ++i) {
      threads.emplace_back([&right, &shared, i, detached = shared->Get().Detached()]() mutable {
        if (i % 3 > 0) ClaimThreadSlot();
        RowSet rows = i % 2 == 0 ? shared->Get() : std::move(detached);
        for (int copies = 0; copies < 1000; ++copies) {
          RowSet copy = rows;
          copy = std::move(copy).WithSelection(Rows({1}));
          rows = copies % 2 == 0 ? std::move(copy).WithSelection(nullptr) : copy.Detached();
        }
        right += static_cast<int>(rows.IdAt(0) == 2);
      });
    }
    const RowSet kept = shared->Get().Detached();
    threads.clear();
    shared.reset();
    CHECK(right == 12);
    CHECK(IdsOf(kept) == std::vector<std::int64_t>{1, 2, 3});
  }
}

TEST_CASE("rows are moved, copied and dropped without a branch as with one") {
  RowSetDropper dropper;
  dropper.Begin();
  RowSet rows = Ids({7});
  RowSet copy = RowSet::MovedIf(rows, false);
  CHECK(IdsOf(copy) == IdsOf(rows));
  dropper.Drop(copy);
  CHECK(copy.absent());
  dropper.Drop(copy);
  CHECK(copy.absent());
  const RowSet moved = RowSet::MovedIf(rows, true);
  CHECK(rows.absent());
  CHECK(IdsOf(moved) == std::vector<std::int64_t>{7});
}

TEST_CASE("a null for a key that forbids it names the key and the first row") {
  Schema schema;
  KeySpec score;
  score.name = "score";
  score.type = ValueType::kFloat;
  score.nullable = false;
  const KeyId key = schema.AddKey(score);
  const RowSet rows = Ids({10, 11, 12}).WithSelection(Rows({2, 1}));
  Bitmap validity(2, true);
  validity.Clear(1);
  const ColumnRef column = Column::Make(Column::Floats{1, 2}, validity);
  const Result<void> checked = CheckNulls(schema, key, *column, rows);
  REQUIRE_FALSE(checked.has_value());
  CHECK(checked.error().code == ErrorCode::kNullValue);
  CHECK(checked.error().message == "key \"score\" may not be null, but is for id 11");
  CHECK_FALSE(FillColumn(schema, key, 1, 7).has_value());
  CHECK(FillColumn(schema, key, 0, 0).has_value());
  score.default_value = 0.25;
  schema.SetKey(key, score);
  CHECK((*FillColumn(schema, key, 2, 7))->At(1) == Value(0.25));
}

}  // namespace
}  // namespace rankd
