// What control flow costs: a loop's iteration, a for_each's item, and beside them a node of a plan
// without any.
//
// usage: control_flow [--json]
//
// Everything runs on one loop in this process, with work inline; each figure is the best of five
// runs. Memory is what the process grew by while the runs lasted, besides the outputs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "bench/graph_runner.h"
#include "tasks/builtin.h"

namespace rankd {
namespace {

constexpr int kRuns = 5;

double MaxRssMib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Figure {
  std::string name;
  std::size_t count;
  double ns_each;
  double grown_mib;
};

std::string Loop(std::size_t times, const std::string& body) {
  return R"({"node_id":"s","op":"fixed_source","params":{"row_count":1}},
            {"node_id":"l","op":"loop","inputs":["s"],"params":{"times":)" +
         std::to_string(times) + R"(,"body":{"nodes":[)" + body + R"(],"outputs":["b"]}}})";
}

std::string ForEach(std::size_t rows, const std::string& body) {
  return R"({"node_id":"s","op":"fixed_source","params":{"row_count":)" + std::to_string(rows) +
         R"(}},{"node_id":"l","op":"for_each","inputs":["s"],"params":{"over":"rows",)"
         R"("max_parallel":8,"body":{"nodes":[)" +
         body + R"(],"outputs":["b"]}}})";
}

std::string Chain(std::size_t nodes) {
  std::string text = R"({"node_id":"n0","op":"fixed_source","params":{"row_count":1}})";
  for (std::size_t i = 1; i < nodes; ++i) {
    text += R"(,{"node_id":")" + (i + 1 == nodes ? "l" : "n" + std::to_string(i)) +
            R"(","op":"take","inputs":["n)" + std::to_string(i - 1) + R"("],"params":{"count":9}})";
  }
  return text;
}

constexpr char kTake[] = R"({"node_id":"b","op":"take","inputs":["$in"],"params":{"count":9}})";
constexpr char kVm[] =
    R"({"node_id":"b","op":"vm","inputs":["$in"],"params":{"out_key":"n","expr":"id + 1"}})";
constexpr char kVmOfLoop[] =
    R"({"node_id":"b","op":"vm","inputs":["$in"],"params":{"out_key":"n","expr":"id + L.i"}})";
constexpr char kDiamond[] =
    R"({"node_id":"a","op":"take","inputs":["$in"],"params":{"count":9}},
       {"node_id":"x","op":"take","inputs":["a"],"params":{"count":1}},
       {"node_id":"y","op":"take","inputs":["a"],"params":{"count":0}},
       {"node_id":"b","op":"concat","inputs":["x","y"]})";

std::vector<Figure> Measure() {
  std::vector<Figure> figures;
  GraphRunner runner;
  const auto take = [&](std::string name, std::size_t count, const std::string& nodes) {
    const auto graph = BuildOrExit(BuiltinTasks(), nodes, R"("l")");
    const double before = MaxRssMib();
    const double seconds = runner.BestSeconds(graph, kRuns);
    figures.push_back(
        {std::move(name), count, seconds * 1e9 / static_cast<double>(count), MaxRssMib() - before});
  };
  for (const std::size_t n : {1'000UL, 10'000UL, 100'000UL, 1'000'000UL}) {
    take("loop, take", n, Loop(n, kTake));
  }
  for (const std::size_t n : {1'000UL, 1'000'000UL}) take("loop, vm", n, Loop(n, kVm));
  for (const std::size_t n : {1'000UL, 1'000'000UL}) take("loop, vm of L.i", n, Loop(n, kVmOfLoop));
  for (const std::size_t n : {1'000UL, 100'000UL}) take("loop, diamond", n, Loop(n, kDiamond));
  for (const std::size_t n : {1'000UL, 100'000UL}) take("for_each, take", n, ForEach(n, kTake));
  for (const std::size_t n : {1'000UL, 100'000UL}) take("for_each, vm", n, ForEach(n, kVm));
  for (const std::size_t n : {1'000UL, 100'000UL}) take("plan without bodies, take", n, Chain(n));
  return figures;
}

}  // namespace
}  // namespace rankd

int main(int argc, char** argv) {
  const bool json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
  const std::vector<rankd::Figure> figures = rankd::Measure();
  if (!json) std::printf("%-28s%10s%12s%14s\n", "", "count", "ns each", "grown MiB");
  for (const rankd::Figure& figure : figures) {
    std::printf(json ? "{\"name\":\"%s\",\"count\":%zu,\"ns_each\":%.1f,\"grown_mib\":%.1f}\n"
                     : "%-28s%10zu%12.1f%14.1f\n",
                figure.name.c_str(), figure.count, figure.ns_each, figure.grown_mib);
  }
}
