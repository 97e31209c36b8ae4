#include "places/place.h"

#include <gtest/gtest.h>

#include <string>

namespace msprobe::places {
namespace {

TEST(FrameTest, IsTakenApart) {
  const auto frame = parse_frame("File /home/user/job/train.py, line 24, in forward, \n x = x + self.attn(x, gain)");
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->file, "/home/user/job/train.py");
  EXPECT_EQ(frame->line, 24);
  EXPECT_EQ(frame->function, "forward");
  EXPECT_EQ(frame->code, "x = x + self.attn(x, gain)");
}

TEST(FrameTest, WordsOfTheFormMayStandInAPath) {
  const auto frame = parse_frame("File /a, line 3, in b/c.py, line 7, in <module>, \n None");
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->file, "/a, line 3, in b/c.py");
  EXPECT_EQ(frame->line, 7);
  EXPECT_EQ(frame->function, "<module>");
  EXPECT_EQ(frame->code, "");
}

TEST(FrameTest, OtherFormsAreNone) {
  for (const char* text :
       {"", "File", "File x", "File x, line y, in f, \n c", "File x, line 3", "x, line 3, in f, \n c",
        "File x, line 99999999999999999999, in f, \n c", "File x, line -3, in f", "File , line 3, in f",
        "Warning: the call stack cannot be retrieved."})
    EXPECT_FALSE(parse_frame(text)) << text;
}

TEST(ModuleTest, NameAndType) {
  const Module attention = parse_module("Module.blocks.1.attn.Attention.forward.0");
  EXPECT_EQ(attention.name, "blocks.1.attn");
  EXPECT_EQ(attention.type, "Attention");
  EXPECT_EQ(parse_module("Module.head.Linear.backward.12").name, "head");
  const Module root = parse_module("Module.Model.forward.0");
  EXPECT_EQ(root.name, "");
  EXPECT_EQ(root.type, "Model");
  EXPECT_EQ(parse_module("optimizer").name, "optimizer");
  EXPECT_EQ(parse_module("").name, "");
}

TEST(PlaceTest, TextsLeaveOutWhatIsNotKnown) {
  const Frame frame{"/home/user/job/train.py", 24, "forward", "x = x + self.attn(self.norm1(x), gain)"};
  const Module module{"blocks.1.attn", "Attention"};
  const Place whole{{{"/opt/torch/x.py", 3, "g", ""}, frame}, 1, {module}};
  EXPECT_EQ(line_text(whole), "train.py:24 in forward  x = x + self.attn(self.norm1(x), gain)   blocks.1.attn");
  EXPECT_EQ(short_text(whole), "train.py:24, blocks.1.attn");
  EXPECT_EQ(line_text({{frame}, 0, {}}), "train.py:24 in forward  x = x + self.attn(self.norm1(x), gain)");
  EXPECT_EQ(short_text({{}, {}, {module}}), "blocks.1.attn");
  EXPECT_EQ(line_text({{}, {}, {{"", "Model"}}}), "Model");
  EXPECT_EQ(line_text({}), "");
}

TEST(PlaceTest, TextsStayOnOneLine) {
  const Place place{{{"/a/b\x1b[31m.py", 1, "f\n", "first(\n  second)"}}, 0, {{"m\tn", "T"}}};
  EXPECT_EQ(line_text(place), "b\\x1b[31m.py:1 in f\\n  first(   m\\tn");
  const Place longer{{{"/a/b.py", 1, "f", std::string(5000, 'c')}}, 0, {}};
  EXPECT_LT(line_text(longer).size(), 130u);
}

}  // namespace
}  // namespace msprobe::places
