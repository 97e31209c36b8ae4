#include "report/csv_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "report/csv_source.h"
#include "report/csv_writer.h"
#include "support/temp_folder.h"
#include "util/changed_error.h"
#include "util/error.h"

namespace msprobe::report {
namespace {

namespace fs = std::filesystem;
using Cells = std::vector<std::vector<std::string>>;

class CsvReaderTest : public testing::Test {
 protected:
  Table read(const std::string& text, const std::vector<std::string>& required = {}) {
    support::write(path_, text);
    return read_table(path_, required);
  }
  std::string complaint(const std::string& text, const std::vector<std::string>& required = {}) {
    try {
      read(text, required);
      return "no error";
    } catch (const Error& error) {
      std::string message = error.what();
      return message.starts_with(path_) ? "t.csv" + message.substr(path_.size()) : message;
    }
  }
  const support::TempFolder folder_;
  const std::string path_ = folder_ / "t.csv";
};

/// Header and rows, every row as wide as the header.
Cells cells_of(const Table& table) {
  Cells out = {table.columns};
  for (const TableRow row : table.rows) {
    std::vector<std::string> cells;
    for (size_t i = 0; i < row.size(); ++i) cells.emplace_back(row[static_cast<int>(i)]);
    out.push_back(cells);
  }
  return out;
}

/// What make_expected.py read with Python's csv module.
Cells expected_cells(const std::string& name) {
  Cells out;
  for (const std::string& line : support::lines(MSPROBE_TEST_DATA "/report/" + name + ".cells")) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == '\x1f')
        cells.emplace_back();
      else
        cells.back() += c == '\x1e' ? '\n' : c;
    }
    if (!out.empty()) cells.resize(out[0].size());
    out.push_back(cells);
  }
  return out;
}

// ---- real files, compared with what Python's csv module reads in them

TEST(CsvFilesTest, CellsAreThoseThatPythonReads) {
  for (const char* name :
       {"resaved_details", "mindstudio_details", "mindstudio_result", "column_order", "no_mark_lf"}) {
    const Table table = read_table(std::string(MSPROBE_TEST_DATA "/report/") + name + ".csv", {"API Name"});
    EXPECT_GT(table.rows.size(), 3u);
    EXPECT_EQ(cells_of(table), expected_cells(name)) << name;
  }
}

TEST(CsvFilesTest, ColumnsAreFoundByNameWhateverTheirOrder) {
  const Table table = read_table(MSPROBE_TEST_DATA "/report/column_order.csv", details_header());
  for (const TableRow row : table.rows) {
    EXPECT_NE(row[table.column("API Name")].find(".output."), std::string_view::npos);
    const std::string_view status = row[table.column("Status")];
    EXPECT_TRUE(status == "pass" || status == "warning" || status == "error" || status == "SKIP") << status;
  }
}

// ---- forms

TEST_F(CsvReaderTest, MarkLineEndsAndSeparatorsDoNotMatter) {
  const Cells expected = {{"API Name", "Message"}, {"a", "x,;\ty"}, {"b", "\""}};
  for (const std::string mark : {"", "\xEF\xBB\xBF"})
    for (const std::string end : {"\n", "\r\n", "\r"})
      for (const std::string sep : {",", ";", "\t"})
        for (const std::string& last : {end, std::string()}) {
          const std::string text = mark + "API Name" + sep + "Message" + end + "a" + sep + "\"x,;\ty\"" + end + "b" +
                                   sep + "\"\"\"\"" + last;
          EXPECT_EQ(cells_of(read(text)), expected) << text;
        }
}

TEST_F(CsvReaderTest, LineBreaksInsideQuotesStay) {
  const Table table = read("API Name,Message\r\na,\"\r\nfirst\r\n\r\nsecond\"\r\nb,\"x\ny\"\r\nc,\"p\rq\"\r\n");
  EXPECT_EQ(cells_of(table),
            (Cells{{"API Name", "Message"}, {"a", "\nfirst\n\nsecond"}, {"b", "x\ny"}, {"c", "p\nq"}}));
  EXPECT_EQ(table.rows[0].line(), 2u);
  EXPECT_EQ(table.rows[1].line(), 6u);
  EXPECT_EQ(table.rows[2].line(), 8u);
}

TEST_F(CsvReaderTest, ShortRowsAreFilledAndEmptyOnesLeftOut) {
  const Table table = read("a,b,c\n1\n1,2\n\n , ,\n,,\n1,2,3\n1,2,3,,\n");
  EXPECT_EQ(cells_of(table), (Cells{{"a", "b", "c"}, {"1", "", ""}, {"1", "2", ""}, {"1", "2", "3"}, {"1", "2", "3"}}));
  EXPECT_EQ(table.rows[2].line(), 7u);
  EXPECT_EQ(table.rows[0][-1], "");
  EXPECT_EQ(table.rows[0][3], "");
}

TEST_F(CsvReaderTest, CellsAreNotTrimmed) {
  EXPECT_EQ(cells_of(read("a,b\n 1 ,\t2\n")), (Cells{{"a", "b"}, {" 1 ", "\t2"}}));
}

TEST_F(CsvReaderTest, ASpreadsheetsSeparatorHintAndEmptyLinesAboveTheHeaderArePassedOver) {
  EXPECT_EQ(cells_of(read("sep=;\n\na;b\n1;2\n")), (Cells{{"a", "b"}, {"1", "2"}}));
}

TEST_F(CsvReaderTest, ColumnNamesOfAllVersionsAreKnown) {
  const Table table = read("API name,小值域判定结果,inf / nan 错误率,ULP 误差最大值\nx,pass,0,1\n");
  EXPECT_EQ(table.column("API Name"), 0);
  EXPECT_EQ(table.column("小值域错误判定结果"), 1);
  EXPECT_EQ(table.column("inf/nan错误率"), 2);
  EXPECT_EQ(table.column("ULP误差最大值"), 3);
  EXPECT_EQ(table.column("Message"), -1);
  EXPECT_EQ(table.columns[0], "API name");
}

TEST_F(CsvReaderTest, AFileWithAHeaderAloneIsATableWithoutRows) {
  EXPECT_TRUE(read("API Name,Message\r\n").rows.empty());
}

// ---- complaints

struct Refused {
  const char *text, *message;
};

TEST_F(CsvReaderTest, ComplaintsNameFileAndLine) {
  const Refused rows[] = {
      {"", "t.csv: is empty, expected a line with the names of the columns"},
      {"\xEF\xBB\xBF", "t.csv: is empty, expected a line with the names of the columns"},
      {"\n \n", "t.csv: is empty, expected a line with the names of the columns"},
      {"API Name,Status\n1,2,3\n",
       "t.csv:2: 3 cells, but the header names 2 columns; a cell that holds a comma must stand in quotes"},
      {"API Name,Status\n\"a\n\nb\",2\n1,2,3\n",
       "t.csv:5: 3 cells, but the header names 2 columns; a cell that holds a comma must stand in quotes"},
      {"API Name,Status\na,b\nc,\"d\ne,f\n",
       "t.csv:3: a quote is opened and never closed; the file is cut off or damaged there: repair that line or leave "
       "it out"},
      {"Name,Stat\na,b\n",
       "t.csv:1: these columns are missing: API Name, Status; check that this is the right file, and that its first "
       "line holds "
       "the names of the columns"},
      {"API Name,Status,api name\n", "t.csv:1: column api name is there twice; keep one of them"},
      {"API Name,\xD3\xE0\xCF\xD2\n", "t.csv:1: the names of the columns are not UTF-8; save the file as CSV in UTF-8"},
  };
  for (const Refused& row : rows) EXPECT_EQ(complaint(row.text, {"API Name", "Status"}), row.message) << row.text;
}

/// As spreadsheets save "Unicode text": UTF-16 with a mark, tabs, CRLF.
std::string utf16(const std::u16string& text, bool little) {
  std::string bytes;
  for (const char16_t c : u"\uFEFF" + text) {
    const char high = static_cast<char>(c >> 8), low = static_cast<char>(c & 0xFF);
    bytes += little ? low : high;
    bytes += little ? high : low;
  }
  return bytes;
}

TEST_F(CsvReaderTest, Utf16WithAMarkIsRead) {
  const std::u16string text = u"API Name\t余弦相似度\tMessage\r\nTorch.mul.0\t0.5\t\"a\tb\r\n😀é\"\r\n";
  for (const bool little : {true, false}) {
    EXPECT_EQ(cells_of(read(utf16(text, little))),
              (Cells{{"API Name", "余弦相似度", "Message"}, {"Torch.mul.0", "0.5", "a\tb\n😀é"}}));
    // More than a block of the reader, borders at any place inside the pairs.
    std::u16string many = u"API Name\n";
    for (int i = 0; i < 100'000; ++i) many += u"😀a\n";
    const Table table = read(utf16(many, little));
    ASSERT_EQ(table.rows.size(), 100'000u);
    for (const auto& row : table.rows) ASSERT_EQ(row[0], "😀a");
    const std::string whole = utf16(text, little);
    EXPECT_EQ(
        complaint(whole.substr(0, whole.size() - 1)),
        "t.csv:4: ends in the middle of a UTF-16 character; the file is cut off there: copy it again, or save it as "
        "CSV in UTF-8");
  }
  EXPECT_EQ(cells_of(read(utf16(std::u16string{u'a', 0xD800, u'b', 0xDC00}, true))), (Cells{{"a\uFFFDb\uFFFD"}}));
}

TEST_F(CsvReaderTest, Utf16WithoutAMarkIsRefused) {
  EXPECT_EQ(complaint(utf16(u"API", true).substr(2)),
            "t.csv:1: holds a NUL character, expected UTF-8 text; save it as CSV in UTF-8");
}

TEST_F(CsvReaderTest, ALastLineWithoutALineBreakIsTold) {
  for (const char* open : {"a,b\n1,2", "a,b\n1,\"2\n\"", "a,b"}) EXPECT_TRUE(read(open).ends_openly) << open;
  for (const char* closed : {"a,b\n1,2\n", "a,b\r\n1,2\r\n", "a,b\r1,2\r"})
    EXPECT_FALSE(read(closed).ends_openly) << closed;
}

TEST_F(CsvReaderTest, WhetherTheLastLineIsOpenIsKnownInTablesOfManyRows) {
  for (const std::string end : {"\n", "\r\n", "\r"})
    for (const size_t rows : {60u, 3000u, 300'000u})  // within one block of the source, several, and past the parser's
      for (const bool closed : {true, false}) {
        std::string text = "API Name,DEVICE Dtype,Message" + end;
        for (size_t i = 0; i < rows; ++i)
          text += "Torch.mul." + std::to_string(i) + ".forward.output.0,torch.float32," + std::string(60, 'm') + end;
        if (!closed) text.resize(text.size() - end.size());
        const Table table = read(text);
        EXPECT_EQ(table.rows.size(), rows);
        EXPECT_EQ(table.ends_openly, !closed) << rows << " rows, line break of " << end.size();
      }
}

TEST_F(CsvReaderTest, WhatIsNoFileIsRefusedAtOnce) {
  const auto message = [&](const std::string& path) {
    try {
      read_table(path, {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string fifo = folder_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(message(fifo), fifo + ": is not a regular file");
  EXPECT_EQ(message(folder_.string()), folder_.string() + ": is a folder, expected a CSV file");
  EXPECT_EQ(message(folder_ / "none"),
            (folder_ / "none").string() + ": cannot be opened: No such file or directory; check the path");
}

TEST_F(CsvReaderTest, AFileThatShrinksWhileItIsReadIsNamed) {
  std::string text = "a,b\n";
  while (text.size() < 1'000'000) text += "1,2\n";
  support::write(path_, text);
  CsvSource source(path_);
  std::string buffer(text.size() + 1, '\0');
  ASSERT_EQ(source.read(buffer.data(), 100), 100);
  fs::resize_file(path_, 500'000);
  try {
    source.read(buffer.data(), static_cast<int>(buffer.size()));
    FAIL() << "no error";
  } catch (const ChangedError& error) {
    EXPECT_EQ(error.what(),
              path_ + ": was changed while it was being read; start again when nothing writes to it any more");
  }
}

TEST_F(CsvReaderTest, AnEndlessLineIsRefused) {
  EXPECT_EQ(complaint("a,b\n" + std::string(17 << 20, 'x') + "\n"),
            "t.csv:2: the line is longer than 16 MB; check that this is a CSV file");
}

// ---- robustness

TEST_F(CsvReaderTest, EveryTruncationIsReadOrRefusedByName) {
  const std::string whole =
      "\xEF\xBB\xBF"
      "API Name,余弦相似度,Message\r\nTorch.mul.0,0.5,\"a, \"\"b\"\"\r\nc\"\r\nTorch.add.0,1, \r\n";
  const Cells expected = cells_of(read(whole));
  for (size_t n = 0; n < whole.size(); ++n) {
    support::write(path_, whole.substr(0, n));
    try {
      const Table table = read_table(path_, {"API Name"});
      ASSERT_LE(table.rows.size() + 1, expected.size());
      // All rows but the last are untouched by the cut.
      for (size_t i = 0; i + 1 < table.rows.size(); ++i) EXPECT_EQ(cells_of(table)[i + 1], expected[i + 1]) << n;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(path_)) << error.what();
    }
  }
}

TEST_F(CsvReaderTest, WhatTheWriterWritesIsReadBack) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"a", ",", "\"", ";", "余", "(2, 3)", "'", "x y", "\t", "1.5", "\\"};
  std::string text = "\xEF\xBB\xBF" + csv_row({"API Name", "b", "c"});
  Cells expected = {{"API Name", "b", "c"}};
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::string> row(3);
    for (std::string& cell : row) {
      cell.assign(1, 'k');  // no formula, no blank
      for (size_t n = random() % 5; n > 0; --n) cell += pieces[random() % pieces.size()];
    }
    text += csv_row(row);
    expected.push_back(row);
  }
  EXPECT_EQ(cells_of(read(text)), expected);
}

/// The source must hand on the same bytes whatever the size of the reads, and at every place of a block's border.
TEST_F(CsvReaderTest, SourceFoldsTheSameAtEveryBorder) {
  std::string text, expected;
  for (int i = 0; i < 9000; ++i) {  // past the 256 KB that are read at a time
    text += "name " + std::to_string(i) + ",\"a\r\nb\rc\nd\"\r\n";
    expected += "name " + std::to_string(i) +
                ",\"a\xFF"
                "b\xFF"
                "c\xFF"
                "d\"\n";
  }
  for (const std::string pad : {"", "x", "xy"}) {
    support::write(path_, pad + text + "last");
    for (const int size : {1, 2, 7, 4096, 1 << 20}) {
      CsvSource source(path_);
      std::string got, buffer(static_cast<size_t>(size), '\0');
      for (int n; (n = source.read(buffer.data(), size)) > 0;) got.append(buffer, 0, static_cast<size_t>(n));
      EXPECT_TRUE(got == pad + expected + "last\n") << size;
    }
  }
}

TEST_F(CsvReaderTest, TablesOfSeveralBlocksKeepEveryCell) {
  constexpr size_t kRows = 400'000;  // 40 MB: more than the parser's buffer holds
  {
    std::ofstream file(path_, std::ios::binary);
    file << "API Name,value,Message\n";
    const std::string filler(80, 'f');
    for (size_t i = 0; i < kRows; ++i) file << "api." << i << ',' << i * 3 << ',' << filler << '\n';
  }
  const Table table = read_table(path_, {"API Name"});
  ASSERT_EQ(table.rows.size(), kRows);
  for (size_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(table.rows[i][0], "api." + std::to_string(i));
    ASSERT_EQ(table.rows[i][1], std::to_string(i * 3));
    ASSERT_EQ(table.rows[i].line(), i + 2);
  }
}

TEST(SeparatorTest, IsWhatPartsMostCells) {
  EXPECT_EQ(detect_separator("a,b,c"), ',');
  EXPECT_EQ(detect_separator("a;b;c,d"), ';');
  EXPECT_EQ(detect_separator("a\tb"), '\t');
  EXPECT_EQ(detect_separator("\"a;b;c\",d"), ',');
  EXPECT_EQ(detect_separator("alone"), ',');
}

}  // namespace
}  // namespace msprobe::report
