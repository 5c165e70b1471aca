#include "cli/session_loop.h"

namespace rankd {

RequestOptions RequestOptionsOf(const Options& options, Console& console) {
  RequestOptions requests;
  requests.allow_unknown_fields = options.run.allow_unknown_fields;
  requests.warn = [&console](std::string_view note) { console.Note(note); };
  return requests;
}

std::unique_ptr<SessionLoop> SessionLoop::Open(const Shared& shared, UvLoop* loop,
                                               std::uint32_t number) {
  std::unique_ptr<SessionLoop> opened(new SessionLoop(shared));
  if (loop == nullptr) opened->own_loop_ = std::make_unique<UvLoop>();
  opened->loop_ = loop != nullptr ? loop : opened->own_loop_.get();
  opened->stores_ = StoreClients::Make(shared.workspace, *opened->loop_);
  if (opened->stores_ == nullptr) return nullptr;
  opened->records_.emplace(shared.files, *opened->loop_, number);
  return opened;
}

RunServices SessionLoop::services() {
  RunServices services;
  services.loop = loop_;
  services.executor = &shared_.executor;
  services.clients = stores_->clients();
  return services;
}

RequestOptions SessionLoop::request_options() const {
  return RequestOptionsOf(shared_.options, shared_.workspace.console());
}

RunDefaults SessionLoop::run_defaults() const {
  const RunOptions& run = shared_.options.run;
  return {run.deadline, run.node_timeout, run.cpu};
}

PlanLookup SessionLoop::plan_lookup() {
  return [this](std::string_view plan) { return plans_.Find(plan); };
}

}  // namespace rankd
