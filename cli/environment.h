// What the process is given besides its arguments.
#pragma once

#include <optional>
#include <string>

#include "cli/options.h"
#include "engine/base/result.h"

namespace rankd {

/// Environment variables, an empty one being unset, and where the binary is.
struct Environment {
  std::optional<std::string> plan_dir;   ///< RANKD_PLAN_DIR
  std::optional<std::string> env;        ///< RANKD_ENV
  std::optional<std::string> redis_url;  ///< REDIS_URL
  std::string binary;                    ///< The program's file, or a link to it.

  static Environment OfProcess();
};

/// The directory with the plans: --plan_dir, with --plan the file's folder, RANKD_PLAN_DIR,
/// ./plans, or the one installed with the binary or beside its build tree. invalid_plan when there
/// is none.
[[nodiscard]] Result<std::string> FindPlanDir(const WorkspaceOptions& options,
                                              const Environment& environment);

}  // namespace rankd
