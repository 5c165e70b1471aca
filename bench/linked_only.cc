// Links the libraries that rankd links, and does nothing: the floor of start.py. What it costs is
// the loader's work.
int main() {}
