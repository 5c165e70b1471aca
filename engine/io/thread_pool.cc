#include "engine/io/thread_pool.h"

#include <algorithm>
#include <exception>

#include <uv.h>

namespace rankd {

std::size_t AvailableProcessors() { return uv_available_parallelism(); }

ThreadPool::ThreadPool(std::size_t threads) : thread_limit_(std::max<std::size_t>(threads, 1)) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
    work_or_close_.notify_all();
  }
  // No thread is added once closing_ is set.
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::Submit(PoolJob& job) {
  std::unique_lock lock(mutex_);
  // Where the system has no thread to give, those there are do the work.
  if (queued_ >= idle_ && threads_.size() < thread_limit_ && !closing_) AddThread();
  if (threads_.empty()) {
    // Nobody else is there to do it. Whoever waits for the caller waits longer, and not for ever.
    lock.unlock();
    job.Execute(0);
    return;
  }
  job.next_queued = nullptr;
  (last_ == nullptr ? first_ : last_->next_queued) = &job;
  last_ = &job;
  ++queued_;
  // Under the lock, after the change: a wake-up sent after the lock is gone may reach a pool that
  // is gone too, or a thread that has not begun to wait.
  work_or_close_.notify_one();
}

bool ThreadPool::AddThread() {
  try {
    const auto thread = static_cast<std::uint32_t>(threads_.size());
    threads_.emplace_back([this, thread] { Work(thread); });
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::size_t ThreadPool::threads_started() const {
  std::lock_guard lock(mutex_);
  return threads_.size();
}

void ThreadPool::Work(std::uint32_t thread) {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (first_ == nullptr) {
      if (closing_) return;
      ++idle_;
      work_or_close_.wait(lock);
      --idle_;
    }
    PoolJob* job = first_;
    first_ = job->next_queued;
    if (first_ == nullptr) last_ = nullptr;
    --queued_;
    lock.unlock();
    job->Execute(thread);
    lock.lock();
  }
}

}  // namespace rankd
