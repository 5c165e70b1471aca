// A plan directory with a few plans, good and bad, written for a test.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "tests/support/temp_dir.h"

namespace rankd {

inline void WriteFile(const std::string& path, std::string_view text) {
  std::ofstream(path) << text;
}

/// `good` and `other` are sound, `broken` has three problems, `future` needs an unknown capability.
class PlanFolder {
 public:
  PlanFolder() {
    Write("registry.json",
          R"({"keys":[{"name":"score","type":"float"},
                      {"name":"old","type":"int","status":"deprecated"}],
              "params":[{"name":"weight","type":"float"},{"name":"limit","type":"int","default":3},
                        {"name":"flag","type":"bool"},
                        {"name":"late","type":"int","status":"deprecated"},
                        {"name":"gone","type":"int","status":"blocked"}]})");
    Write("good.plan.json",
          R"({"schema_version":1,"plan_name":"good","params":{"own":"string"},
              "nodes":[{"node_id":"s","op":"fixed_source","params":{"row_count":2}},
                       {"node_id":"unused","op":"take","inputs":["s"],"params":{"count":1}},
                       {"node_id":"m","op":"vm","inputs":["s"],
                        "params":{"out_key":"old","expr":"id"}}],
              "outputs":["m"]})");
    Write("other.plan.json",
          R"({"schema_version":1,"plan_name":"other","params":{"weight":"float","own":"int"},
              "nodes":[{"node_id":"s","op":"fixed_source","params":{"row_count":2}},
                       {"node_id":"m","op":"vm","inputs":["s"],
                        "params":{"out_key":"old","expr":"id"}}],
              "outputs":["m"]})");
    Write("broken.plan.json",
          R"({"schema_version":1,"plan_name":"broken",
              "nodes":[{"node_id":"s","op":"fixd_source","params":{"row_count":2}},
                       {"node_id":"t","op":"take","inputs":["x"],"params":{"count":1}}],
              "outputs":["y"]})");
    Write("future.plan.json",
          R"({"schema_version":1,"plan_name":"future","capabilities_required":["cap.x.v1"],
              "nodes":[{"node_id":"s","op":"fixed_source","params":{"row_count":2}}],
              "outputs":["s"]})");
    Write("endpoints.demo.json",
          R"({"endpoints":[{"name":"store","kind":"memory","data":"data.json"},
                           {"name":"again","kind":"memory","data":"data.json"},
                           {"name":"cache","kind":"redis",
                            "resolver":{"type":"static","host":"h","port":1}}]})");
    Write("data.json", R"({"user:1":{"country":"US"}})");
  }

  const std::string& path() const { return dir_.path(); }
  std::string File(const std::string& name) const { return dir_.File(name); }
  void Write(const std::string& name, std::string_view text) const { WriteFile(File(name), text); }

 private:
  TempDir dir_;
};

}  // namespace rankd
