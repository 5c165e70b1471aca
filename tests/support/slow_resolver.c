/* Preloaded into a process under test: names that end in ".slow" take SLOW_RESOLVER_MS to resolve, to
   127.0.0.1. All others go to the system's resolver. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int (*Resolver)(const char*, const char*, const struct addrinfo*, struct addrinfo**);

int getaddrinfo(const char* node, const char* service, const struct addrinfo* hints,
                struct addrinfo** found) {
  Resolver resolver;
  *(void**)&resolver = dlsym(RTLD_NEXT, "getaddrinfo");
  const size_t size = node == NULL ? 0 : strlen(node);
  if (size < 5 || strcmp(node + size - 5, ".slow") != 0) {
    return resolver(node, service, hints, found);
  }
  const char* setting = getenv("SLOW_RESOLVER_MS");
  const long ms = setting == NULL ? 0 : strtol(setting, NULL, 10);
  struct timespec left = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&left, &left) != 0) {
  }
  return resolver("127.0.0.1", service, hints, found);
}
