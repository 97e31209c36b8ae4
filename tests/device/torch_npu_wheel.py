#!/usr/bin/env python3
"""msprobe against the libtorch_npu.so of a real torch_npu wheel, where there is no NPU: CANN is replaced by stub_cann.py's.

    torch_npu_wheel.py MSPROBE WHEEL_CHECK SOURCE_DIR TEST_DATA WORK_DIR

TEST_DATA is tests/data, unpacked by the build. WORK_DIR keeps the wheel and the stubs for the next run. Exit 77, which CTest shows as skipped: the wheel cannot be had, or this
Python, its torch or its tools do not go with it.
"""
import csv
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest
import zipfile

WHEEL = "2.13.0"
SCHEMAS, NAMES, NAMES_WITH_OPERATOR = 419, 235, 201  # of torch-npu 2.13.0, counted in Python with torch.ops and the dispatcher


def skip(reason):
    print("SKIPPED: " + reason)
    sys.exit(77)


try:
    import torch
except ImportError:
    skip("this Python has no torch")

PROGRAM, WHEEL_CHECK, SOURCE, DATA, WORK = (pathlib.Path(argument) for argument in sys.argv[1:6])
PACKAGE = WORK / "package" / "torch_npu"
STUBS = WORK / "stubs"
DEMO = DATA / "demo/step0/rank0/dump.json"
FUSED = DATA / "fused/step0/rank0/dump.json"


def shared_libpython():
    for place in (sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("LIBPL")):
        for name in (sysconfig.get_config_var("INSTSONAME"), sysconfig.get_config_var("LDLIBRARY")):
            if place and name and ".so" in name and os.path.isfile(os.path.join(place, name)):
                return os.path.join(place, name)
    skip("this Python has no libpython3.x.so")


def prepare():
    torch_version = torch.__version__.split("+")[0]
    if torch_version != WHEEL:
        skip(f"torch-npu {WHEEL} goes with torch {WHEEL}, this Python has {torch_version}")
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
    if f"LibTorch {WHEEL}" not in version:
        skip(f"msprobe is built with another LibTorch than {WHEEL}")
    if pathlib.Path(torch.__file__).parent / "lib" not in [pathlib.Path(line.split("=> ")[1].split(" (")[0]).parent for line in
                                                          subprocess.run(["ldd", PROGRAM], capture_output=True, text=True).stdout.splitlines()
                                                          if "libtorch_cpu.so" in line]:
        skip("msprobe is built with another torch than this Python's")
    for tool in ("nm", "readelf", "ldd", "cc"):
        if not shutil.which(tool):
            skip(f"no {tool} on this machine")
    libpython = shared_libpython()
    if not (PACKAGE / "lib/libtorch_npu.so").exists():
        WORK.mkdir(parents=True, exist_ok=True)
        got = subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--timeout=20", "--retries=1",
                              "--disable-pip-version-check", "-q", "-d", str(WORK), f"torch-npu=={WHEEL}"],
                             capture_output=True, text=True)
        wheels = glob.glob(str(WORK / f"torch_npu-{WHEEL}-*.whl"))
        if not wheels:
            skip(f"the wheel torch-npu {WHEEL} cannot be had: " + (got.stderr.strip().splitlines() or ["pip gives no reason"])[-1])
        shutil.rmtree(WORK / "package", ignore_errors=True)
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(WORK / "unpacking")
        os.rename(WORK / "unpacking", WORK / "package")
        os.remove(wheels[0])
    stub_script = SOURCE / "tests/device/stub_cann.py"
    shutil.rmtree(STUBS, ignore_errors=True)
    subprocess.run([sys.executable, stub_script, PACKAGE, pathlib.Path(torch.__file__).parent, libpython, STUBS], check=True)


def environment(**more):
    variables = {name: value for name, value in os.environ.items() if name not in ("MSPROBE_TORCH_NPU", "PYTHONPATH")}
    variables.update(LD_LIBRARY_PATH=str(STUBS), **more)
    return variables


class TorchNpuWheel(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=WORK)
        self.out = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def program(self, *arguments, env=None, code=0):
        done = subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True, text=True, env=env or environment(), timeout=200)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def check(self, dump, *arguments, command="acc_check", env=None, code=0):
        return self.program(command, "-api_info", dump, "-o", self.out, "--device_type", "npu", "--torch_npu", PACKAGE, "--threads", "2",
                            *arguments, env=env, code=code)

    def rows(self):
        (path,) = self.out.glob("accuracy_checking_result_*.csv")
        with open(path, encoding="utf-8-sig", newline="") as file:
            return {row["API name"]: row for row in csv.DictReader(file)}

    def log(self):
        (path,) = self.out.glob("accuracy_checking_*.log")
        return path.read_text(encoding="utf-8")

    def test_every_npu_name_with_an_operator_binds_its_arguments(self):
        done = subprocess.run([str(WHEEL_CHECK), str(PACKAGE), str(SOURCE / "config/api_universe.txt")], capture_output=True, text=True,
                              env=environment(), timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        operators, names, found, schemas, bound = map(int, done.stdout.split())
        self.assertEqual((operators, names, found), (SCHEMAS, NAMES, NAMES_WITH_OPERATOR))
        self.assertEqual(bound, schemas, done.stderr)
        print(f"{operators} npu:: schemas; {found} of {names} names have an operator, {bound} of {schemas} of their schemas bind")

    def test_version_counts_the_cards(self):
        text = self.program("--version", env=environment(MSPROBE_TORCH_NPU=str(PACKAGE))).stdout
        self.assertIn(f"npu   2 ({PACKAGE}/lib/libtorch_npu.so, torch_npu {WHEEL})", text)

    def test_without_cann_the_message_names_the_library_and_the_script(self):
        env = environment()
        del env["LD_LIBRARY_PATH"]
        done = self.check(DEMO, env=env, code=2)
        self.assertRegex(done.stderr, r"libtorch_npu\.so: needs lib\w+\.so, which is not found; .*source .*set_env\.sh")
        self.assertEqual(list(self.out.iterdir()), [])

    def test_a_card_that_is_not_there_is_refused_before_a_file_is_written(self):
        done = self.check(DEMO, "-d", "2", code=2)
        self.assertIn("-d 2: there are 2 npu; choose 0 to 1", done.stderr)
        self.assertEqual(list(self.out.iterdir()), [])

    def test_a_run_goes_through_the_real_backend_and_a_killed_process_costs_its_own_row_alone(self):
        self.check(DEMO, "-j", env=environment(STUB_CANN_CRASH="Tanh"))
        rows = self.rows()
        self.assertEqual(set(rows), {name.rsplit(".", 1)[0] for name in json.loads(DEMO.read_text())["data"]})
        self.assertEqual([name for name, row in rows.items() if "crashed" in row["Message"]], ["Torch.tanh.0"])
        self.assertEqual(rows["Torch.tanh.0"]["Forward Test Success"], "SKIP")
        self.assertEqual(rows["Torch.tanh.0"]["Message"], "crashed: SIGABRT (aborted)")
        # Tensors do go to the card and come back: an addition that computes nothing is found out.
        self.assertEqual(rows["Tensor.__iadd__.0"]["Forward Test Success"], "error")
        log = self.log()
        self.assertIn(f"device: npu:0 ({PACKAGE}/lib/libtorch_npu.so, torch_npu {WHEEL})", log)
        self.assertIn("npu: jit_compile on", log)
        self.assertIn("npu: HF32 in matrix products off, in convolutions on", log)

    def test_a_lost_card_costs_one_row_and_is_opened_again(self):
        self.check(DEMO, "-d", "1", "--only", "tanh|pad|sqrt", env=environment(STUB_CANN_LOST="Tanh"))
        rows = self.rows()
        self.assertEqual([name for name, row in rows.items() if row["Forward Test Success"] == "SKIP"], ["Torch.tanh.0"])
        self.assertRegex(rows["Torch.tanh.0"]["Message"], "^device lost: .*AclrtSynchronizeDeviceWithTimeout, error code is 507018")
        self.assertNotRegex(rows["Torch.tanh.0"]["Message"], "PID")  # equal runs write equal files
        self.assertEqual(len(rows), 3)
        self.assertIn("device: npu:1 ", self.log())

    def test_two_cards_work_side_by_side(self):
        self.check(DEMO, "-n", "2", "-d", "0", "1", command="multi_acc_check")
        self.assertEqual(len(self.rows()), len({name.rsplit(".", 1)[0] for name in json.loads(DEMO.read_text())["data"]}))
        self.assertRegex(self.log(), r"device: npu:[01] ")  # the faster to start may have done all before the other is there

    def test_fused_operators_are_those_of_the_npu(self):
        shown = self.check(FUSED, "--list").stdout
        self.assertRegex(shown, r"(?m)^NPU\.npu_swiglu\.0 .* npu::npu_swiglu")
        self.check(FUSED)
        crashed = [f"{name}: {row['Message']}" for name, row in self.rows().items() if "crashed" in row["Message"]]
        self.assertEqual(crashed, [])
        self.assertEqual([name for name, row in self.rows().items() if "no NPU here" in row["Message"]], [])


if __name__ == "__main__":
    prepare()
    unittest.main(argv=sys.argv[:1], verbosity=2)
