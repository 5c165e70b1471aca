// How a process of ours uses jemalloc, which reads this when it starts. Linked into programs that run
// plans (rankd_heap in CMakeLists.txt); without it all works, slower.
extern "C" {

/// Columns of some MiB come and go with every request: their memory is kept for the next one as that of
/// small blocks is, and given back after ten seconds; at once, it would cost a fault for every page.
extern const char* malloc_conf;
const char* malloc_conf = "oversize_threshold:0";
}
