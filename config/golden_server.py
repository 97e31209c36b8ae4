"""Runs goldens written in plain Python for msprobe, which starts this file itself; it is not meant to be called by hand.

Requests and answers are JSON over the socket that is descriptor 3, eight bytes of length before each; the tensors of a
message lie one behind the other in a file in memory whose descriptor comes with the length. See python_process.cpp.
"""

import os
import sys

# Both are loaded when Python starts. What follows must be the installation's own: not files of the folder that Python
# puts first for a script, nor of the current one.
_beside = os.path.dirname(os.path.realpath(__file__))
sys.path[:] = [p for p in sys.path if p and os.path.realpath(p) != _beside]

import importlib.util
import io
import json
import mmap
import socket
import struct
import traceback

PROTOCOL = 1


class Channel:
    def __init__(self, descriptor):
        self.socket = socket.socket(fileno=descriptor)

    def receive(self):
        """(message, its tensors' bytes), or None when msprobe has ended."""
        head, descriptors = b"", []
        while len(head) < 8:
            data, ancillary, _, _ = self.socket.recvmsg(8 - len(head), socket.CMSG_SPACE(4))
            for level, kind, content in ancillary:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    descriptors += struct.unpack("i" * (len(content) // 4), content[: len(content) // 4 * 4])
            if not data:
                return None
            head += data
        left, parts = struct.unpack("<Q", head)[0], []
        while left:
            data = self.socket.recv(min(left, 1 << 20))
            if not data:
                return None
            parts.append(data)
            left -= len(data)
        block = None
        for descriptor in descriptors:
            size = os.fstat(descriptor).st_size
            block = mmap.mmap(descriptor, size) if size else None
            os.close(descriptor)
        return json.loads(b"".join(parts)), block

    def send(self, message, descriptor=None):
        body = json.dumps(message).encode()
        head = struct.pack("<Q", len(body))
        if descriptor is None:
            self.socket.sendall(head)
        else:
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", descriptor))
            sent = self.socket.sendmsg([head], [rights])
            self.socket.sendall(head[sent:])
        self.socket.sendall(body)


class Reader:
    """Values as msprobe writes them."""

    def __init__(self, torch, block):
        self.torch, self.block, self.tensors = torch, block, []

    def value(self, v):
        if v is None or isinstance(v, (bool, int, str)):
            return v
        (kind, content), = v.items()
        return getattr(self, kind)(content)

    def float(self, text):
        return float(text)

    def int(self, text):
        return int(text)

    def complex(self, parts):
        return complex(float(parts[0]), float(parts[1]))

    def list(self, items):
        return [self.value(item) for item in items]

    def size(self, items):
        return self.torch.Size([self.value(item) for item in items])

    def dict(self, items):
        return {name: self.value(item) for name, item in items}

    def slice(self, parts):
        return slice(*[self.value(part) for part in parts])

    def ellipsis(self, _):
        return Ellipsis

    def torch_name(self, name):
        return getattr(self.torch, name)

    def device(self, _):
        return self.torch.device("cpu")  # goldens run there, whatever the call said

    def tensor(self, t):
        offset, dtype, shape, requires_grad = t
        dtype = getattr(self.torch, dtype)
        count = 1
        for n in shape:
            count *= n
        if count == 0:
            tensor = self.torch.empty(shape, dtype=dtype)
        else:
            size = self.torch.empty((), dtype=dtype).element_size()
            flat = self.torch.frombuffer(self.block, dtype=self.torch.uint8, offset=offset, count=count * size)
            tensor = flat.view(dtype).reshape(shape)
        self.tensors.append(tensor.requires_grad_(requires_grad))
        return tensor


class Writer:
    """Values as msprobe reads them."""

    def __init__(self, torch):
        self.torch, self.tensors, self.size = torch, [], 0

    def value(self, v):
        if v is None or isinstance(v, (bool, int, str)):
            return v if not isinstance(v, int) or isinstance(v, bool) or abs(v) < 1 << 62 else {"int": str(v)}
        if isinstance(v, float):
            return {"float": repr(v)}
        if isinstance(v, complex):
            return {"complex": [repr(v.real), repr(v.imag)]}
        if isinstance(v, self.torch.Tensor):
            return {"tensor": self.tensor(v)}
        if isinstance(v, (list, tuple)):
            return {"list": [self.value(item) for item in v]}
        if hasattr(v, "item") and getattr(v, "shape", None) == ():  # numpy's scalars
            return self.value(v.item())
        if type(v).__module__ == "numpy":
            return {"tensor": self.tensor(self.torch.from_numpy(v))}
        if isinstance(v, self.torch.dtype):
            return {"torch_name": str(v).replace("torch.", "")}
        raise TypeError("the golden returns {}, expected tensors, numbers or lists of them".format(type(v).__name__))

    def tensor(self, t):
        t = t.detach()
        if t.layout != self.torch.strided:
            t = t.to_dense()
        if t.is_quantized:
            t = t.dequantize()
        t = t.cpu().resolve_conj().resolve_neg().contiguous()
        offset = (self.size + 63) // 64 * 64
        self.size = offset + t.numel() * t.element_size()
        self.tensors.append((offset, t))
        return [offset, str(t.dtype).replace("torch.", ""), list(t.shape), False]

    def block(self):
        """A descriptor of the tensors' bytes; None when there are none."""
        if self.size == 0:
            return None
        descriptor = os.memfd_create("msprobe-golden")
        os.ftruncate(descriptor, self.size)
        with mmap.mmap(descriptor, self.size) as memory:
            for offset, t in self.tensors:
                if t.numel():
                    target = self.torch.frombuffer(memory, dtype=self.torch.uint8, offset=offset,
                                                   count=t.numel() * t.element_size())
                    target.copy_(t.reshape(-1).view(self.torch.uint8))
                    del target
        return descriptor


def tensors_of(torch, value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in tensors_of(torch, item)]
    return []


def carries_gradient(t):
    return t.is_floating_point() or t.is_complex()


class Bounded(io.TextIOBase):
    """What goldens print, as much as may be kept of one call."""

    MOST = 1 << 20

    def __init__(self, stream):
        self.stream, self.left = stream, self.MOST

    def write(self, text):
        if self.left > 0:
            self.stream.write(text[: self.left])
            self.stream.flush()
            self.left -= len(text)
        return len(text)

    def writable(self):
        return True

    def flush(self):
        self.stream.flush()

    def fileno(self):
        return self.stream.fileno()


class Folders:
    """Goldens of one folder import each other's modules by short names, which other folders may use as well."""

    def __init__(self):
        self.current, self.before, self.modules, self.path = None, {}, {}, list(sys.path)

    def enter(self, folder):
        if folder == self.current:
            return
        if self.current is not None:
            own = {n: m for n, m in sys.modules.items() if self.before.get(n) is not m and self.is_own(m)}
            self.modules[self.current] = own
            for name in own:
                del sys.modules[name]
            sys.modules.update({n: m for n, m in self.before.items() if n in own})
            if self.current in sys.path:
                sys.path.remove(self.current)
        self.current, self.before = folder, dict(sys.modules)
        sys.modules.update(self.modules.get(folder, {}))
        sys.path.insert(0, folder)
        importlib.invalidate_caches()

    def is_own(self, module):
        """Lies in the folder, and not in a library that lies there as well."""
        places = [getattr(module, "__file__", None)] if getattr(module, "__file__", None) else []
        places += list(getattr(module, "__path__", None) or [])
        longer = [p for p in map(os.path.abspath, filter(None, self.path)) if within(p, self.current)]
        longer = [p for p in longer if p != self.current]
        return any(within(p, self.current) and not any(within(p, l) for l in longer) for p in places)


def within(path, folder):
    return (os.path.abspath(path) + os.sep).startswith(folder.rstrip(os.sep) + os.sep)


class Server:
    def __init__(self, torch):
        self.torch, self.modules, self.kept, self.folders = torch, {}, {}, Folders()

    def function(self, file, name):
        self.folders.enter(os.path.dirname(os.path.abspath(file)))
        if file not in self.modules:
            # A module's own name: goldens may share file names with each other and with libraries.
            spec = importlib.util.spec_from_file_location("msprobe_golden_{}".format(len(self.modules)), file)
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
            self.modules[file] = module
        return getattr(self.modules[file], name)

    def forward(self, request, block, writer):
        torch = self.torch
        torch.manual_seed(request["seed"])
        torch.set_num_threads(request["threads"])
        reader = Reader(torch, block)
        args = [reader.value(v) for v in request["args"]]
        kwargs = {name: reader.value(v) for name, v in request["kwargs"]}
        function = self.function(request["file"], request["function"])
        keep, backward = request["keep"], request["backward"]
        with torch.set_grad_enabled(keep is not None and backward is None):
            result = function(*args, **kwargs)
        if keep is not None:
            if backward is None:
                self.kept[keep] = (reader.tensors, [t for t in tensors_of(torch, result) if carries_gradient(t)], None,
                                    request["file"])
            else:
                self.kept[keep] = (reader.tensors, None, (backward, args, kwargs), request["file"])
        return writer.value(result)

    def backward(self, request, block, writer):
        torch = self.torch
        inputs, outputs, own, file = self.kept[request["keep"]]
        self.folders.enter(os.path.dirname(os.path.abspath(file)))
        gradients = [Reader(torch, block).value(v) for v in request["gradients"]]
        if own is not None:
            name, args, kwargs = own
            for t in inputs:
                t.requires_grad_(False)
            return writer.value(self.function(file, name)(*gradients, *args, **kwargs))
        pairs = [(o, g) for o, g in zip(outputs, gradients) if o.requires_grad]
        if not any(g.any() for _, g in pairs) and any(g.any() for g in gradients):
            return None  # where a gradient arrives is no graph: not zero, but unknown
        wanted = [t for t in inputs if t.requires_grad]
        found = [None] * len(wanted)
        if pairs and wanted:
            found = torch.autograd.grad([o for o, _ in pairs], wanted, [g.to(o.dtype) for o, g in pairs],
                                        retain_graph=True, allow_unused=True)
        found = iter(found)
        return writer.value([next(found) if t.requires_grad else None for t in inputs])

    def drop(self, request, block, writer):
        self.kept.pop(request["keep"], None)
        return None


def described(error, files):
    """The error with the last place within the golden's own folder: file:line: Class: words. A call that does not fit
    the function has no place in it: then the file alone."""
    folders = {os.path.dirname(os.path.abspath(file)) for file in files}
    place = "{}: ".format(files[-1]) if files else ""
    for frame in traceback.extract_tb(error.__traceback__):
        if os.path.dirname(os.path.abspath(frame.filename)) in folders:
            place = "{}:{}: ".format(frame.filename, frame.lineno)
    if isinstance(error, SyntaxError) and error.filename:
        return "{}:{}: {}: {}".format(error.filename, error.lineno, type(error).__name__, error.msg)
    return "{}{}: {}".format(place, type(error).__name__, error)


def main():
    channel = Channel(3)
    os.set_inheritable(3, False)
    try:
        import torch
    except Exception as error:  # noqa: whatever a broken installation raises is the reason that msprobe reports
        channel.send({"protocol": PROTOCOL, "error": "{}: {}".format(type(error).__name__, error)})
        return
    channel.send({"protocol": PROTOCOL, "python": sys.version.split()[0], "torch": torch.__version__})
    server = Server(torch)
    sys.stdout, sys.stderr = Bounded(sys.stdout), Bounded(sys.stderr)
    printed = sys.stdout, sys.stderr
    while True:
        received = channel.receive()
        if received is None:
            return
        request, block = received
        writer = Writer(torch)
        for stream in printed:
            stream.left = stream.MOST
        try:
            value = getattr(server, request["do"])(request, block, writer)
            answer, descriptor = {"value": value}, writer.block()
        except BaseException as error:  # noqa: a golden may raise anything, and pytest's skip is no Exception
            files = list(server.modules) + ([request["file"]] if "file" in request else [])
            answer, descriptor = {"error": described(error, files)}, None
        channel.send(answer, descriptor)
        if descriptor is not None:
            os.close(descriptor)


if __name__ == "__main__":
    main()
