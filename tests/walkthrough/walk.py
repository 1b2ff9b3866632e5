"""Does what a page says: every ```sh block, literally and in order, in one shell and a clean folder.
A command may end with 0, or with 1 where it is one whose exit code is a verdict. Units of systemd in ```ini blocks are checked too.
Usage: walk.py PAGE BIN_DIR MIN_BLOCKS [PORT...], the ports being those that the page uses"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

VERDICTS = re.compile(r"^evalfleet (run|compare|report|submit) ")


def blocks_of(page):
    return [block.strip().splitlines() for block in re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)]


def free_ports(count):
    import socket
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [str(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports


def script_of(blocks):
    """The page's own commands, each followed by a look at its exit code."""
    lines = ["set -u", "step() { local code=$?; [ $code = 0 ] || [ $code = \"$1\" ] || "
             "{ echo \"FAILED with $code: $2\" >&2; exit 1; }; }"]
    for block in blocks:
        for line in block:
            allowed = 1 if VERDICTS.match(line) else 0
            lines += [f"printf '%s\\n' {quote('$ ' + line)}", line, f"step {allowed} {quote(line)}"]
    return "\n".join(lines) + "\necho walked to the end\n"


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def check_itself():
    assert blocks_of("a\n```sh\none\ntwo\n```\n```yaml\nno\n```\n") == [["one", "two"]]
    run = lambda blocks: subprocess.run(["bash", "-c", script_of(blocks)], capture_output=True, text=True)
    assert run([["true"]]).returncode == 0
    assert "FAILED with 1: false" in run([["false"], ["true"]]).stderr


def stop_leftovers(folder):
    for file in folder.rglob("*.pid"):
        try:
            os.kill(int(file.read_text()), signal.SIGKILL)
        except (ValueError, ProcessLookupError):
            pass


def check_units(text, folder):
    """Names of files stand in the first line. A unit that is started by another one's name is written beside it."""
    units = re.findall(r"^```ini\n# ([a-z.-]+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    for name, content in units:
        assert re.search(r"^\[Unit\]$", content, re.MULTILINE), name
        for line in content.splitlines():
            assert re.match(r"$|#|\[[A-Z][a-z]+\]$|[A-Z][A-Za-z]+=\S", line), f"{name}: {line}"
        # What it starts is there on machines that have it.
        (folder / name).write_text(re.sub(r"^ExecStart=.*$", "ExecStart=/bin/true", content, flags=re.MULTILINE))
    if units and shutil.which("systemd-analyze"):
        said = subprocess.run(["systemd-analyze", "verify", *[str(folder / name) for name, _ in units]], capture_output=True, text=True)
        complaints = [line for line in said.stderr.splitlines() if any(name in line for name, _ in units)]
        assert not complaints, complaints
    return len(units)


def main(page, programs, least, *ports):
    check_itself()
    text = pathlib.Path(page).read_text(encoding="utf-8")
    blocks = blocks_of(text)
    assert len(blocks) >= int(least), "the page has lost its blocks"
    script = script_of(blocks)
    # Other tests run on this machine: the page's ports may be taken.
    for written, free in zip(ports, free_ports(len(ports))):
        assert written in script, f"the page does not use port {written} any more"
        script = script.replace(written, free)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="evalfleet-walk-"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EVALFLEET_")}
    print(check_units(text, folder), "units of systemd")
    environment |= {"PATH": f"{programs}:{environment['PATH']}", "HOME": str(folder)}
    try:
        done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, timeout=280, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(done.stdout)
        return 0 if done.returncode == 0 and done.stdout.endswith("walked to the end\n") else 1
    finally:
        stop_leftovers(folder)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
