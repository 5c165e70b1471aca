// How a process of ours uses jemalloc, which reads this when it starts. Linked into programs that
// run plans (rankd_heap in CMakeLists.txt); without it all works, slower.
extern "C" {

/// Columns of some MiB come and go with every request. By itself jemalloc would give their memory
/// back at once, and every page of the next request's would be a fault: it is to keep them like
/// small blocks (oversize_threshold), and to tell the system that it may take what is unused,
/// without taking it away (muzzy_decay_ms; MADV_FREE).
extern const char* malloc_conf;
const char* malloc_conf = "oversize_threshold:0,muzzy_decay_ms:-1";
}
