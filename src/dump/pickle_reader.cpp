#include "dump/pickle_reader.h"

#include <cstdio>

#include "dump/pickle_machine.h"

namespace msprobe::dump {
namespace {

/// Python's pickletools.py names and describes them.
enum class Op : unsigned char {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersid = 'Q',
  kReduce = 'R',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyDict = '}',
  kEmptyList = ']',
  kEmptyTuple = ')',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kProto = 0x80,
  kNewObj = 0x81,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kLong4 = 0x8b,
  kShortBinUnicode = 0x8c,
  kBinUnicode8 = 0x8d,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95,
};

// Each step does what one opcode asks for; false when that is not one of its own.

bool step_number(Op op, PickleMachine& m) {
  switch (op) {
    case Op::kNone:
      m.push_new(PickleKind::kNone);
      return true;
    case Op::kNewTrue:
    case Op::kNewFalse:
      m.push_new(PickleKind::kBool).boolean = op == Op::kNewTrue;
      return true;
    case Op::kBinInt:
      m.push_integer(m.number<int32_t>());
      return true;
    case Op::kBinInt1:
      m.push_integer(m.number<uint8_t>());
      return true;
    case Op::kBinInt2:
      m.push_integer(m.number<uint16_t>());
      return true;
    case Op::kLong1:
      m.push_long(m.number<uint8_t>());
      return true;
    case Op::kLong4:
      m.push_long(m.number<uint32_t>());
      return true;
    case Op::kBinFloat:
      m.push_real();
      return true;
    default:
      return false;
  }
}

bool step_text(Op op, PickleMachine& m) {
  switch (op) {
    case Op::kShortBinUnicode:
      m.push_text(PickleKind::kText, m.number<uint8_t>());
      return true;
    case Op::kBinUnicode:
      m.push_text(PickleKind::kText, m.number<uint32_t>());
      return true;
    case Op::kBinUnicode8:
      m.push_text(PickleKind::kText, m.number<uint64_t>());
      return true;
    case Op::kShortBinBytes:
      m.push_text(PickleKind::kBytes, m.number<uint8_t>());
      return true;
    case Op::kBinBytes:
      m.push_text(PickleKind::kBytes, m.number<uint32_t>());
      return true;
    default:
      return false;
  }
}

bool step_container(Op op, PickleMachine& m) {
  switch (op) {
    case Op::kEmptyTuple:
      m.push_new(PickleKind::kTuple);
      return true;
    case Op::kEmptyList:
      m.push_new(PickleKind::kList);
      return true;
    case Op::kEmptyDict:
      m.push_new(PickleKind::kDict);
      return true;
    case Op::kTuple:
      m.push_items(PickleKind::kTuple, m.pop_to_mark());
      return true;
    case Op::kTuple1:
    case Op::kTuple2:
    case Op::kTuple3:
      m.push_items(PickleKind::kTuple, m.pop_many(static_cast<size_t>(op) - static_cast<size_t>(Op::kTuple1) + 1));
      return true;
    case Op::kAppend:
      m.fill(PickleKind::kList, m.pop_many(1));
      return true;
    case Op::kAppends:
      m.fill(PickleKind::kList, m.pop_to_mark());
      return true;
    case Op::kSetItem:
      m.fill(PickleKind::kDict, m.pop_many(2));
      return true;
    case Op::kSetItems:
      m.fill(PickleKind::kDict, m.pop_to_mark());
      return true;
    default:
      return false;
  }
}

bool step_stack(Op op, PickleMachine& m) {
  switch (op) {
    case Op::kMark:
      m.set_mark();
      return true;
    case Op::kPop:
      m.pop();
      return true;
    case Op::kPopMark:
      m.pop_to_mark();
      return true;
    case Op::kDup:
      m.push(m.top());
      return true;
    case Op::kBinPut:
      m.put(m.number<uint8_t>());
      return true;
    case Op::kLongBinPut:
      m.put(m.number<uint32_t>());
      return true;
    case Op::kMemoize:
      m.put_next();
      return true;
    case Op::kBinGet:
      m.get(m.number<uint8_t>());
      return true;
    case Op::kLongBinGet:
      m.get(m.number<uint32_t>());
      return true;
    default:
      return false;
  }
}

void push_named_global(PickleMachine& m) {
  const PickleMachine::Nodes names = m.pop_many(2);
  if (!names[0]->is(PickleKind::kText) || !names[1]->is(PickleKind::kText)) m.fail("names a global without text");
  m.push_global(names[0]->text, names[1]->text);
}

bool step_object(Op op, PickleMachine& m) {
  switch (op) {
    case Op::kGlobal: {
      const std::string_view module = m.line();
      m.push_global(module, m.line());
      return true;
    }
    case Op::kStackGlobal:
      push_named_global(m);
      return true;
    case Op::kReduce:
    case Op::kNewObj:
      m.push_items(PickleKind::kCall, m.pop_many(2));
      return true;
    case Op::kBuild:  // the state of an object; only its rebuilding arguments matter here
      m.pop_many(1);
      m.top();
      return true;
    case Op::kBinPersid:
      m.push_items(PickleKind::kPersistent, m.pop_many(1));
      return true;
    default:
      return false;
  }
}

bool step_stream(Op op, PickleMachine& m) {
  switch (op) {
    case Op::kProto:
      if (m.number<uint8_t>() > 5) m.fail("has an unknown protocol");
      return true;
    case Op::kFrame:
      m.number<uint64_t>();  // only tells a reader of streams how much to fetch
      return true;
    case Op::kStop:
      m.stop();
      return true;
    default:
      return false;
  }
}

void step(PickleMachine& m) {
  const auto op = static_cast<Op>(m.take(1)[0]);
  for (const auto family : {step_number, step_text, step_container, step_stack, step_object, step_stream})
    if (family(op, m)) return;
  char code[8];
  std::snprintf(code, sizeof code, "0x%02x", static_cast<unsigned>(op));
  m.fail(std::string("has the opcode ") + code + ", which tensor files do not use,", 1);
}

}  // namespace

Pickle read_pickle(std::string_view bytes, const std::string& where) {
  PickleMachine machine(bytes, where);
  while (!machine.stopped()) step(machine);
  return machine.finish();
}

}  // namespace msprobe::dump
