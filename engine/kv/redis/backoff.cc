#include "engine/kv/redis/backoff.h"

#include <algorithm>

namespace rankd {

Duration Backoff::Next() {
  const Duration half = wait_ / 2;
  const Duration wait =
      half + Duration(std::uniform_int_distribution<Duration::rep>(0, half.count())(random_));
  wait_ = std::min(wait_ * 2, kLongest);
  return wait;
}

}  // namespace rankd
