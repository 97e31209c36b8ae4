#include "dump/tensor_file.h"

#include "dump/mapped_file.h"
#include "dump/npy_reader.h"
#include "dump/pt_reader.h"
#include "dump/text.h"

namespace msprobe::dump {
namespace {

std::shared_ptr<MappedFile> map(Descriptor file, const std::string& where, const std::string& path) {
  return std::make_shared<MappedFile>(std::move(file), where, MappedFile::Access::kPrivateWrite, path);
}

}  // namespace

TensorFile read_tensor_file(const std::string& dir, const std::string& name) {
  const std::string where = dir + "/" + shown(name);
  const auto file = map(open_beneath(dir, name), where, dir + "/" + name);
  return is_npy(file->text()) ? read_npy(file->data(), file->size(), file, where)
                              : read_pt(file->data(), file->size(), file, where);
}

TensorFile read_pt(const std::string& path) {
  const auto file = map(open_regular(path), shown(path), path);
  return read_pt(file->data(), file->size(), file, shown(path));
}

TensorFile read_npy(const std::string& path) {
  const auto file = map(open_regular(path), shown(path), path);
  return read_npy(file->data(), file->size(), file, shown(path));
}

}  // namespace msprobe::dump
