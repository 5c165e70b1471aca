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

void TextTable::AddRow(std::vector<std::string> cells) {
  RANKD_CHECK(cells.size() == heading_.size());
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
  for (const std::vector<std::string>& row : rows_) text += FormatRow(row, widths) + "\n";
  return text;
}

}  // namespace rankd
