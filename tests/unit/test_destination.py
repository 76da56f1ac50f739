"""Where output goes: links, descriptors, devices, permissions, and what killed runs leave."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bistro.destination import remove_left_overs
from bistro.errors import OutputError
from bistro.files import write_text
from bistro.inference.checkpoint import Checkpoint

WRITE = "import sys; from bistro.files import write_text; write_text(sys.argv[1], 'new\\n')"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_outside(target: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Write ``new`` to a name, in a process of its own."""
    command = [sys.executable, "-c", WRITE, str(target)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(command, check=True, env=environment, **options)  # type: ignore[call-overload,no-any-return]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
    target, link = tmp_path / "there" / "target", tmp_path / "here" / "link"
    target.write_text("old")
    link.symlink_to(Path("..") / "there" / "target")
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert names(tmp_path / "here") == ["link"]
    assert names(tmp_path / "there") == ["target"]


def test_a_link_to_nothing_yet_makes_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_links_in_a_circle_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OutputError, match="too many levels of symbolic links"):
        write_text(tmp_path / "a", "new")
    assert names(tmp_path) == ["a", "b"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_permissions_stay(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(mode)
    write_text(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_the_owner_stays(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may give files away")
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(0o640)
    os.chown(path, 12345, 54321)
    write_text(path, "new")
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 54321, 0o640)


def test_new_files_obey_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "x", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


def test_a_hidden_file_is_never_seen_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(0o600)

    def pieces() -> object:
        (part,) = tmp_path.glob(".x.*.part")
        assert stat.S_IMODE(part.stat().st_mode) == 0o600
        yield "new"

    write_text(path, pieces())  # type: ignore[arg-type]
    assert path.read_text() == "new"


def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # Root may do everything.
    with pytest.raises(OutputError, match="permission denied"):
        write_text(path, "new")
    assert path.read_text() == "old"


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_stdout_by_name_is_appended_to_where_it_stands(tmp_path: Path, name: str) -> None:
    """As in ``{ echo one; bistro … -o /dev/stdout; } > file``."""
    before = Path("/dev/stdout").readlink()
    with (tmp_path / "out").open("wb") as out:
        out.write(b"one\n")
        out.flush()
        write_outside(name, stdout=out)
        out.write(b"two\n")
    assert (tmp_path / "out").read_bytes() == b"one\nnew\ntwo\n"
    assert Path("/dev/stdout").readlink() == before
    assert write_outside(name, stdout=subprocess.PIPE).stdout == b"new\n"
    assert names(tmp_path) == ["out"]


def test_a_link_to_stdout(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("/dev/stdout")
    assert write_outside(link, stdout=subprocess.PIPE).stdout == b"new\n"
    assert link.is_symlink()


def test_process_substitution(tmp_path: Path) -> None:
    """A descriptor that the shell has opened: ``-o >(tee copy)``."""
    script = f"{sys.executable} -c \"$0\" >(cat > '{tmp_path}/copy'); wait"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(["bash", "-c", script, WRITE], check=True, env=environment)
    for _ in range(100):
        if (tmp_path / "copy").exists() and (tmp_path / "copy").read_text() == "new\n":
            return
        subprocess.run(["sleep", "0.05"], check=True)
    raise AssertionError("nothing arrived")


def test_devices_stay_devices() -> None:
    before = Path("/dev/null").stat().st_rdev
    write_text("/dev/null", "new")
    assert Path("/dev/null").stat().st_rdev == before
    assert Path("/dev/null").is_char_device()


def test_a_descriptor_that_is_not_open() -> None:
    with pytest.raises(OutputError, match="bad file descriptor"):
        write_text("/dev/fd/987", "new")


def test_left_overs_of_killed_runs_go_and_those_of_live_runs_stay(tmp_path: Path) -> None:
    target = tmp_path / "m.bistro"
    dead = tmp_path / ".m.bistro.0123abcd.part"
    others = [tmp_path / ".n.bistro.0123abcd.part", tmp_path / ".m.bistro.mine.part"]
    for path in (dead, *others):
        path.write_text("half")

    def pieces() -> object:
        (live,) = tmp_path.glob(".m.bistro.????????.part")
        remove_left_overs(target)  # As another run would.
        assert live.exists()
        assert live != dead
        yield "new"

    write_text(target, pieces())  # type: ignore[arg-type]
    assert target.read_text() == "new"
    assert names(tmp_path) == sorted(["m.bistro", *(path.name for path in others)])


def test_a_checkpoint_leaves_the_files_of_other_runs_alone(tmp_path: Path) -> None:
    """Two trainings to one output: the first to end must not take the other's half-written file."""
    target = tmp_path / "m.bistro"
    (tmp_path / ".m.bistro.checkpoint.0123abcd.part").write_text("of a killed run")

    def pieces() -> object:
        Checkpoint.beside(target).discard()
        yield "new"

    write_text(target, pieces())  # type: ignore[arg-type]
    assert target.read_text() == "new"
    assert names(tmp_path) == ["m.bistro"]


def test_a_killed_process_leaves_what_the_next_removes(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from bistro.files import writing\n"
        "with writing(sys.argv[1]) as stream:\n"
        "    stream.write(b'half'); stream.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    target = tmp_path / "out"
    target.write_text("old")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code, target], check=False, env=environment)
    assert len(names(tmp_path)) == 2
    assert target.read_text() == "old"
    write_text(target, "new")
    assert names(tmp_path) == ["out"]
