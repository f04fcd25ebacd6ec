"""Writing to the cache is all or nothing, whoever else writes, reads, locks or dies; and checkpoints are kept alike."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import DEFAULT, Mock

import numpy as np
import pytest

from rollwise.cache import folders
from rollwise.cache.entry import ArrayFile, open_entry
from rollwise.cache.files import write_whole
from rollwise.cache.store import Checkpoint, DamagedEntry, Entry, EntryBusy, Store, StoreError
from tests.cache.test_cache import KEY, ROWS, flip, read, require_whole, run, temporary_names

Patch = pytest.MonkeyPatch
OTHER = Store(Path()).key("zilch", {})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A cache with one good entry."""
    made = Store(tmp_path / "cache")
    made.write(KEY, {"rows": ROWS}, {"method": "sweep"})
    return made


def fails(number: int, real: Callable[..., Any], error: BaseException) -> Mock:
    """``real``, except that its call of this number (and only that) meets an error."""
    return Mock(wraps=real, side_effect=[*[DEFAULT] * number, error, *[DEFAULT] * 1000])


def refused(code: int) -> OSError:
    return OSError(code, os.strerror(code))


@pytest.mark.parametrize(
    ("place", "number", "error"),
    [
        *[("fsync", number, refused(errno.ENOSPC)) for number in range(2)],
        *[("rename", number, refused(errno.ENOSPC)) for number in range(3)],  # the third puts the new one in
        ("mkdir", 1, refused(errno.EROFS)),
        ("rename", 2, refused(errno.EACCES)),
        ("fsync", 0, KeyboardInterrupt()),
    ],
    ids=repr,
)
def test_a_write_that_fails_or_is_interrupted_leaves_the_old_entry(
    store: Store, monkeypatch: Patch, place: str, number: int, error: BaseException
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, place, fails(number, getattr(os, place), error))
        with pytest.raises((StoreError, KeyboardInterrupt)) as caught:
            store.write(KEY, {"rows": ROWS + 1}, {})
    if isinstance(error, OSError):
        told = f"cannot write {store.root / KEY}: {error.strerror}; ROLLWISE_CACHE chooses another folder"
        assert str(caught.value) == told
    require_whole(store)


@pytest.mark.parametrize("error", [refused(errno.ENOSPC), KeyboardInterrupt()], ids=repr)
def test_a_file_that_is_not_written_whole_leaves_the_old_one(
    tmp_path: Path, monkeypatch: Patch, error: BaseException
) -> None:
    path = tmp_path / "index"
    write_whole(path, b"old", 0o600)
    monkeypatch.setattr(os, "replace", Mock(side_effect=error))
    with pytest.raises(type(error)):
        write_whole(path, b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"old", 0o600)
    assert os.listdir(tmp_path) == [path.name]


def test_the_next_writer_of_a_file_removes_what_killed_ones_left_and_clear_what_is_of_the_cache(store: Store) -> None:
    path, left, late, foreign = (store.root / name for name in ("index", ".index.tmp-0f", ".index.tmp-1f", ".x.tmp-0f"))
    for one in (left, late, foreign):
        one.touch()
    for one in (left, foreign):
        os.utime(one, (1, 1))
    write_whole(path, b"new")
    assert [one.exists() for one in (path, left, late, foreign)] == [True, False, True, True]
    store.clear()
    assert [one.exists() for one in (path, late, foreign)] == [False, False, True]


def test_a_file_in_place_of_the_cache_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file")
    for action in (
        lambda: store.read(KEY),
        lambda: store.write(KEY, {"rows": ROWS}, {}),
        lambda: store.checkpoint(KEY).save({}, {}),
        lambda: store.lock(KEY).__enter__(),
        store.keys,
        store.clear,
    ):
        with pytest.raises(StoreError, match=r"cannot (read|write|lock|list|clear) .*ROLLWISE_CACHE"):
            action()
    assert store.checkpoint(KEY).load() is None


# Each child dies in the call of this number, while it writes over an entry in a cache of its own.
DEATHS = [("fsync", 0), ("fsync", 1), ("fsync", 2), ("rename", 2), ("flock", 0), ("discard", 0)]
DYING = """
import fcntl
def dying(calls, number, real):
    def call(*arguments):
        calls.append(arguments)
        if len(calls) > number:
            os._exit(9)
        return real(*arguments)
    return call
for name, number in DEATHS:
    if not os.fork():
        here = Store(Path(sys.argv[1], f"{name} {number}"))
        here.write(sys.argv[2], {"rows": np.arange(80_000.0).reshape(-1, 2)}, {})
        if name == "flock":
            here.lock(sys.argv[2]).__enter__()
            os._exit(9)
        if name == "discard":  # the solve is over, and its checkpoint still there
            begun = here.checkpoint(sys.argv[2])
            begun.save({"rows": np.zeros(9)}, {})
            begun.discard = dying([], number, None)
            with here.lock(sys.argv[2]):
                here.write(sys.argv[2], {"rows": np.arange(80_000.0).reshape(-1, 2)}, {}, begun)
                begun.discard()
        setattr(os, name, dying([], number, getattr(os, name)))
        here.write(sys.argv[2], {"rows": np.zeros(100_000)}, {})
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 9
"""


@pytest.fixture(scope="module")
def dead(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the caches of those who died at work."""
    folder = tmp_path_factory.mktemp("dead")
    assert run(f"DEATHS = {DEATHS}\n{DYING}", folder).wait() == 0
    return folder


@pytest.mark.parametrize("death", [f"{name} {number}" for name, number in DEATHS if name == "fsync"])
def test_a_killed_write_leaves_nothing_that_counts(dead: Path, death: str) -> None:
    store = Store(dead / death)
    assert len(temporary_names(store.root)) == 1
    assert store.keys() == [KEY]
    np.testing.assert_array_equal(read(store).array("rows"), ROWS)
    store.write(OTHER, {"rows": ROWS}, {})
    assert temporary_names(store.root) == []
    store.clear()
    assert [path.name for path in store.root.iterdir()] == ["locks"]


def test_a_kill_between_the_two_renames_costs_the_entry_and_no_more(dead: Path) -> None:
    store = Store(dead / "rename 2")
    assert (store.keys(), store.read(KEY)) == ([], None)
    with store.lock(KEY):
        store.checkpoint(KEY).save({"rows": ROWS}, {})
        assert len(temporary_names(store.root)) == 2
        store.write(KEY, {"rows": ROWS}, {})
    require_whole(store)


def test_a_checkpoint_of_what_is_solved_goes_with_the_next_write_unless_somebody_works_on_it(dead: Path) -> None:
    store = Store(dead / "discard 0")
    with store.lock(KEY):
        store.write(OTHER, {"rows": ROWS}, {})
    assert store.checkpoint_keys() == [KEY]
    (store.root / KEY / "rows.npy").rename(store.root / "rows")  # damaged: it is gone on from
    store.write(OTHER, {"rows": ROWS}, {})
    assert store.checkpoint_keys() == [KEY]
    (store.root / "rows").rename(store.root / KEY / "rows.npy")
    store.write(OTHER, {"rows": ROWS}, {})
    assert store.checkpoint_keys() == []
    require_whole(store)


def test_what_others_may_be_writing_stays_whatever_their_process_is_called(store: Store) -> None:
    def begun(key: str) -> Path:
        folder = store.root / f".tmp-{2**22 + 1}-0a-{key}"  # no such process here, but in the container beside
        folder.mkdir()
        return folder

    mine, held, dead = begun(KEY), begun(OTHER), begun(store.key("zilch", {"dead": 1}))
    with store.lock(OTHER):
        store.write(KEY, {"rows": ROWS}, {})  # without its lock: nobody can tell who has begun it
        assert (mine.exists(), held.exists(), dead.exists()) == (True, True, False)
        assert store.clear() > 0
        assert (mine.exists(), held.exists()) == (False, True)


def test_what_is_another_users_in_a_shared_cache_stays_and_fails_no_write(store: Store, monkeypatch: Patch) -> None:
    def refused(path: Path) -> int:
        if path.name.startswith(".tmp-"):
            raise PermissionError("another user's")
        return folders.delete(path)

    monkeypatch.setattr("rollwise.cache.store.delete", refused)
    theirs = store.root / f".tmp-7-0a-{OTHER}"
    theirs.mkdir()
    (store.root / "locks" / f"{store.key('zilch', {})}.lock").mkdir(parents=True)  # it opens for nobody
    (store.root / "locks" / f"{store.key('zilch', {})}.held").touch()
    store.write(KEY, {"rows": ROWS + 1}, {})
    store.evict(0, everything=True)
    assert (store.keys(), theirs.exists()) == ([], True)


def test_a_lock_ends_with_its_process(dead: Path) -> None:
    with Store(dead / "flock 0").lock(KEY, timeout=0):
        pass


def test_a_reader_keeps_what_it_opened(store: Store) -> None:
    entry = read(store)
    store.write(KEY, {"rows": ROWS + 1}, {})
    np.testing.assert_array_equal(entry.array("rows"), ROWS)
    store.remove(KEY)
    entry.verify()


def test_two_writers_and_a_reader_never_mix(store: Store) -> None:
    script = """
for number in range(int(sys.argv[3]), int(sys.argv[3]) + 12):
    array = np.full(20_000 + number, number)
    entry = store.write(sys.argv[2], {"one": array, "two": array}, {"number": number})
    assert entry.array("one")[0] == number
"""
    store.write(KEY, {"one": np.zeros(20_000, dtype=np.int64), "two": np.zeros(20_000, dtype=np.int64)}, {"number": 0})
    writers = [run(f"store = Store(Path(sys.argv[1]))\n{script}", store.root, number) for number in ("100", "200")]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        entry = read(store)  # never absent, never damaged
        number = entry.manifest["number"]
        for name in ("one", "two"):
            array = entry.array(name)
            assert (array.shape, array.min(), array.max()) == ((20_000 + number,), number, number)
        assert list(map(type, map(store.inspect, store.keys()))) == [Entry]
        seen.add(number)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert len(seen) > 1
    assert temporary_names(store.root) == []


def test_an_entry_that_is_replaced_between_manifest_and_arrays_is_read_again(store: Store, monkeypatch: Patch) -> None:
    def replaced_before(*arguments: Any, **named: Any) -> Entry:
        monkeypatch.setattr(folders, "open_entry", open_entry)
        store.write(KEY, {"rows": ROWS + 1}, {})
        return open_entry(*arguments, **named)

    monkeypatch.setattr(folders, "open_entry", replaced_before)
    np.testing.assert_array_equal(read(store).array("rows"), ROWS + 1)


def test_a_lock_is_for_one_at_a_time_and_goes_with_an_error(store: Store) -> None:
    def try_it(key: str = KEY) -> str:
        try:
            with store.lock(key, timeout=0):
                return "got it"
        except EntryBusy as busy:
            return str(busy)

    def meet_an_error() -> None:
        with ThreadPoolExecutor(1) as other, store.lock(KEY):
            assert other.submit(try_it).result().startswith(f"another thread is working on {KEY}")
            assert try_it(store.key("zilch", {})) == "got it"
            raise OSError("mine")

    with pytest.raises(OSError, match="mine"):  # which is passed on as it is
        meet_an_error()
    assert try_it() == "got it"


def loaded(checkpoint: Checkpoint) -> tuple[dict[str, Any], Any]:
    """What a checkpoint holds: its arrays as lists, and its manifest."""
    found = checkpoint.load()
    assert found is not None
    assert all(array.flags.writeable for array in found[0].values())
    return {name: array.tolist() for name, array in found[0].items()}, found[1]


def test_a_checkpoint_comes_back_as_it_was_last_saved_until_it_is_discarded(store: Store) -> None:
    checkpoint = store.checkpoint(KEY)
    for level in range(3):
        checkpoint.save({"rows": ROWS[:5] + level}, {"level": level})
        assert loaded(store.checkpoint(KEY)) == ({"rows": (ROWS[:5] + level).tolist()}, {"level": level})
    for _ in range(2):
        checkpoint.discard()
        assert checkpoint.load() is None


def test_a_checkpoint_is_never_an_entry(store: Store) -> None:
    store.remove(KEY)
    store.checkpoint(KEY).save({"rows": ROWS}, {})
    assert store.read(KEY) is None
    assert store.keys() == []
    (store.root / "checkpoints" / KEY).rename(store.root / KEY)
    with pytest.raises(DamagedEntry, match="belongs to checkpoint"):
        store.read(KEY)


@pytest.mark.parametrize("position", [0, 200, -1])
@pytest.mark.parametrize("file", ["rows.npy", "manifest.json"])
def test_a_damaged_checkpoint_is_refused(store: Store, file: str, position: int) -> None:
    store.checkpoint(KEY).save({"rows": ROWS}, {})
    flip(store.root / "checkpoints" / KEY / file, position)
    with pytest.raises(DamagedEntry, match=file):
        store.checkpoint(KEY).load()


MANY = np.arange(40_000.0).reshape(-1, 2)  # five blocks


def test_rows_of_a_checkpoint_are_written_once_and_the_entry_goes_on_from_them(
    store: Store, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(folders, "PIECE_BYTES", 3 * 65536 + 5)
    checkpoint, place = store.checkpoint(KEY), store.root / "checkpoints" / KEY / "values.npy"
    rows = np.zeros_like(MANY)
    for done in (0, 3, 5_000, 5_001, 12_000):
        rows[:done] = MANY[:done]
        checkpoint.save({"values": rows}, {"done": done}, done)
        rows[: done - 1] = -1  # rows that are kept are not written again
        assert loaded(store.checkpoint(KEY)) == ({"values": MANY[:done].tolist()}, {"done": done})
    number = place.stat().st_ino
    with open(place, "r+b") as file:  # a process was killed while it wrote the next rows
        file.seek(0, os.SEEK_END)
        file.write(b"rubbish")
    later = store.checkpoint(KEY)
    assert loaded(later)[1] == {"done": 12_000}
    entry = store.write(KEY, {"values": MANY, "more": rows}, {}, later)
    later.discard()
    assert (store.root / KEY / "values.npy").stat().st_ino == number
    again = store.read(KEY)
    for found in (entry, again):
        assert found is not None
        found.verify()
        assert (found.array("values") == MANY).all()
    assert again is not None
    assert again.files["values"].checksums == store.write(KEY, {"values": MANY}, {}).files["values"].checksums


@pytest.mark.parametrize("other", [MANY[:-1], MANY.astype(np.float32), MANY[:5]])
def test_rows_of_another_array_are_not_gone_on_from(store: Store, other: Any) -> None:
    checkpoint = store.checkpoint(KEY)
    checkpoint.save({"values": MANY}, {}, 9)
    checkpoint.save({"values": other}, {}, len(other))
    assert loaded(store.checkpoint(KEY)) == ({"values": other.tolist()}, {})
    whole = store.checkpoint(KEY)
    whole.save({"values": other}, {})  # all of it, which may change
    whole.save({"values": other * 2}, {})
    store.write(KEY, {"values": other * 3}, {}, whole)
    assert loaded(whole) == ({"values": (other * 2).tolist()}, {})
    assert (store.read(KEY).array("values") == other * 3).all()  # type: ignore[union-attr]


def test_a_checkpoint_whose_rows_are_cut_off_or_changed_is_refused(store: Store) -> None:
    place = store.root / "checkpoints" / KEY / "values.npy"
    for end in (None, 1000):
        store.checkpoint(KEY).save({"values": MANY}, {}, 700)
        if end is None:
            flip(place, 300)
        else:
            os.truncate(place, end)
        with pytest.raises(DamagedEntry, match="values"):
            store.checkpoint(KEY).load()


def test_a_manifest_that_has_other_rows_than_bytes_is_refused(store: Store) -> None:
    checkpoint = store.checkpoint(KEY)
    checkpoint.save({"values": MANY}, {}, 700)
    written = checkpoint.written["values"]
    record = {"dtype": "<f8", "shape": [*MANY.shape], "size": written.size, "blocks": written.checksums}
    assert ArrayFile(KEY, written.path, {**record, "rows": 700}).array().shape == (700, 2)
    with pytest.raises(DamagedEntry, match="bytes in the manifest"):
        ArrayFile(KEY, written.path, {**record, "rows": 699}).array()


def test_where_nothing_can_be_linked_a_checkpoint_is_written_whole(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(os, "link", fails(0, os.link, refused(errno.EPERM)))
    checkpoint = Checkpoint(KEY, tmp_path / "unfinished")
    for rows in (2, 4):
        checkpoint.save({"values": np.arange(5.0)}, {}, rows)
    assert loaded(checkpoint) == ({"values": [0, 1, 2, 3]}, {})
