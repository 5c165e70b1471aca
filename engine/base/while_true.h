// A flag that is set for the time of a scope, whichever way it is left.
#pragma once

namespace rankd {

class WhileTrue {
 public:
  /// `flag` must outlive it.
  explicit WhileTrue(bool& flag) : flag_(flag) { flag_ = true; }
  WhileTrue(const WhileTrue&) = delete;
  WhileTrue& operator=(const WhileTrue&) = delete;
  ~WhileTrue() { flag_ = false; }

 private:
  bool& flag_;
};

}  // namespace rankd
