#include "goldens/user/tensor_block.h"

#include <ATen/ATen.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace msprobe::goldens {
namespace {

using inputs::Value;
using nlohmann::json;

constexpr size_t kAlignment = 64;

json float_json(double d) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", d);  // Python's float() reads nan and inf as well
  return text;
}

std::string short_name(at::ScalarType dtype) {
  std::string name = inputs::dtype_name(dtype);
  return name.starts_with("torch.") ? name.substr(6) : name;
}

json torch_name(const std::string& name) {
  return json{{"torch_name", name}};
}

const char* name_of(at::MemoryFormat format) {
  switch (format) {
    case at::MemoryFormat::ChannelsLast:
      return "channels_last";
    case at::MemoryFormat::ChannelsLast3d:
      return "channels_last_3d";
    case at::MemoryFormat::Contiguous:
      return "contiguous_format";
    default:
      return "preserve_format";
  }
}

// Memory of an answer, unmapped with its last tensor.
class Mapping {
 public:
  explicit Mapping(int descriptor) {
    struct stat info {};
    if (fstat(descriptor, &info) == 0 && info.st_size > 0) {
      size_ = static_cast<size_t>(info.st_size);
      data_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    }
    const int error = errno;
    close(descriptor);
    if (data_ == MAP_FAILED)
      throw std::runtime_error(std::string("cannot map a golden's result: ") + std::strerror(error));
  }
  ~Mapping() {
    if (data_ != MAP_FAILED && data_ != nullptr) munmap(data_, size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  char* data() const { return static_cast<char*>(data_); }
  size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

[[noreturn]] void broken(const json& j) {
  throw std::runtime_error("the process of the Python goldens answers with " + j.dump().substr(0, 100));
}

class Decoder {
 public:
  explicit Decoder(int descriptor) {
    if (descriptor >= 0) mapping_ = std::make_shared<Mapping>(descriptor);
  }

  Value value(const json& j) const {
    if (j.is_null()) return {};
    if (j.is_boolean()) return Value(j.get<bool>());
    if (j.is_number_integer()) return Value(j.get<int64_t>());
    if (j.is_string()) return Value(j.get<std::string>());
    if (!j.is_object() || j.size() != 1) broken(j);
    const std::string kind = j.begin().key();
    const json& content = j.begin().value();
    if (kind == "tensor") return Value(tensor(content));
    if (kind == "float") return Value(number(content));
    if (kind == "complex") return Value(c10::complex<double>(number(content.at(0)), number(content.at(1))));
    if (kind == "int") return Value(inputs::BigInt{content.get<std::string>()});
    if (kind == "list") {
      inputs::List list;
      for (const json& item : content) list.items.push_back(value(item));
      return Value(std::move(list));
    }
    if (kind == "torch_name") {
      if (const auto dtype = inputs::parse_scalar_type(content.get<std::string>())) return Value(*dtype);
    }
    broken(j);
  }

 private:
  static double number(const json& j) { return std::strtod(j.get<std::string>().c_str(), nullptr); }

  at::Tensor tensor(const json& j) const {
    const auto offset = j.at(0).get<size_t>();
    const auto dtype = inputs::parse_scalar_type(j.at(1).get<std::string>());
    const auto shape = j.at(2).get<std::vector<int64_t>>();
    if (!dtype)
      throw std::runtime_error("the golden returns a tensor of dtype " + j.at(1).get<std::string>() +
                               ", which this LibTorch does not have");
    const auto options = at::TensorOptions(*dtype);
    size_t bytes = c10::elementSize(*dtype);
    for (int64_t n : shape) bytes *= static_cast<size_t>(n);
    if (bytes == 0) return at::empty(shape, options);
    if (!mapping_ || offset > mapping_->size() || bytes > mapping_->size() - offset || offset % kAlignment != 0)
      broken(j);
    return at::from_blob(
        mapping_->data() + offset, shape, [mapping = mapping_](void*) {}, options);
  }

  std::shared_ptr<Mapping> mapping_;
};

}  // namespace

json TensorBlock::encode_tensor(const at::Tensor& given) {
  if (!given.defined()) return nullptr;
  at::Tensor t = given.detach();
  if (t.is_quantized()) throw std::runtime_error("a quantised tensor cannot be given to a Python golden");
  if (t.layout() != at::kStrided) t = t.to_dense();
  t = t.to(at::kCPU).resolve_conj().resolve_neg().contiguous();
  const size_t offset = (size_ + kAlignment - 1) / kAlignment * kAlignment;
  size_ = offset + t.nbytes();
  tensors_.emplace_back(offset, t);
  return json{{"tensor", {offset, short_name(t.scalar_type()), t.sizes().vec(), given.requires_grad()}}};
}

json TensorBlock::encode(const Value& value) {
  struct Visitor {
    TensorBlock& block;
    json operator()(const inputs::None&) const { return nullptr; }
    json operator()(const inputs::Opaque&) const {
      throw std::runtime_error("an argument was not recorded (the dump holds {} for it)");
    }
    json operator()(bool b) const { return b; }
    json operator()(int64_t i) const { return i; }
    json operator()(const inputs::BigInt& i) const { return json{{"int", i.digits}}; }
    json operator()(double d) const { return json{{"float", float_json(d)}}; }
    json operator()(const c10::complex<double>& c) const {
      return json{{"complex", {float_json(c.real()), float_json(c.imag())}}};
    }
    json operator()(const std::string& s) const { return s; }
    json operator()(const inputs::Ellipsis&) const { return json{{"ellipsis", nullptr}}; }
    json operator()(at::ScalarType t) const { return torch_name(short_name(t)); }
    json operator()(at::Layout layout) const { return torch_name(layout == at::kStrided ? "strided" : "sparse_coo"); }
    json operator()(const at::Device& d) const { return json{{"device", d.str()}}; }
    json operator()(at::MemoryFormat format) const { return torch_name(name_of(format)); }
    json operator()(const inputs::Slice& s) const { return json{{"slice", items(s.parts)}}; }
    json operator()(const inputs::List& l) const { return json{{l.is_size ? "size" : "list", items(l.items)}}; }
    json operator()(const inputs::Dict& d) const {
      json out = json::array();
      for (const auto& [name, item] : d.items) out.push_back(json::array({name, block.encode(item)}));
      return json{{"dict", std::move(out)}};
    }
    json operator()(const at::Tensor& t) const { return block.encode_tensor(t); }
    json items(const std::vector<Value>& values) const {
      json out = json::array();
      for (const Value& v : values) out.push_back(block.encode(v));
      return out;
    }
  };
  return std::visit(Visitor{*this}, value.v);
}

int TensorBlock::write() const {
  if (size_ == 0) return -1;
  const int descriptor = memfd_create("msprobe-golden", MFD_CLOEXEC);
  void* memory = MAP_FAILED;
  // Reserved at once: memory that runs out later would be a SIGBUS.
  if (descriptor >= 0 && posix_fallocate(descriptor, 0, static_cast<off_t>(size_)) == 0)
    memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) {
    if (descriptor >= 0) close(descriptor);
    throw std::runtime_error("out of memory: no " + std::to_string(size_) +
                             " bytes for the tensors of a Python golden");
  }
  for (const auto& [offset, t] : tensors_)
    if (t.nbytes() > 0) std::memcpy(static_cast<char*>(memory) + offset, t.data_ptr(), t.nbytes());
  munmap(memory, size_);
  return descriptor;
}

Value decode_answer(const json& j, int descriptor) {
  return Decoder(descriptor).value(j);
}

}  // namespace msprobe::goldens
