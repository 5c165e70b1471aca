// --cpu: the choice of where CPU work runs, for experiments.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankd {

enum class CpuMode : std::uint8_t {
  kAuto,     ///< By estimated cost; what goes to the pool takes the rest of its chain along.
  kInline,   ///< On the loop thread, apart from tasks that always take a pool thread.
  kOffload,  ///< On the pool, apart from tasks that are always inline; each node a job.
  kFused,    ///< As kOffload, but each chain of nodes one job.
};

inline std::optional<CpuMode> CpuModeFromName(std::string_view name) {
  if (name == "auto") return CpuMode::kAuto;
  if (name == "inline") return CpuMode::kInline;
  if (name == "offload") return CpuMode::kOffload;
  if (name == "fused") return CpuMode::kFused;
  return std::nullopt;
}

inline std::string_view CpuModeName(CpuMode mode) {
  switch (mode) {
    case CpuMode::kAuto:
      return "auto";
    case CpuMode::kInline:
      return "inline";
    case CpuMode::kOffload:
      return "offload";
    case CpuMode::kFused:
      return "fused";
  }
  return "";
}

}  // namespace rankd
