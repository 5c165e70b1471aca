#include <optional>
#include <string>

#include "engine/base/number_text.h"
#include "engine/plan/endpoints.h"

namespace rankd {
namespace {

// Messages never quote the URL: it may hold a password.

std::unexpected<Error> Bad(std::string message) {
  return Fail(ErrorCode::kInvalidRequest, "bad Redis URL: " + std::move(message));
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::string> DecodePercent(std::string_view text, std::string_view what) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return Bad("a % in the " + std::string(what) + " must be followed by two hex digits");
    }
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (decoded.find('\0') != std::string::npos) {
    return Bad("the " + std::string(what) + " holds a NUL byte");
  }
  return decoded;
}

/// As redis-cli does: without a colon it is the password.
Result<void> ParseUserInfo(std::string_view text, RedisUrl& url) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    RANKD_TRY(url.username, DecodePercent(text.substr(0, colon), "user name"));
    text.remove_prefix(colon + 1);
  }
  RANKD_TRY(url.password, DecodePercent(text, "password"));
  return {};
}

/// host, host:port, [v6]:port, :port
Result<void> ParseHostPort(std::string_view text, RedisUrl& url) {
  std::string_view host = text;
  std::optional<std::string_view> port;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return Bad("the host has a [ without a ]");
    host = text.substr(1, close - 1);
    const std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && rest.front() != ':') return Bad("after ] there must be :port");
    if (!rest.empty()) port = rest.substr(1);
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  if (host.find(':') != std::string_view::npos && !text.starts_with('[')) {
    return Bad("an IPv6 address must stand in brackets");
  }
  RANKD_TRY(url.host, DecodePercent(host, "host"));
  if (url.host.empty()) url.host = "127.0.0.1";
  if (port) {
    const std::optional<std::int64_t> number = ParseInt(*port);
    if (!number || *number < 1 || *number > 65535) {
      return Bad("the port must be a number from 1 to 65535");
    }
    url.port = static_cast<std::uint16_t>(*number);
  }
  return {};
}

Result<RedisUrl> ParseTcp(std::string_view rest) {
  RedisUrl url;
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return Bad("it has the form redis://[user:password@]host[:port][/db], without ? or #");
  }
  const std::size_t slash = rest.find('/');
  std::string_view authority = rest.substr(0, slash);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    RANKD_TRY(ParseUserInfo(authority.substr(0, at), url));
    authority.remove_prefix(at + 1);
  }
  RANKD_TRY(ParseHostPort(authority, url));
  if (slash != std::string_view::npos && slash + 1 < rest.size()) {
    const std::optional<std::int64_t> db = ParseInt(rest.substr(slash + 1));
    if (!db || *db < 0 || *db > kMaxRedisDb) return Bad("the database must be a whole number");
    url.db = static_cast<int>(*db);
  }
  return url;
}

Result<RedisUrl> ParseUnix(std::string_view rest) {
  RedisUrl url;
  RANKD_TRY(url.unix_socket, DecodePercent(rest, "path"));
  if (!url.unix_socket.starts_with('/') || url.unix_socket.size() == 1) {
    return Bad("it has the form unix:///path, with an absolute path");
  }
  return url;
}

}  // namespace

Result<RedisUrl> ParseRedisUrl(std::string_view url) {
  const std::size_t colon = url.find("://");
  if (colon == std::string_view::npos) return Bad("it must begin with redis:// or unix://");
  std::string scheme(url.substr(0, colon));
  for (char& c : scheme) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const std::string_view rest = url.substr(colon + 3);
  if (scheme == "redis") return ParseTcp(rest);
  if (scheme == "unix") return ParseUnix(rest);
  return Bad("this build lacks the scheme \"" + scheme + "://\"; it has redis:// and unix://");
}

}  // namespace rankd
