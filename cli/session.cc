#include "cli/session.h"

#include <algorithm>
#include <csignal>
#include <thread>

#include "cli/standard_descriptors.h"

namespace rankd {
namespace {

/// What the loop, its signals and the reader open between them.
constexpr int kLoopDescriptors = 8;

std::size_t PoolThreads(const RunOptions& options) {
  return options.cpu_threads.value_or(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace

std::unique_ptr<Session> Session::Open(const Options& options, Workspace& workspace) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the file size limit fails instead
  RequireDescriptors(kLoopDescriptors);
  std::unique_ptr<Session> session(new Session(options, workspace));
  session->stores_ = StoreClients::Make(workspace, session->loop_);
  if (session->stores_ == nullptr) return nullptr;
  session->records_ = RequestRecords::Open(options.records, session->loop_, workspace.console());
  if (session->records_ == nullptr) return nullptr;
  session->pool_ = std::make_unique<ThreadPool>(PoolThreads(options.run));
  return session;
}

RunServices Session::services() {
  RunServices services;
  services.loop = &loop_;
  services.executor = pool_.get();
  services.clients = stores_->clients();
  return services;
}

RequestOptions Session::request_options() const {
  RequestOptions requests;
  requests.allow_unknown_fields = options_.run.allow_unknown_fields;
  requests.warn = [this](std::string_view note) { workspace_.console().Note(note); };
  return requests;
}

RunDefaults Session::run_defaults() const {
  return {options_.run.deadline, options_.run.node_timeout, options_.run.cpu};
}

PlanLookup Session::plan_lookup() {
  return [this](std::string_view plan) { return workspace_.plans().Find(plan); };
}

}  // namespace rankd
