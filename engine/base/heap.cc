// How a process of ours uses jemalloc, which reads this when it starts. Linked into programs that
// run plans (rankd_heap in CMakeLists.txt); without it all works, slower.
extern "C" {

/// Columns of some MiB come and go with every request. By itself jemalloc would give their memory
/// back at once, and every page of the next request's would be a fault: up to 16 MiB it is to keep
/// them like small blocks (oversize_threshold), and to tell the system that it may take what is
/// unused, without taking it away (muzzy_decay_ms; MADV_FREE). What is larger, such as a reply that
/// grows, goes back as it came, with its addresses (retain). There is one arena: threads have small
/// blocks at hand, two loops are as fast with one as with two, and a thread that has to make
/// another where there is no memory crashes in jemalloc. A small block may be cut from any free
/// one, however large (lg_extent_max_active_fit): by itself jemalloc would ask the system for a
/// page more, and be out of memory with megabytes of its own free.
extern const char* malloc_conf;
const char* malloc_conf =
    "oversize_threshold:16777216,muzzy_decay_ms:-1,retain:false,narenas:1,"
    "lg_extent_max_active_fit:30";
}
