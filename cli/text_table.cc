#include "cli/text_table.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/utf8.h"

namespace rankd {
namespace {

std::string FormatRow(const std::vector<std::string>& cells,
                      const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += cells[i];
    line.append(widths[i] - CodePointCount(cells[i]) + 2, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

void TextTable::AddRow(std::vector<std::string> cells, bool bold) {
  RANKD_CHECK(cells.size() == heading_.size());
  bold_.push_back(bold);
  rows_.push_back(std::move(cells));
}

std::string TextTable::Format(const Console& console) const {
  std::vector<std::size_t> widths;
  for (const std::string& cell : heading_) widths.push_back(CodePointCount(cell));
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], CodePointCount(row[i]));
    }
  }
  std::string text = console.Bold(FormatRow(heading_, widths)) + "\n";
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::string row = FormatRow(rows_[i], widths);
    text += (bold_[i] ? console.Bold(row) : row) + "\n";
  }
  return text;
}

}  // namespace rankd
