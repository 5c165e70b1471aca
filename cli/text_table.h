// Aligned columns of text, for people.
#pragma once

#include <string>
#include <vector>

#include "cli/console.h"

namespace rankd {

/// A table with a heading; columns are as wide as their widest cell, two blanks apart.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heading) : heading_(std::move(heading)) {}

  /// One cell for each column. `bold`: where colours are wanted.
  void AddRow(std::vector<std::string> cells, bool bold = false);
  bool empty() const { return rows_.empty(); }
  /// With the heading, a newline after each line, no blanks at line ends.
  std::string Format(const Console& console) const;

 private:
  std::vector<std::string> heading_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<bool> bold_;
};

}  // namespace rankd
