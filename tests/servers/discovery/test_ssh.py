from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from servers.discovery.sources import ssh, ssh_tunnels
from servers.discovery.ssh_config import read_hosts
from servers.discovery.ssh_resolve import Forward, read_forward, read_resolved
from servers.discovery.targets import Ask, Found
from tests.servers.discovery.cases import case

ASK = Ask((8080,))
NONE = Path("/nonexistent")


def write(home: Path, text: str | bytes, name: str = "config") -> None:
    path = home / ".ssh" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def notes(found: Found) -> list[str]:
    return list(dict.fromkeys(target.note for target in found.targets))


def aside(found: Found) -> dict[str, str]:
    return {one.note: one.reason for one in found.unprobed}


@pytest.fixture
def real_ssh(program, home):
    """The real ssh, told to read the test's configuration and nothing else."""
    real = shutil.which("ssh") or "ssh"
    return program("ssh", f'exec {real} -F {home}/.ssh/config "$@"')


class ConfigTests:
    def test_it_follows_includes_relative_to_the_ssh_folder(self, home):
        for name, text in case("01")["input"]["files"].items():
            relative = name.removeprefix("~/.ssh/")
            if name.endswith("/"):
                (home / ".ssh" / relative).mkdir(parents=True, exist_ok=True)
            else:
                write(home, text, relative)
        found = set(read_hosts(home, NONE).aliases)
        assert found == set(case("01")["checks"]["hosts"])

    def test_it_ends_at_a_cycle_of_includes(self, home):
        write(home, "Include config other\nHost a\n")
        write(home, "Include config\nInclude other\nHost b\n", "other")
        assert set(read_hosts(home, NONE).aliases) == {"a", "b"}

    def test_it_reads_a_long_chain_only_so_deep(self, home):
        write(home, "Include 1\nHost top\n")
        for number in range(1, 40):
            write(home, f"Include {number + 1}\nHost h{number}\n", str(number))
        aliases = read_hosts(home, NONE).aliases
        assert "top" in aliases
        assert "h39" not in aliases

    def test_it_takes_names_and_leaves_patterns(self, home):
        write(home, case("04")["input"]["config"])
        assert list(read_hosts(home, NONE).aliases) == case("04")["checks"]["hosts"]

    def test_it_leaves_a_name_its_own_line_negates(self, home):
        write(home, "Host web1 web2 !web1\n")
        assert read_hosts(home, NONE).aliases == ("web2",)

    def test_it_sees_match_exec_in_every_clothing(self, home):
        for line in (
            'Match host a exec "touch x"',
            "match !exec true",
            'MATCH user b EXEC="x"',
            "match=exec x",
        ):
            write(home, f"Host a\n{line}\n")
            assert read_hosts(home, NONE).runs_commands
        write(home, "Include inner\nHost a\n")
        write(home, "Match exec x\n", "inner")
        assert read_hosts(home, NONE).runs_commands

    def test_match_without_exec_runs_nothing(self, home):
        write(home, "Host exec\nMatch host exec.lan user execs\n# Match exec x\n")
        assert not read_hosts(home, NONE).runs_commands

    def test_it_reads_two_thousand_lines_and_other_encodings(self, home):
        lines = "".join(f"Host h{n}\r\n\tPort {n}\r\n" for n in range(1000))
        write(home, b"\xef\xbb\xbf# \xe9t\xe9\n" + lines.encode() + b"Host caf\xe9\n")
        found = read_hosts(home, NONE)
        assert len(found.aliases) == 1000
        assert len(found.unusable) == 1

    def test_it_passes_over_what_is_no_file(self, home):
        (home / ".ssh" / "config").mkdir()
        assert read_hosts(home, NONE).problem

    def test_it_lists_option_like_names_as_unusable(self, home):
        write(home, case("11")["input"]["config"])
        found = read_hosts(home, NONE)
        assert found.aliases == ("ok",)
        assert len(found.unusable) == 2


class ResolvedTests:
    def test_it_reads_the_hosts_on_the_way(self):
        read = read_resolved("far", case("08")["input"]["ssh_G_output"])
        assert (read.host, read.through) == ("10.77.0.5", "bastion, hop2")

    @pytest.mark.parametrize(
        ("line", "through"),
        [
            ("proxyjump none", ""),
            ("proxycommand none", ""),
            ("proxycommand nc %h %p", "a proxy command"),
            ("proxyjump ssh://mira@[fd00::1]:22", "fd00::1"),
        ],
    )
    def test_it_tells_a_proxy_from_none(self, line, through):
        assert read_resolved("a", f"hostname a\n{line}\n").through == through

    def test_it_tells_ports_from_sockets(self):
        text = case("07")["input"]["ssh_G_output"]
        forwards = read_resolved("a", text).forwards
        assert [f.port for f in forwards if f.port] == case("07")["checks"]["ports"]

    @pytest.mark.parametrize(
        ("value", "bind", "port"),
        [
            ("8080 [localhost]:80", "", 8080),
            ("[127.0.0.1]:8081 [x]:1", "127.0.0.1", 8081),
            ("[*]:8082 [x]:1", "*", 8082),
            ("[]:8083 [x]:1", "*", 8083),
            ("[::1]:8084 [fe80::1]:84", "::1", 8084),
            ("localhost:8085 x:1", "localhost", 8085),
            ("127.0.0.1/8086 x/1", "127.0.0.1", 8086),
            ("/tmp/with space.sock [localhost]:80", "", 0),
            ("/tmp/a:80 /b", "", 0),
            ("nonsense", "", 0),
        ],
    )
    def test_it_reads_every_form_of_a_forward(self, value, bind, port):
        read = read_forward(value)
        assert isinstance(read, Forward)
        assert (read.bind, read.port) == (bind, port)


class SourceTests:
    def test_it_does_not_probe_what_lies_behind_a_jump(self, home, printing):
        write(home, "Host far\n")
        printing("ssh", case("08")["input"]["ssh_G_output"])
        found = ssh.find(ASK)
        assert list(found.targets) == case("08")["checks"]["probe"]
        assert aside(found) == {"far": "reachable only through bastion, hop2"}

    def test_it_asks_with_two_dashes_and_only_the_usable(self, home, printing):
        write(home, case("11")["input"]["config"])
        calls = printing("ssh", "hostname 192.168.77.9\n")
        found = ssh.find(ASK)
        assert calls.read_text() == "-G -- ok\n"
        assert notes(found) == ["ok"]
        assert len(found.unprobed) == 2

    def test_it_lists_a_host_ssh_cannot_resolve_with_its_words(self, home, program):
        write(home, "Host a b\n")
        program("ssh", "echo 'line 1: Bad Match condition' >&2; exit 255")
        reasons = aside(ssh.find(ASK))
        assert reasons["a"] == "not resolved: line 1: Bad Match condition"
        assert set(reasons) == {"a", "b"}

    def test_it_never_waits_for_an_ssh_that_hangs(self, home, program, monkeypatch):
        write(home, "Host a\n")
        program("ssh", "exec sleep 600")
        reasons = aside(ssh.find(ASK))
        assert reasons["a"] == "not resolved: ssh did not answer within 5 s"

    @pytest.mark.parametrize(
        "host", ["169.254.169.254", "0.0.0.0", "%%", "a b", "\x1b[31m", "::"]
    )
    def test_it_lists_what_is_no_target(self, home, printing, host):
        write(home, "Host a\n")
        printing("ssh", f"hostname {host}\n")
        found = ssh.find(ASK)
        assert found.targets == ()
        assert "a" in aside(found)

    def test_it_says_why_there_is_nothing(self, home, monkeypatch):
        write(home, "Host *\n")
        assert ssh.find(ASK).problem == "the ssh configuration names no machine"

    def test_it_says_when_there_is_no_ssh(self, home, monkeypatch):
        write(home, "Host a\n")
        monkeypatch.setenv("PATH", "/nonexistent")
        assert aside(ssh.find(ASK))["a"] == "not resolved: ssh is not installed here"


class RealSshTests:
    def test_it_resolves_names_as_ssh_does(self, home, real_ssh):
        write(home, "Host a\n HostName %h.lan\nHost b\n HostName 192.168.77.9\n")
        found = ssh.find(ASK)
        asked = {target.note: target.host for target in found.targets}
        assert asked == {"a": "a.lan", "b": "192.168.77.9"}

    def test_it_tells_aliases_by_their_capital_letters(self, home, real_ssh):
        write(home, case("10")["input"]["config"])
        found = ssh.find(ASK)
        assert notes(found) == case("10")["checks"]["hosts"]
        assert {target.host for target in found.targets} == {"mybox"}

    def test_it_runs_nothing_for_a_name_that_is_an_option(self, home, real_ssh):
        write(home, case("11")["input"]["config"])
        ssh.find(ASK)
        assert not Path(case("11")["checks"]["no_side_effect"]).exists()

    def test_looking_at_the_names_runs_no_match_exec(self, home, real_ssh, tmp_path):
        mark = tmp_path / "ran"
        text = case("02")["input"]["config"]
        text = text.replace("/tmp/hub-ran-this", str(mark))
        write(home, text.replace("Match host", "Match originalhost"))
        assert ssh.look().runs_commands
        assert not mark.exists()
        found = ssh.find(ASK)
        assert "Match exec" in found.problem
        assert mark.exists()

    def test_it_lists_every_host_of_a_configuration_ssh_refuses(self, home, real_ssh):
        write(home, "Host a\nMatch nonsense x\n Port 1\nHost b\n")
        found = ssh.find(ASK)
        assert found.targets == ()
        assert set(aside(found)) == {"a", "b"}

    def test_it_does_not_look_for_a_canonical_name_for_long(self, home, real_ssh):
        text = case("05")["input"]["config"].replace("corp.example", "invalid")
        write(home, text)
        found = ssh.find(ASK)
        assert notes(found) == ["alpha"] or "alpha" in aside(found)

    def test_it_tells_the_families_of_a_tunnel_apart(self, home, real_ssh):
        write(
            home,
            "Host work\n"
            " LocalForward 8080 localhost:80\n"
            " LocalForward 127.0.0.1:8081 far:81\n"
            " LocalForward *:8082 far:82\n"
            " LocalForward [::1]:8083 far:83\n"
            " LocalForward [::]:8084 far:84\n"
            " LocalForward 0.0.0.0:8085 far:85\n"
            " LocalForward localhost:8086 /run/x.sock\n"
            " LocalForward /run/own.sock far:80\n"
            "Host second\n LocalForward 8080 other:99\n",
        )
        found = ssh_tunnels.find(ASK)
        assert [(t.host, t.port) for t in found.targets] == [
            ("127.0.0.1", 8080),
            ("127.0.0.1", 8081),
            ("127.0.0.1", 8082),
            ("::1", 8083),
            ("::1", 8084),
            ("127.0.0.1", 8085),
            ("127.0.0.1", 8086),
            ("::1", 8086),
        ]
        first = found.targets[0]
        assert first.note == "work to [localhost]:80"
        assert first.closed == "declared, not open; `ssh -N -- work` opens it"
        assert list(aside(found).values()) == ["a socket, not probed"]


class TunnelTests:
    def test_it_takes_ports_and_lists_sockets(self, home, printing):
        write(home, "Host a\n")
        printing("ssh", case("07")["input"]["ssh_G_output"])
        found = ssh_tunnels.find(ASK)
        assert [target.port for target in found.targets] == case("07")["checks"][
            "ports"
        ]
        assert len(found.unprobed) == 2

    def test_it_lists_ports_that_are_none_and_binds_that_are_no_target(
        self, home, printing
    ):
        write(home, "Host a\n")
        printing(
            "ssh",
            "localforward 0 [x]:1\nlocalforward 99999 [x]:1\n"
            "localforward [169.254.1.1]:80 [x]:1\nlocalforward [b d]:80 [x]:1\n",
        )
        found = ssh_tunnels.find(ASK)
        assert found.targets == ()
        assert len(found.unprobed) == 4

    def test_it_works_through_a_jump_host_too(self, home, printing):
        write(home, "Host a\n")
        printing("ssh", "proxyjump b\nlocalforward 8080 [x]:1\n")
        assert [t.port for t in ssh_tunnels.find(ASK).targets] == [8080]

    def test_it_says_when_none_is_declared(self, home, printing):
        write(home, "Host a\n")
        printing("ssh", "hostname a\n")
        assert ssh_tunnels.find(ASK).problem == "no LocalForward is declared"
