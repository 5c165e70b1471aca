// --cpu: the choice of where CPU work runs, for experiments.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankd {

enum class CpuMode : std::uint8_t {
  kAuto,     ///< By estimated cost.
  kInline,   ///< On the loop thread, apart from tasks that always take a pool thread.
  kOffload,  ///< On the pool, apart from tasks that are always inline.
};

inline std::optional<CpuMode> CpuModeFromName(std::string_view name) {
  if (name == "auto") return CpuMode::kAuto;
  if (name == "inline") return CpuMode::kInline;
  if (name == "offload") return CpuMode::kOffload;
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
  }
  return "";
}

}  // namespace rankd
