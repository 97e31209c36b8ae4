#include "dump/tensor_pickle.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "util/error.h"
#include "util/text.h"

namespace msprobe::dump {
namespace {

/// Parameters inside rebuilt types inside ...: torch.save goes two deep.
constexpr int kMaxRebuilds = 8;

struct StorageClass {
  std::string_view name;
  Dtype dtype;
};

constexpr std::array kStorageClasses = {
    StorageClass{"BoolStorage", Dtype::kBool},
    StorageClass{"ByteStorage", Dtype::kUint8},
    StorageClass{"CharStorage", Dtype::kInt8},
    StorageClass{"ShortStorage", Dtype::kInt16},
    StorageClass{"IntStorage", Dtype::kInt32},
    StorageClass{"LongStorage", Dtype::kInt64},
    StorageClass{"HalfStorage", Dtype::kFloat16},
    StorageClass{"BFloat16Storage", Dtype::kBfloat16},
    StorageClass{"FloatStorage", Dtype::kFloat32},
    StorageClass{"DoubleStorage", Dtype::kFloat64},
    StorageClass{"ComplexFloatStorage", Dtype::kComplex64},
    StorageClass{"ComplexDoubleStorage", Dtype::kComplex128},
};
constexpr std::string_view kUntypedStorage = "UntypedStorage";

bool is_storage_module(std::string_view module) {
  constexpr std::array kModules = {std::string_view("torch"), std::string_view("torch.storage"),
                                   std::string_view("torch.cuda"), std::string_view("torch.npu"),
                                   std::string_view("torch_npu")};
  return std::find(kModules.begin(), kModules.end(), module) != kModules.end();
}

const StorageClass* find_storage_class(const PickleNode& global) {
  if (!is_storage_module(global.text)) return nullptr;
  const auto found = std::find_if(kStorageClasses.begin(), kStorageClasses.end(),
                                  [&](const StorageClass& row) { return row.name == global.name; });
  return found == kStorageClasses.end() ? nullptr : &*found;
}

bool is_untyped_storage(const PickleNode& global) {
  return is_storage_module(global.text) && global.name == kUntypedStorage;
}

std::optional<Dtype> dtype_of(const PickleNode& node) {
  if (!node.is(PickleKind::kGlobal) || node.text != "torch") return std::nullopt;
  return parse_dtype(node.name);
}

/// What a tensor's pickle may name without being called: classes as arguments, and the empty dict of hooks.
bool is_harmless(const PickleNode& global) {
  return is_untyped_storage(global) || find_storage_class(global) != nullptr || dtype_of(global).has_value() ||
         global.is_global("collections", "OrderedDict") || global.is_global("torch", "Size");
}

/// Functions that torch.save names for objects other than strided tensors of numbers: for a better message.
struct Foreign {
  std::string_view module, name, what;
};
constexpr std::array kForeign = {
    Foreign{"torch._utils", "_rebuild_sparse_tensor", "a sparse tensor"},
    Foreign{"torch._utils", "_rebuild_qtensor", "a quantised tensor"},
    Foreign{"torch._utils", "_rebuild_nested_tensor", "a nested tensor"},
    Foreign{"torch._utils", "_rebuild_meta_tensor_no_storage", "a meta tensor, which has no values"},
    Foreign{"torch._utils", "_rebuild_device_tensor_from_numpy", "a tensor saved through numpy"},
    Foreign{"torch._utils", "_rebuild_device_tensor_from_cpu_tensor", "a tensor of another device"},
    Foreign{"torch._utils", "_rebuild_wrapper_subclass", "a wrapper of tensors"},
    Foreign{"numpy.core.multiarray", "_reconstruct", "a numpy array"},
    Foreign{"numpy._core.multiarray", "_reconstruct", "a numpy array"},
};

class PlanReader {
 public:
  PlanReader(const Pickle& pickle, const std::string& where) : pickle_(pickle), where_(where) {}

  TensorPlan read() {
    // Before anything else: a name that is not known stops everything, even one that would never have been used.
    const PickleNode& root = *pickle_.root;
    if (root.is(PickleKind::kCall)) mark_types(root);
    for (const PickleNode* global : pickle_.globals) check_global(*global);
    if (!root.is(PickleKind::kCall)) fail("holds " + describe(root) + ", expected one tensor");
    check_storages();
    TensorPlan plan;
    rebuild(*root.items[0], arguments_of(root), plan, 0);
    if (plan.sizes.size() != plan.strides.size()) {
      fail("has " + std::to_string(plan.sizes.size()) + " sizes and " + std::to_string(plan.strides.size()) +
           " strides");
    }
    return plan;
  }

 private:
  enum class Function { kTensorV1, kTensorV2, kTensorV3, kParameter, kParameterWithState, kFromType };
  struct Row {
    std::string_view module, name;
    Function function;
    size_t min_arguments, max_arguments;
  };
  static constexpr std::array kFunctions = {
      Row{"torch._utils", "_rebuild_tensor", Function::kTensorV1, 4, 4},
      Row{"torch._utils", "_rebuild_tensor_v2", Function::kTensorV2, 6, 7},
      Row{"torch._utils", "_rebuild_tensor_v3", Function::kTensorV3, 7, 8},
      Row{"torch._utils", "_rebuild_parameter", Function::kParameter, 2, 3},
      Row{"torch._utils", "_rebuild_parameter_with_state", Function::kParameterWithState, 3, 4},
      Row{"torch._tensor", "_rebuild_from_type_v2", Function::kFromType, 4, 4},
  };

  static const Row* find_function(const PickleNode& global) {
    for (const Row& row : kFunctions) {
      if (global.is_global(row.module, row.name)) return &row;
    }
    return nullptr;
  }

  [[noreturn]] void fail(const std::string& what) const { throw Error(where_, what); }

  static std::string describe(const PickleNode& node) {
    switch (node.kind) {
      case PickleKind::kTuple:
      case PickleKind::kList:
        return "a list";
      case PickleKind::kDict:
        return "a dict";
      case PickleKind::kNone:
        return "None";
      case PickleKind::kGlobal:
        return "the class or function " + dotted(node);
      default:
        return "a plain value";
    }
  }

  static std::string dotted(const PickleNode& global) {
    return util::shown(std::string(global.text) + "." + std::string(global.name));
  }

  const std::vector<const PickleNode*>& arguments_of(const PickleNode& call) const {
    if (!call.items[1]->is(PickleKind::kTuple)) fail("calls a function with arguments that are no tuple");
    return call.items[1]->items;
  }

  /// _rebuild_from_type_v2(function, class, ...) names the class of a tensor, which may be the user's own: it is not
  /// needed, so it need not be known. It may stand at the root, or inside the parameters there.
  void mark_types(const PickleNode& root) {
    const PickleNode* call = &root;
    for (int depth = 0; depth < kMaxRebuilds && call->is(PickleKind::kCall); ++depth) {
      const PickleNode &function = *call->items[0], &arguments = *call->items[1];
      if (!arguments.is(PickleKind::kTuple) || arguments.items.size() < 2) return;
      if (function.is_global("torch._tensor", "_rebuild_from_type_v2")) types_.insert(arguments.items[1]);
      call = arguments.items[0];
    }
  }

  void check_global(const PickleNode& global) const {
    if (is_harmless(global) || find_function(global) != nullptr || types_.count(&global) != 0) return;
    for (const Foreign& row : kForeign) {
      if (global.is_global(row.module, row.name)) fail("holds " + std::string(row.what) + ", expected a dense tensor");
    }
    fail("its pickle asks for " + dotted(global) + ", which is not needed to rebuild a tensor; nothing was executed");
  }

  /// torch.save refuses to write one storage as two types; so does this reader.
  void check_storages() const {
    std::map<std::string, StorageRef> seen;
    for (const PickleNode& node : pickle_.nodes) {
      if (!node.is(PickleKind::kPersistent)) continue;
      const StorageRef storage = read_storage_ref(node, where_);
      const StorageRef& first = seen.emplace(storage.key, storage).first->second;
      if (first.dtype != storage.dtype || first.count != storage.count) {
        fail("names the storage " + util::quoted(storage.key) + " with two types or sizes");
      }
    }
  }

  // ---- arguments ---------------------------------------------------------------------------------------------------

  int64_t integer(const PickleNode& node, const char* what) const {
    if (!node.is(PickleKind::kInteger)) fail(std::string(what) + " is no integer of 64 bits");
    if (node.integer < 0) fail(std::string(what) + " is negative: " + std::to_string(node.integer));
    return node.integer;
  }

  std::vector<int64_t> integers(const PickleNode& node, const char* what) const {
    // torch.Size((2, 3)) is a call around the tuple.
    const bool is_size = node.is(PickleKind::kCall) && node.items[0]->is_global("torch", "Size");
    const PickleNode* tuple = is_size && arguments_of(node).size() == 1 ? arguments_of(node)[0] : &node;
    if (!tuple->is(PickleKind::kTuple) && !tuple->is(PickleKind::kList)) fail(std::string(what) + " is no tuple");
    std::vector<int64_t> result;
    for (const PickleNode* item : tuple->items) result.push_back(integer(*item, what));
    return result;
  }

  bool boolean(const PickleNode& node, const char* what) const {
    if (!node.is(PickleKind::kBool)) fail(std::string(what) + " is neither True nor False");
    return node.boolean;
  }

  // ---- the functions -----------------------------------------------------------------------------------------------

  void rebuild(const PickleNode& callable, const std::vector<const PickleNode*>& arguments, TensorPlan& plan,
               int depth) const {
    const Row* row = find_function(callable);
    if (row == nullptr || depth == kMaxRebuilds) fail("its pickle does not rebuild a tensor");
    if (arguments.size() < row->min_arguments || arguments.size() > row->max_arguments) {
      fail("calls " + std::string(row->name) + " with " + std::to_string(arguments.size()) + " arguments");
    }
    switch (row->function) {
      case Function::kTensorV1:
      case Function::kTensorV2:
      case Function::kTensorV3:
        return rebuild_tensor(row->function, arguments, plan);
      case Function::kParameter:
      case Function::kParameterWithState:
        if (!arguments[0]->is(PickleKind::kCall)) fail("a parameter is not made of a tensor");
        rebuild(*arguments[0]->items[0], arguments_of(*arguments[0]), plan, depth + 1);
        plan.requires_grad = boolean(*arguments[1], "requires_grad");
        return;
      case Function::kFromType:
        if (!arguments[2]->is(PickleKind::kTuple)) fail("rebuilds a type without a tuple of arguments");
        return rebuild(*arguments[0], arguments[2]->items, plan, depth + 1);
    }
  }

  /// _rebuild_tensor(storage, offset, sizes, strides), v2 goes on with (requires_grad, hooks, metadata), v3 has the
  /// dtype before metadata.
  void rebuild_tensor(Function function, const std::vector<const PickleNode*>& arguments, TensorPlan& plan) const {
    plan.storage = read_storage_ref(*arguments[0], where_);
    plan.offset = integer(*arguments[1], "the storage offset");
    plan.sizes = integers(*arguments[2], "the shape");
    plan.strides = integers(*arguments[3], "the stride");
    std::optional<Dtype> dtype = plan.storage.dtype;
    if (function != Function::kTensorV1) plan.requires_grad = boolean(*arguments[4], "requires_grad");
    const size_t metadata = function == Function::kTensorV3 ? 7 : 6;
    if (function == Function::kTensorV3) {
      dtype = dtype_of(*arguments[6]);
      if (!dtype) {
        const bool named = arguments[6]->is(PickleKind::kGlobal);
        fail("has the dtype " + (named ? dotted(*arguments[6]) : std::string("of a strange kind")) +
             ", which is not known");
      }
    }
    if (!dtype) fail("has a storage without a dtype");
    plan.dtype = *dtype;
    if (arguments.size() > metadata) read_metadata(*arguments[metadata], plan);
  }

  void read_metadata(const PickleNode& metadata, TensorPlan& plan) const {
    if (!metadata.is(PickleKind::kDict)) return;
    for (size_t i = 0; i + 1 < metadata.items.size(); i += 2) {
      if (!metadata.items[i]->is(PickleKind::kText)) continue;
      if (metadata.items[i]->text == "conj") plan.conj = boolean(*metadata.items[i + 1], "the conjugate bit");
      if (metadata.items[i]->text == "neg") plan.neg = boolean(*metadata.items[i + 1], "the negative bit");
    }
  }

  const Pickle& pickle_;
  const std::string& where_;
  std::set<const PickleNode*> types_;
};

}  // namespace

TensorPlan read_tensor_plan(const Pickle& pickle, const std::string& where) {
  return PlanReader(pickle, where).read();
}

StorageRef read_storage_ref(const PickleNode& persistent, const std::string& where) {
  const auto check = [&](bool good) {
    if (!good) throw Error(where, "its pickle names a storage in a way that torch.save does not");
  };
  check(persistent.is(PickleKind::kPersistent) && persistent.items[0]->is(PickleKind::kTuple));
  // ("storage", class, key, location, count); before torch 1.6 a sixth says which part of another storage it is.
  const auto& id = persistent.items[0]->items;
  check(id.size() == 5 || (id.size() == 6 && id[5]->is(PickleKind::kNone)));
  check(id[0]->is(PickleKind::kText) && id[0]->text == "storage" && id[1]->is(PickleKind::kGlobal));
  check(id[2]->is(PickleKind::kText) && id[4]->is(PickleKind::kInteger) && id[4]->integer >= 0);
  StorageRef storage;
  storage.key = id[2]->text;
  storage.count = id[4]->integer;
  if (is_untyped_storage(*id[1])) return storage;
  const StorageClass* row = find_storage_class(*id[1]);
  if (row == nullptr) throw Error(where, "has a storage of an unknown class, " + util::shown(id[1]->name));
  storage.dtype = row->dtype;
  return storage;
}

int64_t checked_offset(const TensorPlan& plan, int64_t storage_bytes, const std::string& where) {
  const int64_t size = dtype_size(plan.dtype);
  int64_t elements = 1;
  int64_t last = plan.offset;  // index of the element that lies farthest
  bool overflow = false;
  const bool empty = std::find(plan.sizes.begin(), plan.sizes.end(), 0) != plan.sizes.end();
  for (size_t i = 0; i < plan.sizes.size() && !empty; ++i) {
    int64_t step = 0;
    overflow |= __builtin_mul_overflow(elements, plan.sizes[i], &elements);
    overflow |= __builtin_mul_overflow(plan.sizes[i] - 1, plan.strides[i], &step);
    overflow |= __builtin_add_overflow(last, step, &last);
  }
  int64_t bytes = 0, end = 0, all = 0;
  overflow |= __builtin_mul_overflow(plan.offset, size, &bytes);
  overflow |= __builtin_mul_overflow(elements, size, &all);
  if (!empty) {
    overflow |= __builtin_add_overflow(last, int64_t{1}, &last);
    overflow |= __builtin_mul_overflow(last, size, &end);
  }
  if (overflow) throw Error(where, "its shape, stride or offset is larger than 64 bits can count");
  if (empty) return std::min(bytes, storage_bytes);
  if (end > storage_bytes) {
    throw Error(where, "its shape, stride and offset reach to byte " + std::to_string(end) + " of a storage of " +
                           std::to_string(storage_bytes) + " bytes");
  }
  return bytes;
}

}  // namespace msprobe::dump
