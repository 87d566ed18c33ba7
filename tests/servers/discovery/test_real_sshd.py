"""A real sshd on a loopback port, with keys made here, and the real ssh."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from servers.discovery.sources import networks, ssh, ssh_networks, ssh_tunnels
from servers.discovery.targets import Ask, Found, Here, make_plan
from tests.fakes import Replay
from tests.servers.discovery.test_search import run
from tests.servers.discovery.test_sweep import closed_port

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"
ASK = Ask((8080,))

pytestmark = pytest.mark.skipif(
    not Path(SSHD).exists() and not os.environ.get("CI"),
    reason="needs openssh-server (its absence is a failure in CI)",
)


def make_key(path: Path) -> None:
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True
    )


@contextmanager
def until_it_listens(argv: list[str], port: int) -> Iterator[None]:
    child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port, child)
        yield
    finally:
        child.terminate()
        child.wait()


def wait_for(port: int, child: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and child.poll() is None:
        with socket.socket() as sock:
            if sock.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError(f"nothing listens on {port}")


@pytest.fixture
def sshd(tmp_path: Path, home: Path, program) -> Iterator[int]:
    """A running sshd that takes one key; `ssh` reads the home's configuration."""
    Path("/run/sshd").mkdir(exist_ok=True) if os.geteuid() == 0 else None
    make_key(tmp_path / "host_key")
    make_key(home / ".ssh" / "id")
    port = closed_port().port
    keys = tmp_path / "authorized_keys"
    shutil.copy(home / ".ssh" / "id.pub", keys)
    config = tmp_path / "sshd_config"
    config.write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {tmp_path}/host_key\n"
        f"AuthorizedKeysFile {keys}\nStrictModes no\nPidFile none\n"
        "PasswordAuthentication yes\nPermitRootLogin yes\nUsePAM no\n"
    )
    public = (tmp_path / "host_key.pub").read_text().split()
    known = f"[127.0.0.1]:{port} {public[0]} {public[1]}\n"
    (home / ".ssh" / "known").write_text(known)
    real = shutil.which("ssh") or "ssh"
    program("ssh", f'exec {real} -F {home}/.ssh/config "$@"')
    with until_it_listens([SSHD, "-D", "-e", "-f", str(config)], port):
        yield port


def configure(home: Path, port: int, more: str = "") -> None:
    (home / ".ssh" / "config").write_text(
        f"Host box\n HostName 127.0.0.1\n Port {port}\n User {getpass.getuser()}\n"
        f" IdentityFile {home}/.ssh/id\n IdentitiesOnly yes\n"
        f" UserKnownHostsFile {home}/.ssh/known\n{more}"
    )


def seen(found: Found) -> set[str]:
    listed = {one.host for one in found.unprobed}
    return listed | {target.host for target in found.targets}


class SshdTests:
    def test_it_reads_the_networks_of_the_other_machine_there(self, sshd, home):
        configure(home, sshd)
        there = ssh_networks.find(Ask((8080,), "box"))
        assert there.problem in ("", "box carries no network")
        assert seen(there) == seen(networks.find(ASK))

    def test_it_never_asks_for_a_password(self, sshd, home):
        configure(home, sshd)
        make_key(home / ".ssh" / "other")
        path = home / ".ssh" / "config"
        path.write_text(path.read_text().replace("/id\n", "/other\n"))
        problem = ssh_networks.find(Ask((8080,), "box")).problem
        assert "Permission denied" in problem

    def test_it_trusts_no_unknown_machine(self, sshd, home):
        configure(home, sshd)
        (home / ".ssh" / "known").write_text("")
        problem = ssh_networks.find(Ask((8080,), "box")).problem
        assert "Host key verification failed" in problem

    def test_it_lists_a_machine_behind_it_and_asks_nobody(self, sshd, home):
        configure(home, sshd, "Host inner\n HostName 10.77.0.5\n ProxyJump box\n")
        found = ssh.find(ASK)
        assert {target.note for target in found.targets} == {"box"}
        reasons = {one.note: one.reason for one in found.unprobed}
        assert reasons == {"inner": "reachable only through box"}

    def test_it_finds_a_server_at_the_end_of_an_open_tunnel(self, sshd, home):
        near, closed = closed_port().port, closed_port().port
        with Replay.of_capture("source/ollama/0.33.0-ready.json") as far:
            configure(
                home,
                sshd,
                f" LocalForward 127.0.0.1:{near} 127.0.0.1:{far.port}\n"
                f" LocalForward localhost:{closed} 127.0.0.1:9\n",
            )
            declared = ssh_tunnels.find(ASK)
            plan = make_plan([("ssh-tunnels", declared)], Here())
            open_it = ["ssh", "-N", "-o", "BatchMode=yes"]
            forward = f"127.0.0.1:{near}:127.0.0.1:{far.port}"
            only = ["-o", "ClearAllForwardings=no", "-L", forward, "box"]
            without = (home / ".ssh" / "config").read_text().split(" LocalForward")[0]
            (home / ".ssh" / "config").write_text(without)
            with until_it_listens([*open_it, *only], near):
                report, _ = run(plan)
        (server,) = report.servers
        assert (server.identity.family, server.origin.port) == ("ollama", near)
        notes = {one.reason for one in report.aside}
        opens = f"port {closed}: declared, not open; `ssh -N -- box` opens it"
        assert notes == {opens}
