#include "goldens/user/elf_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "util/descriptor.h"

namespace msprobe::goldens {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
constexpr Elf64_Half kMachine = EM_NONE;  // no library is read, the loader alone judges
#endif
constexpr const char* kOwn = ".msprobe";  // sections of this beginning are read
constexpr uint64_t kMostOfOwn = 4096;

class File {
 public:
  explicit File(const std::string& path) : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}

  bool is_open() const { return fd_.valid(); }
  void want_regular() {
    struct stat info {};
    if (::fstat(fd_.get(), &info) != 0 || !S_ISREG(info.st_mode))
      throw std::runtime_error(path_ + " is not a regular file");
    size_ = static_cast<uint64_t>(info.st_size);
  }
  std::string read(uint64_t offset, uint64_t bytes) const {
    std::string text;
    if (offset <= size_ && bytes <= size_ - offset) text.resize(bytes);
    if (text.size() != bytes ||
        ::pread(fd_.get(), text.data(), bytes, static_cast<off_t>(offset)) != static_cast<ssize_t>(bytes))
      throw std::runtime_error(path_ + " is cut short: a table of its ELF header lies outside it");
    return text;
  }
  uint64_t size() const { return size_; }

 private:
  const std::string& path_;
  util::Descriptor fd_;
  uint64_t size_ = 0;
};

std::string text_at(const std::string& table, uint64_t offset) {
  if (offset >= table.size()) return "";
  const size_t end = table.find('\0', offset);
  return end == std::string::npos ? "" : table.substr(offset, end - offset);
}

template <class T>
std::vector<T> as_array(const std::string& bytes) {
  std::vector<T> items(bytes.size() / sizeof(T));
  std::memcpy(items.data(), bytes.data(), items.size() * sizeof(T));
  return items;
}

bool is_library(const Elf64_Ehdr& head) {
  constexpr unsigned char kOrder = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
         head.e_ident[EI_DATA] == kOrder && head.e_type == ET_DYN && head.e_machine == kMachine &&
         kMachine != EM_NONE && (head.e_shnum == 0 || head.e_shentsize == sizeof(Elf64_Shdr));
}

}  // namespace

std::optional<ElfFile> ElfFile::read(const std::string& path) {
  File file(path);
  if (!file.is_open()) return std::nullopt;
  file.want_regular();
  if (file.size() < sizeof(Elf64_Ehdr)) return std::nullopt;
  const Elf64_Ehdr head = as_array<Elf64_Ehdr>(file.read(0, sizeof(Elf64_Ehdr)))[0];
  if (!is_library(head)) return std::nullopt;

  ElfFile elf;
  const auto headers = as_array<Elf64_Shdr>(file.read(head.e_shoff, head.e_shnum * sizeof(Elf64_Shdr)));
  if (head.e_shstrndx >= headers.size()) return elf;
  const Elf64_Shdr& names_at = headers[head.e_shstrndx];
  const std::string names = file.read(names_at.sh_offset, names_at.sh_size);
  for (const Elf64_Shdr& header : headers) {
    Section& section = elf.sections_.emplace_back();
    section.name = text_at(names, header.sh_name);
    section.type = header.sh_type;
    section.link = header.sh_link;
    if (header.sh_type == SHT_PROGBITS && section.name.rfind(kOwn, 0) == 0)
      section.content = file.read(header.sh_offset, std::min<uint64_t>(header.sh_size, kMostOfOwn));
  }
  for (size_t i = 0; i < headers.size(); ++i) {
    const size_t link = headers[i].sh_link;
    if (headers[i].sh_type != SHT_DYNSYM || link >= headers.size()) continue;
    elf.sections_[i].content = file.read(headers[i].sh_offset, headers[i].sh_size);
    elf.sections_[link].content = file.read(headers[link].sh_offset, headers[link].sh_size);
  }
  return elf;
}

bool ElfFile::defines(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.type != SHT_DYNSYM || section.link >= sections_.size()) continue;
    for (const auto& symbol : as_array<Elf64_Sym>(section.content))
      if (symbol.st_shndx != SHN_UNDEF && text_at(sections_[section.link].content, symbol.st_name) == name) return true;
  }
  return false;
}

std::string ElfFile::section(std::string_view name, size_t bytes) const {
  for (const Section& section : sections_)
    if (section.name == name && section.content.size() >= bytes) return section.content.substr(0, bytes);
  return "";
}

}  // namespace msprobe::goldens
