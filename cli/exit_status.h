// What the process says at its end.
#pragma once

namespace rankd {

enum ExitStatus : int {
  kExitOk = 0,      ///< Every request succeeded, or there was none.
  kExitFailed = 1,  ///< At least one request failed.
  kExitUsage = 2,   ///< Usage, plan, registry or endpoint file at fault, and nothing ran.
  kExitIo = 3,      ///< Input or output failed.
};

}  // namespace rankd
