// How fast columns are: fixed rows -> vm `score = id * 0.37 + n / 3` -> filter `score >= c &&
// country in [...]`, which keeps half -> sort by score, descending -> take 100, as a graph that is
// built once and run again and again on one thread. Beside it the floor: plain C++ for just this
// plan. Both must give the same rows.
//
// usage: columns [--json] [--only rankd|floor] [--rows N] [--rounds N] [--runs N]
//
// Rows are made before the clock starts and handed out by a source. Nanoseconds a row: the median
// of the rounds, in which the candidates take turns. columns.py adds DuckDB on the same rows.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/columns_rows.h"
#include "bench/graph_runner.h"
#include "bench/rounds.h"
#include "engine/task/spec.h"
#include "tasks/builtin.h"

namespace rankd {
namespace {

/// Rows to go through in one round, so that few rows are timed over many runs.
constexpr std::size_t kRowsPerRound = 2'000'000;

class PrebuiltRows final : public CpuTask {
 public:
  explicit PrebuiltRows(RowSet rows) : rows_(std::move(rows)) {}

  KeySet OutputKeys(std::span<const KeySet>) const override {
    KeySet keys;
    for (const RowSet::Entry& entry : rows_.rows().entries()) keys.Add(entry.key);
    return keys;
  }
  Result<RowSet> Run(const NodeContext&) const override { return rows_.Get(); }
  Placement placement() const override { return Placement::kInline; }
  CpuCost cost() const override { return {.fixed_ns = 50}; }

 private:
  SharedRows rows_;
};

std::unique_ptr<const Task> MakePrebuilt(TaskBuilder& builder) {
  const std::optional<std::int64_t> count = builder.Count("count", 1, 100'000'000, 1);
  const std::optional<KeyId> n = builder.schema().FindKey("n");
  const std::optional<KeyId> country = builder.schema().FindKey("country");
  if (!count || !n || !country) return nullptr;
  PlainRows plain = MakePlainRows(static_cast<std::size_t>(*count));
  DictionaryBuilder dictionary;
  for (const std::string_view name : kCountries) dictionary.Intern(name);
  std::vector<RowSet::Entry> entries{
      {kIdKey, Column::Make(std::move(plain.id))},
      {*n, Column::Make(std::move(plain.n))},
      {*country, Column::Make(Column::Strings{.codes = std::move(plain.country),
                                              .dictionary = std::move(dictionary).Finish()})}};
  std::ranges::sort(entries, {}, &RowSet::Entry::key);
  return std::make_unique<PrebuiltRows>(RowSet(std::move(entries)));
}

TaskCatalog Catalog() {
  static constexpr ParamDoc kParams[] = {{"count", "int", true, "", "how many rows"}};
  static constexpr TaskSpec kPrebuilt = {.op = "prebuilt",
                                         .doc = "Rows made when the graph is built.",
                                         .min_inputs = 0,
                                         .max_inputs = 0,
                                         .takes_rhs = false,
                                         .kind = "inline",
                                         .params = kParams,
                                         .make = MakePrebuilt};
  static const std::vector<const TaskSpec*> specs = [] {
    const std::span<const TaskSpec* const> builtin = BuiltinTasks().all();
    std::vector<const TaskSpec*> all(builtin.begin(), builtin.end());
    all.push_back(&kPrebuilt);
    return all;
  }();
  return TaskCatalog(specs);
}

std::shared_ptr<const Graph> GraphOf(std::size_t rows, double cut) {
  char bound[40];
  std::snprintf(bound, sizeof(bound), "%.17g", cut);
  std::string countries;
  for (std::size_t i = 0; i < kKeptCountries; ++i) {
    countries += (i == 0 ? "'" : ", '") + std::string(kCountries[i]) + "'";
  }
  const std::string nodes =
      R"({"node_id":"rows","op":"prebuilt","params":{"count":)" + std::to_string(rows) +
      R"(}},{"node_id":"vm","op":"vm","inputs":["rows"],)"
      R"("params":{"out_key":"score","expr":"id * 0.37 + n / 3"}},)"
      R"({"node_id":"keep","op":"filter","inputs":["vm"],"params":{"pred":"score >= )" +
      bound + " && country in [" + countries +
      R"(]"}},{"node_id":"sort","op":"sort","inputs":["keep"],)"
      R"("params":{"key":"score","order":"desc"}},)"
      R"({"node_id":"take","op":"take","inputs":["sort"],"params":{"count":)" +
      std::to_string(kTaken) + "}}";
  return BuildOrExit(Catalog(), nodes, R"("take")",
                     R"({"n":"int","country":"string","score":"float"})");
}

/// What the plan gives, in plain C++: one pass that computes and keeps without a branch, then a
/// partial sort. Its memory is kept from run to run.
class Floor {
 public:
  struct Row {
    double score;
    std::uint32_t row;
  };

  explicit Floor(const PlainRows& rows) : rows_(rows), kept_(rows.id.size()) {
    for (std::size_t i = 0; i < kCountries.size(); ++i) wanted_[i] = i < kKeptCountries;
  }

  void Run() {
    std::size_t kept = 0;
    const std::size_t size = rows_.id.size();
    for (std::size_t i = 0; i < size; ++i) {
      const double score = ScoreOf(rows_.id[i], rows_.n[i]);
      kept_[kept] = {score, static_cast<std::uint32_t>(i)};
      kept += static_cast<std::size_t>(score >= rows_.cut) &
              static_cast<std::size_t>(wanted_[rows_.country[i]]);
    }
    taken_ = std::min(kept, kTaken);
    const auto begin = kept_.begin();
    std::partial_sort(begin, begin + static_cast<std::ptrdiff_t>(taken_),
                      begin + static_cast<std::ptrdiff_t>(kept), [](const Row& a, const Row& b) {
                        return a.score > b.score || (a.score == b.score && a.row < b.row);
                      });
  }
  std::span<const Row> taken() const { return std::span(kept_).first(taken_); }

 private:
  const PlainRows& rows_;
  std::array<std::uint8_t, kCountries.size()> wanted_{};
  std::vector<Row> kept_;
  std::size_t taken_ = 0;
};

/// Ends the process unless `outputs` are the rows the floor took.
void CheckEqual(const std::vector<RowSet>& outputs, const PlainRows& plain, const Floor& floor,
                const Graph& graph) {
  const RowSet& rows = outputs.at(0);
  const Column* scores = rows.Find(*graph.schema->FindKey("score"));
  bool equal = rows.rows() == floor.taken().size() && scores != nullptr;
  for (std::size_t i = 0; equal && i < rows.rows(); ++i) {
    const Floor::Row& expected = floor.taken()[i];
    equal = rows.IdAt(i) == plain.id[expected.row] &&
            scores->floats()[rows.BaseRow(i)] == expected.score;
  }
  if (equal) return;
  std::fprintf(stderr, "columns: the plan and the floor do not give the same rows\n");
  std::exit(1);
}

struct ColumnsOptions {
  bool json = false;
  std::string_view only;
  std::size_t rows = 0;  ///< 0: 10^2, 10^4, 10^6.
  std::size_t rounds = 7;
  std::size_t runs = 0;  ///< Per round; 0: as many as make kRowsPerRound rows.
};

void Measure(std::size_t rows, const ColumnsOptions& options, GraphRunner& runner) {
  const PlainRows plain = MakePlainRows(rows);
  const auto graph = GraphOf(rows, plain.cut);
  Floor floor(plain);
  floor.Run();
  CheckEqual(runner.OutputsOf(graph), plain, floor, *graph);

  std::vector<Candidate> candidates;
  if (options.only.empty() || options.only == "rankd") {
    candidates.push_back({"rankd", [&] { runner.RunOnce(graph); }});
  }
  if (options.only.empty() || options.only == "floor") {
    candidates.push_back({"floor", [&] { floor.Run(); }});
  }
  const std::size_t runs =
      options.runs != 0 ? options.runs : std::max<std::size_t>(2, kRowsPerRound / rows);
  MeasureRounds(candidates, options.rounds, runs, rows);
  std::int64_t sum = 0;
  for (const Floor::Row& row : floor.taken()) sum += plain.id[row.row];
  for (const Candidate& candidate : candidates) {
    const double ns = candidate.median();
    if (options.json) {
      std::printf(
          R"({"rows":%zu,"who":"%s","ns_a_row":%.3f,"least":%.3f,"most":%.3f,"us_a_run":%.3f,)"
          R"("rows_per_second":%.0f,"sum_of_ids":%lld})"
          "\n",
          rows, candidate.name.c_str(), ns, candidate.least(), candidate.most(),
          ns * static_cast<double>(rows) / 1e3, 1e9 / ns, static_cast<long long>(sum));
    } else {
      std::printf("%10zu  %-8s%12.2f%10.2f%10.2f%14.2f%12.1f\n", rows, candidate.name.c_str(), ns,
                  candidate.least(), candidate.most(), ns * static_cast<double>(rows) / 1e3,
                  1e3 / ns);
    }
  }
}

}  // namespace
}  // namespace rankd

int main(int argc, char** argv) {
  rankd::ColumnsOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto number = [&] { return std::strtoul(argv[++i], nullptr, 10); };
    if (argument == "--json") options.json = true;
    if (argument == "--only" && i + 1 < argc) options.only = argv[++i];
    if (argument == "--rows" && i + 1 < argc) options.rows = number();
    if (argument == "--rounds" && i + 1 < argc) options.rounds = number();
    if (argument == "--runs" && i + 1 < argc) options.runs = number();
  }
  rankd::GraphRunner runner;
  if (!options.json) {
    std::printf("%10s  %-8s%12s%10s%10s%14s%12s\n", "rows", "", "ns a row", "least", "most",
                "us a run", "Mrows/s");
  }
  for (const std::size_t rows : {100UL, 10'000UL, 1'000'000UL}) {
    if (options.rows == 0 || options.rows == rows) rankd::Measure(rows, options, runner);
  }
}
