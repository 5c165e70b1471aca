// The store's data as commands that load it into a server.
#include <string>
#include <string_view>

#include "engine/kv/memory/memory_store.h"
#include "engine/kv/resp.h"

namespace rankd {

void AppendLoadCommands(const MemoryStore& store, std::string& out) {
  for (const MemoryStore::Entry& entry : store.entries_) {
    std::string_view verb = "SET";
    if (entry.type != MemoryStore::Type::kString) {
      verb = entry.type == MemoryStore::Type::kHash ? "HSET" : "RPUSH";
      AppendCommandHead(out, 2);
      AppendBulkString(out, "DEL");
      AppendBulkString(out, entry.key);
    }
    if (entry.node_count == 0) continue;
    AppendCommandHead(out, 2 + std::size_t{entry.node_count});
    AppendBulkString(out, verb);
    AppendBulkString(out, entry.key);
    for (std::uint32_t i = 0; i < entry.node_count; ++i) {
      AppendBulkString(out, store.nodes_[entry.first_node + i].text());
    }
  }
}

}  // namespace rankd
