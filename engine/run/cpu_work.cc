#include "engine/run/cpu_work.h"

#include <exception>
#include <new>
#include <string>

namespace rankd {

Error ErrorOfException() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::kLimitExceeded, "out of memory");
  } catch (const std::exception& error) {
    return Error(ErrorCode::kInternal, std::string("exception: ") + error.what());
  } catch (...) {
    return Error(ErrorCode::kInternal, "exception of no known kind");
  }
}

Result<void> RunRegionWork(RegionWork& work, StopToken stop) {
  try {
    return work.Run(stop);
  } catch (...) {
    return std::unexpected(ErrorOfException());
  }
}

}  // namespace rankd
