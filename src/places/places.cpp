#include "places/places.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

#include "config/settings.h"
#include "places/construct_file.h"
#include "places/outside.h"
#include "places/stack_file.h"
#include "util/changed_error.h"
#include "util/count_of.h"
#include "util/message.h"

namespace msprobe::places {
namespace {

namespace fs = std::filesystem;

/// A file that is opened when it is asked for, and given up for good when anything is wrong with it.
template <class File>
class Lazy {
 public:
  explicit Lazy(std::string path) : path_(std::move(path)) {}

  bool there() const {
    std::error_code unknown;
    return fs::exists(path_, unknown) && !unknown;
  }
  /// What `ask` makes of the file; nothing where there is none. One entry that cannot be read leaves the others.
  template <class Ask>
  auto ask(const Ask& ask) -> decltype(ask(std::declval<const File&>())) {
    try {
      open();
      if (file_) return ask(*file_);
    } catch (const ChangedError& error) {
      file_.reset();
      tell(error);
    } catch (const std::exception& error) {
      tell(error);
    }
    return {};
  }

 private:
  void open() {
    if (std::exchange(tried_, true) || !there()) return;
    file_.emplace(path_);
    const KeyedFile& file = file_->file();
    if (file.foreign() > 0)
      spdlog::warn("{}: {} of another form than msprobe's dumper writes, which are ignored; the first is {}",
                   file.shown_path(), util::count_of(file.foreign(), "value"), file.first_foreign());
  }

  void tell(const std::exception& error) {
    if (std::exchange(told_, true)) return;
    spdlog::warn("{}; it is ignored, and places of APIs are not shown", util::message_of(error));
  }

  std::string path_;
  bool tried_ = false, told_ = false;
  std::optional<File> file_;
};

struct Name {
  std::string forward, backward;  ///< keys
  bool is_backward = false;
};

/// Takes `Tensor.add.0`, `Tensor.add.0.backward`, `Tensor.add.0.forward.output.0` apart.
Name name_of(std::string_view text) {
  for (const auto& [word, is_backward] : {std::pair{std::string_view(".backward"), true}, {".forward", false}}) {
    for (size_t at = text.rfind(word); at != std::string_view::npos && at > 0; at = text.rfind(word, at - 1)) {
      const size_t end = at + word.size();
      if (end < text.size() && text[end] != '.') continue;
      const std::string api(text.substr(0, at));
      return {api + ".forward", api + ".backward", is_backward};
    }
  }
  const std::string api(text);
  return {api + ".forward", api + ".backward", false};
}

}  // namespace

struct Places::Impl {
  explicit Impl(const fs::path& folder)
      : stack((folder / "stack.json").string()), construct((folder / "construct.json").string()) {}

  size_t shown(const std::vector<Frame>& frames) {
    if (!std::exchange(outside_tried, true)) {
      try {
        outside = Outside::read(config::installed_config("places.yaml"));
      } catch (const std::exception& error) {
        spdlog::warn("{}; the innermost call is shown as the place of an API", util::message_of(error));
      }
    }
    const auto own = std::find_if(frames.begin(), frames.end(),
                                  [&](const Frame& frame) { return !outside || !outside->has(frame.file); });
    return own == frames.end() ? 0 : static_cast<size_t>(own - frames.begin());
  }

  Lazy<StackFile> stack;
  Lazy<ConstructFile> construct;
  bool outside_tried = false;
  std::optional<Outside> outside;
};

Places::Places(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Places::Places(Places&&) noexcept = default;
Places& Places::operator=(Places&&) noexcept = default;
Places::~Places() = default;

Places Places::open(const std::string& dump_path) {
  return Places(std::make_unique<Impl>(fs::path(dump_path).parent_path()));
}

bool Places::any() const {
  return impl_->stack.there() || impl_->construct.there();
}

Place Places::find(std::string_view text) const {
  const Name name = name_of(text);
  Place place;
  place.frames = impl_->stack.ask([&](const StackFile& file) {
    std::vector<Frame> frames = file.frames_of(name.forward);
    return frames.empty() ? file.frames_of(name.backward) : frames;
  });
  if (!place.frames.empty()) place.shown = impl_->shown(place.frames);
  place.modules = impl_->construct.ask([&](const ConstructFile& file) {
    std::vector<Module> modules = file.modules_of(name.is_backward ? name.backward : name.forward);
    return modules.empty() ? file.modules_of(name.is_backward ? name.forward : name.backward) : modules;
  });
  return place;
}

}  // namespace msprobe::places
