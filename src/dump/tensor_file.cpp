#include "dump/tensor_file.h"

#include "dump/npy_reader.h"
#include "dump/pt_reader.h"
#include "util/mapped_file.h"
#include "util/text.h"

namespace msprobe::dump {
namespace {

std::shared_ptr<util::MappedFile> map(util::Descriptor file, const std::string& where, const std::string& path) {
  return std::make_shared<util::MappedFile>(std::move(file), where, util::MappedFile::Access::kPrivateWrite, path);
}

}  // namespace

TensorFile read_tensor_file(const std::string& dir, const std::string& name) {
  const std::string where = dir + "/" + util::shown(name);
  const auto file = map(util::open_beneath(dir, name), where, dir + "/" + name);
  return is_npy(file->text()) ? read_npy(file->data(), file->size(), file, where)
                              : read_pt(file->data(), file->size(), file, where);
}

TensorFile read_pt(const std::string& path) {
  const auto file = map(util::open_regular(path), util::shown(path), path);
  return read_pt(file->data(), file->size(), file, util::shown(path));
}

TensorFile read_npy(const std::string& path) {
  const auto file = map(util::open_regular(path), util::shown(path), path);
  return read_npy(file->data(), file->size(), file, util::shown(path));
}

}  // namespace msprobe::dump
