#include "engine/base/heap.h"

#include <malloc.h>

namespace rankd {

void SetUpHeap() {
#ifdef M_MXFAST
  // Blocks that were kept apart for speed are joined all at once when a large one is freed, under a
  // lock: after a for_each over a million rows on the pool that stopped the loop for a second.
  // Joined one by one they cost nothing that could be measured.
  mallopt(M_MXFAST, 0);
#endif
}

}  // namespace rankd
